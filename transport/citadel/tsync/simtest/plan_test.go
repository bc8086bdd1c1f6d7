package simtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// plan is what one simulation is like. All of it follows from the seed.
type plan struct {
	seed        uint64
	ticks       int
	clients     int
	objects     int     // apart from those of players
	moving      float64 // part of the objects that moves
	side        float32 // of the square in which everything happens, centimetres
	sendEvery   int     // ticks between two bundles of inputs
	version2    bool
	slots       bool // players get their objects from the world
	limitsKnown bool // predictors know the server's limits
	config      server.Config
}

func (p *plan) String() string {
	h := &p.config.Hello
	return fmt.Sprintf("%d clients, %d objects in %.0f m, %d ticks, %d/%d Hz, budget %d, payload %d, radius %.0f m",
		p.clients, p.objects, p.side/100, p.ticks, h.SendRate, h.SimRate, p.config.Budget, p.config.MaxPayload,
		p.config.Radius.Leave/100)
}

// The extremes of a plan.
const (
	mostClients = 32
	mostObjects = 2_000
	mostTicks   = 10_000
)

// load is how many objects all snapshots of a tick together may have, which is what a simulation costs.
const load = 240

// newPlan returns the plan of a seed. The first seeds of every twenty have the extremes.
func newPlan(seed uint64, ticks int) plan {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := plan{
		seed:        seed,
		ticks:       ticks,
		clients:     logUniform(rng, mostClients),
		objects:     logUniform(rng, 300),
		moving:      rng.Float64(),
		sendEvery:   1 + rng.IntN(3),
		version2:    rng.IntN(3) == 0,
		slots:       rng.IntN(3) == 0,
		limitsKnown: rng.IntN(2) == 0,
	}
	p.config.Hello = randomHello(rng)
	p.config.Budget = choose(rng, 16, 16, 4, 40, -1)
	p.config.MaxPayload = choose(rng, server.DefaultMaxPayload, server.DefaultMaxPayload, 300, 120)
	all := false
	switch (seed - 1) % 20 {
	case 0: // one client that sees everything there is
		p.clients, p.objects, p.moving, all = 1, mostObjects, 0.2, true
		p.config.Budget, p.config.MaxPayload = choose(rng, 16, 40, -1), server.DefaultMaxPayload
	case 1: // as many clients as there are, with little to see
		p.clients, p.objects = mostClients, 1+rng.IntN(40)
	case 2: // as much of everything as there is, far apart
		p.clients, p.objects, p.moving = mostClients, mostObjects, 0.1
	case 3: // two alone
		p.clients, p.objects = 1, 1
	}
	h := &p.config.Hello
	p.config.Epoch = 1 + rng.Uint64N(math.MaxUint64)
	p.config.Congestion = congestion.DefaultConfig()
	p.config.Congestion.GoodRate, p.config.Congestion.FloorRate = h.SendRate, max(h.SendRate/2, 1)
	if p.slots {
		p.config.PlayerSlots = p.clients
	}
	perTick := float64(p.clients) * float64(h.SendRate) / float64(h.SimRate)
	seen := min(max(load/perTick, 6), float64(p.objects+p.clients))

	// Objects are spread evenly, so that this many are within the radius.
	leave := float32(2_000 + 8_000*rng.Float64())
	p.config.Radius = interest.Radius{Enter: leave * float32(0.6+0.4*rng.Float64()), Leave: leave}
	p.config.CellSize = leave * float32(1+rng.Float64())
	p.side = leave * float32(math.Sqrt(math.Pi*float64(p.objects+p.clients)/seen))
	if all {
		p.side = leave / 2
	}
	bound := h.Position.Max[0] - h.Position.Min[0]
	p.side = min(p.side, bound)
	return p
}

func randomHello(rng *rand.Rand) tsync.Hello {
	h := tsync.DefaultHello()
	h.Quat = choose(rng, h.Quat, quant.Quat9, quant.Quat15)
	h.SimRate = choose(rng, uint8(60), 60, 60, 30)
	h.SendRate = choose(rng, uint8(20), 20, 20, 20, 30, 10, 6, 3, 1, h.SimRate)
	h.Position.PerUnit = choose(rng, uint32(8), 8, 8, 1, 100)
	return h
}

func choose[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// logUniform returns a number from 1 to most; each power of two is as likely as the next.
func logUniform(rng *rand.Rand, most int) int {
	return int(math.Exp(rng.Float64() * math.Log(float64(most)+0.99)))
}

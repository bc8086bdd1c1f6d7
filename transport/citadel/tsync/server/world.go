package server

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// World is the authority over all objects: it moves them, and says what each client is told of them.
//
// It is not safe for concurrent use, with one exception: between two calls of other methods, every client's
// [Client.AppendSnapshot] may run on a goroutine of its own.
type World struct {
	config Config
	codec  *tsync.Codec
	dt     float32 // seconds of a step

	historyLen int // ticks that a shot may be put back, and the present one

	tick       uint64
	objects    []object
	places     map[uint32]int32 // in objects, by id, the dead included
	free       []int32          // places of nobody
	graves     fifo[grave]
	live       int
	leastGen   uint64 // of an id that is not known
	leastEpoch uint32

	frame   frame
	grid    *interest.Grid[uint32]
	targets []rewind.Target // scratch
	clients []*Client       // in the order of joining
	slots   []*Client       // players by slot, the first is slot 1
}

// New returns a world without clients, and without objects but for the demo movers. Its only error is [ErrConfig].
func New(config Config) (*World, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	codec, err := tsync.NewCodec(config.Hello)
	if err != nil {
		return nil, err
	}
	w := &World{
		config: config,
		codec:  codec,
		dt:     1 / float32(config.Hello.SimRate),

		historyLen: int(min(math.Ceil(config.Rewind.MaxUnlag), mostHistory)) + 1,

		places: make(map[uint32]int32),
		grid:   interest.NewGrid[uint32](config.CellSize),
		slots:  make([]*Client, config.PlayerSlots),
	}
	if config.PlayerSlots == 0 {
		w.spawnMovers(config.DemoMovers)
	}
	return w, nil
}

// Codec returns what snapshots are encoded with.
func (w *World) Codec() *tsync.Codec { return w.codec }

// Now returns the step that the last frame is of, and 0 before the first.
func (w *World) Now() uint64 { return w.tick }

// Tick advances the simulation by one step of 1/Hello.SimRate seconds: what has a velocity and no predicting owner
// moves, and the result is frozen as the frame that snapshots are taken from until the next call. What is done to
// objects between two calls is in the second one's frame.
func (w *World) Tick() {
	w.advance()
	w.tick++
	w.latch()
	w.forget()
	w.record()
	for _, c := range w.clients {
		c.pass()
	}
}

// advance moves everything that moves on its own.
func (w *World) advance() {
	for i := range w.objects {
		p := &w.objects[i]
		if !p.live {
			continue
		}
		p.allowance.Pass(float64(w.dt))
		if p.Role == tsync.OwnerPredicted {
			continue
		}
		p.mover.turn(&p.State)
		if p.State.Velocity != ([3]float32{}) && w.dt > 0 {
			p.drift(w.dt)
		}
	}
}

// drift moves an object by its velocity. An axis that would leave the numbers stays where it is.
func (p *object) drift(dt float32) {
	for i, v := range p.State.Velocity {
		// The conversion keeps compilers from fusing product and sum.
		if at := p.State.Position[i] + float32(v*dt); v != 0 && finite(at) {
			p.State.Position[i] = at
		}
	}
	p.stale = true
}

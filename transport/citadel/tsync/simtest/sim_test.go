package simtest

import (
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// sim is one session.
type sim struct {
	t       testing.TB
	plan    plan
	rng     *rand.Rand
	codec   *tsync.Codec
	limits  motion.Limits
	world   *server.World
	players []*player // participant n is the one before n
	tick    int
	count   counts

	frame     []present // by id
	inputSeqs map[uint32]inputMark
	gens      map[uint32]uint16 // the last one of every id
}

// inputMark is how far the inputs for an object have counted.
type inputMark struct{ epoch, seq uint32 }

// runSim plays a session and returns what happened.
func runSim(t testing.TB, p plan) counts {
	s := &sim{
		t: t, plan: p, rng: rand.New(rand.NewPCG(p.seed, 2)),
		inputSeqs: map[uint32]inputMark{}, gens: map[uint32]uint16{},
	}
	s.begin()
	for s.tick = 1; s.tick <= p.ticks; s.tick++ {
		s.disturb()
		s.step(true)
	}
	s.settle()
	for _, player := range s.players {
		player.leave()
	}
	return s.count
}

// fail ends the simulation and says how to have it again.
func (s *sim) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Logf("seed %d, tick %d: %v", s.plan.seed, s.tick, &s.plan)
	s.t.Logf("again: go test ./transport/citadel/tsync/simtest -run TestSimulation -seed %d -ticks %d", s.plan.seed, s.plan.ticks)
	s.t.Fatalf(format, args...)
}

func (s *sim) begin() {
	cfg := s.plan.config
	s.limits = motion.DefaultLimits()
	cfg.Limits = s.limits
	cfg.OnInput = func(c *server.Client, f *tsync.InputFrame) { s.players[c.Participant()-1].onInput(f) }
	cfg.OnShot = func(c *server.Client, shot server.Shot) { s.players[c.Participant()-1].onShot(shot) }
	var err error
	if s.world, err = server.New(cfg); err != nil {
		s.fail("%v", err)
	}
	s.codec = s.world.Codec()
	for i := range s.plan.objects {
		s.spawn(uint32(s.plan.clients + i + 1))
	}
	for i := range s.plan.clients {
		p := &player{
			sim: s, participant: uint64(i + 1), rng: rand.New(rand.NewPCG(s.plan.seed, uint64(10+i))),
			inputs: map[ownership]*inputs{},
		}
		s.players = append(s.players, p)
		if !s.plan.slots {
			s.spawnPlayer(uint32(i+1), p.participant)
		}
		p.connect()
	}
}

// ids yields all ids that ever have an object.
func (s *sim) ids() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for id := range s.plan.clients + s.plan.objects {
			if !yield(uint32(id + 1)) {
				return
			}
		}
	}
}

// step is one tick of everybody.
func (s *sim) step(pushes bool) {
	for _, p := range s.players {
		p.up.dark, p.down.dark = s.tick < p.darkUp, s.tick < p.darkDown
		p.up.deliver(s.tick, p.hear)
		p.tellShots(s.tick)
	}
	s.world.Tick()
	s.checkInputs()
	for _, p := range s.players {
		p.tell(s.tick)
	}
	for _, p := range s.players {
		p.down.deliver(s.tick, p.receive)
		p.reliable.deliver(s.tick, p.receive)
		p.play(s.tick, pushes)
	}
	if s.tick%12 == 0 {
		s.observe()
	}
	s.count.Ticks++
	s.count.ClientTicks += uint64(len(s.players))
}

// epoch returns the present ownership of an object, which may have changed since the last frame.
func (s *sim) epoch(id uint32) uint32 {
	o, _ := s.world.Object(id)
	return o.OwnershipEpoch
}

// checkInputs checks that what has counted stays so.
func (s *sim) checkInputs() {
	for id := range uint32(s.plan.clients) {
		o, ok := s.world.Object(id + 1)
		if !ok {
			continue
		}
		old := s.inputSeqs[o.ID]
		if o.OwnershipEpoch < old.epoch || o.OwnershipEpoch == old.epoch && o.InputSeq < old.seq {
			s.fail("object %d went from %+v back to epoch %d, input %d", o.ID, old, o.OwnershipEpoch, o.InputSeq)
		}
		s.inputSeqs[o.ID] = inputMark{o.OwnershipEpoch, o.InputSeq}
	}
}

// observe tells the world how the networks are.
func (s *sim) observe() {
	hz := float64(s.plan.config.Hello.SimRate)
	for _, p := range s.players {
		rtt := float64(p.up.delay+p.down.delay+1) * 1000 / hz
		path := congestion.Path{
			RTT: rtt, MinRTT: rtt, Jitter: float64(p.down.jitter) / 2 * 1000 / hz,
			Sent: p.down.traffic.sent, Lost: p.down.traffic.lost + p.down.traffic.darkened,
		}
		if p.conn.Observe(path, 12/hz) {
			s.count.Rates++
		}
	}
}

// settle lets a session come to rest in fair weather, and checks that everybody ends up with the same.
func (s *sim) settle() {
	for _, p := range s.players {
		p.darkUp, p.darkDown = 0, 0
		fair := weather{delay: p.rng.IntN(4)}
		p.up.weather, p.down.weather = fair, fair
		p.carries = s.plan.config.MaxPayload
		p.conn.SetMaxPayload(0)
	}
	for id := range s.ids() {
		if o, ok := s.world.Object(id); ok && o.State.Velocity != ([3]float32{}) && o.Role != tsync.OwnerPredicted {
			o.State.Velocity = [3]float32{}
			s.must(s.world.SetState(id, o.State))
		}
	}
	// As long as it takes to tell everything twice, at the lowest rate, and a while.
	h, perSnapshot := &s.plan.config.Hello, max((s.plan.config.MaxPayload-40)*8/280, 1)
	if b := s.plan.config.Budget; b > 0 {
		perSnapshot = min(perSnapshot, b)
	}
	snapshots := 2*(s.plan.objects+s.plan.clients)/perSnapshot + 100
	most := snapshots*2*int(h.SimRate)/int(h.SendRate) + 10*int(h.SimRate) // inputs have to catch up too
	for end := s.tick + most; s.tick < end; s.tick++ {
		s.step(false)
		if s.tick%16 == 0 && s.unsettled() == "" {
			return
		}
	}
	s.fail("not settled: %s", s.unsettled())
}

// unsettled returns what is not as it should be at the end, or nothing.
func (s *sim) unsettled() string {
	for _, p := range s.players {
		if why := p.unsettled(); why != "" {
			return why
		}
	}
	return ""
}

func (s *sim) must(err error) {
	if err != nil {
		s.fail("%v", err)
	}
}

// anywhere returns a position within the square.
func (s *sim) anywhere(rng *rand.Rand) [3]float32 {
	return [3]float32{
		s.plan.side * (rng.Float32() - 0.5), s.plan.side * (rng.Float32() - 0.5), 500 * rng.Float32(),
	}
}

// velocity returns a random direction in the plane, at most so fast.
func (s *sim) velocity(rng *rand.Rand, most float32) [3]float32 {
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	speed := most * rng.Float32()
	return [3]float32{speed * float32(cos), speed * float32(sin), 0}
}

// state returns where an object may be, and how it may move.
func (s *sim) state(moves bool) tsync.State {
	o := tsync.State{Position: s.anywhere(s.rng), Rotation: rotation(s.rng)}
	if moves {
		o.Velocity = s.velocity(s.rng, 600)
	}
	return o
}

func rotation(rng *rand.Rand) [4]float32 {
	sin, cos := math.Sincos(math.Pi * rng.Float64())
	return [4]float32{2: float32(sin), 3: float32(cos)}
}

// spawn makes an object that nobody owns.
func (s *sim) spawn(id uint32) {
	o := server.Object{ID: id, Role: tsync.StaticReplicated, Priority: s.rng.Float32() * 4}
	if s.rng.Float64() < s.plan.moving {
		o.Role = tsync.ServerSimulated
		o.ReplicateVelocity = s.rng.IntN(2) == 0
	}
	if s.rng.IntN(4) == 0 {
		o.Shape = rewind.Shape{Radius: 50}
	}
	o.State = s.state(o.Role == tsync.ServerSimulated)
	s.enter(o)
}

// spawnPlayer makes an object that a participant owns.
func (s *sim) spawnPlayer(id uint32, owner uint64) {
	s.enter(server.Object{
		ID: id, Role: tsync.OwnerPredicted, Owner: owner, State: s.state(false),
		ReplicateVelocity: s.rng.IntN(2) == 0, Shape: rewind.Shape{Radius: 50, HalfLength: 40},
	})
}

// enter spawns an object, whose generation must be a new one.
func (s *sim) enter(o server.Object) {
	gen, err := s.world.Spawn(o)
	s.must(err)
	if old, known := s.gens[o.ID]; known && int16(gen-old) <= 0 {
		s.fail("object %d begins generation %d after %d", o.ID, gen, old)
	}
	s.gens[o.ID] = gen
	s.count.Spawns++
}

// teleport puts an object somewhere else, which must begin a new generation.
func (s *sim) teleport(id uint32, to tsync.State) {
	before, _ := s.world.Object(id)
	s.must(s.world.Teleport(id, to))
	after, _ := s.world.Object(id)
	if after.Gen != before.Gen+1 || after.OwnershipEpoch != before.OwnershipEpoch || after.InputSeq != before.InputSeq {
		s.fail("object %d was %+v and is teleported %+v", id, before, after)
	}
	s.gens[id] = after.Gen
	s.count.Teleports++
}

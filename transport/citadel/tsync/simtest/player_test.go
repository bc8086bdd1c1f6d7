package simtest

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// player is one participant: the client, the network, the server's half, and what each of them should do.
type player struct {
	sim         *sim
	participant uint64
	rng         *rand.Rand

	conn     *server.Client
	client   *client.Client
	up, down *link
	reliable stream // from the server
	darkUp   int    // tick until which nothing gets up, and the same for down
	darkDown int

	viewer  [3]float32 // what the server should take for the viewer
	follows uint32
	radius  interest.Radius
	carries int // what the path carries

	expectations [memory]expectation
	snapshot     tsync.SnapshotV2 // scratch
	buf          []byte
	lastSnapshot uint32
	applied      uint64
	sightings    []sighting // by object
	quietUntil   int

	owned  []uint32 // scratch
	inputs map[ownership]*inputs
	shots  []tsync.Rewind // resolved, not arrived at the client
}

// ownership is what input numbers belong to.
type ownership struct{ object, epoch uint32 }

// inputs are what a client did with an object during an ownership, by number from 1, and what the server made of it.
type inputs struct {
	pushed  []pushed
	applied uint32
	aim     [3]float32 // velocity that the player holds on to
	owed    bool       // the last one applied was a shot, and is not resolved yet
	void    bool       // the ownership is over, and the client does not know that yet
}

type pushed struct {
	move [3]float32
	dt   float32
	fire bool
}

const payloadBytes = 12

// connect makes a player a new participant, or the same one with nothing left of its last connection.
func (p *player) connect() {
	s := p.sim
	if p.conn != nil {
		p.leave()
		s.count.Reconnects++
	}
	var err error
	p.conn, err = s.world.Join(p.participant, nil)
	p.must(err)
	cfg := client.Config{Participant: p.participant, Version2: s.plan.version2, MaxOwned: 64}
	if s.plan.limitsKnown {
		cfg.Predictor.Limits = &s.limits
	}
	p.client, err = client.New(cfg)
	p.must(err)
	p.up, p.down = newLink(p.rng, p.weather()), newLink(p.rng, p.weather())
	p.reliable = stream{link: p.down}
	p.darkUp, p.darkDown = 0, 0
	p.lastSnapshot, p.applied = 0, 0
	clear(p.sightings)
	for i := range p.expectations {
		p.expectations[i].id = 0
	}
	p.shots = p.shots[:0]
	p.viewer, p.radius, p.carries = [3]float32{}, s.plan.config.Radius, s.plan.config.MaxPayload
	p.follows, _ = p.conn.Slot()
	if p.follows == 0 {
		p.follow(uint32(p.participant))
	}
	p.send() // the opening
}

func (p *player) weather() weather { return randomWeather(p.rng, p.sim.plan.config.Hello.SimRate) }

// must fails unless the last value, if it is an error, is nil.
func (p *player) must(values ...any) {
	if err, ok := values[len(values)-1].(error); ok && err != nil {
		p.fail("%v", err)
	}
}

func (p *player) fail(format string, args ...any) {
	p.sim.t.Helper()
	p.sim.fail("participant %d: "+format, append([]any{p.participant}, args...)...)
}

func (p *player) view() *client.View { return p.client.View() }

// leave ends a player's connection, and takes account of it.
func (p *player) leave() {
	c := &p.sim.count
	had, stats := p.client.Stats(), p.conn.Stats()
	c.Applied += had.View.Applied
	c.Stale += had.View.Stale
	c.StaleRoles += had.StaleRoles
	c.Reconciled += had.Reconciled
	c.Corrections += had.Corrections
	c.LargestCorrection = max(c.LargestCorrection, had.LargestCorrection)
	c.Deferred += stats.Deferred
	c.Duplicates += stats.Duplicates
	c.Refused += stats.Refused
	for _, l := range []*link{p.up, p.down} {
		c.Sent += l.traffic.sent
		c.Lost += l.traffic.lost
		c.Darkened += l.traffic.darkened
		c.Doubled += l.traffic.doubled
	}
	p.sim.world.Leave(p.conn)
}

// look makes the server look from somewhere else.
func (p *player) look() {
	p.viewer, p.follows = p.sim.anywhere(p.rng), 0
	p.must(p.conn.Look(p.viewer))
}

// follow makes the server look from where an object is.
func (p *player) follow(object uint32) {
	p.follows = object
	p.conn.Follow(object)
}

// hear makes the server take what arrives of the client.
func (p *player) hear(kind byte, body []byte) {
	switch wire.Kind(kind) {
	case wire.KindTsyncInput:
		p.must(p.conn.Input(body))
	case wire.KindTsyncV2Input:
		p.must(p.conn.InputV2(body))
	case wire.KindTsyncAck:
		p.must(p.conn.Ack(body))
	default:
		p.fail("the client sent kind %d", kind)
	}
}

// tell makes the server say what there is to say, and puts it on its way.
func (p *player) tell(now int) {
	if p.conn.Due() || p.rng.IntN(200) == 0 {
		if f := p.sim.now(p.follows); f.live {
			p.viewer = f.object.State.Position
		}
		deferred := p.conn.Stats().Deferred
		body, err := p.conn.AppendSnapshot(p.buf[:0])
		p.must(err)
		p.buf = body[:0]
		if len(body) > 0 {
			p.expect(body, p.conn.Stats().Deferred > deferred)
			p.sim.count.Snapshots++
			p.sim.count.SnapshotBytes += uint64(len(body) + 2)
			p.down.send(now, byte(p.conn.SnapshotKind()), body)
		}
	}
	for _, r := range p.conn.Roles() {
		p.reliable.send(now, byte(wire.KindTsyncRole), tsync.AppendRole(nil, r))
		p.sim.count.Roles++
	}
}

// tellShots sends what shots have hit.
func (p *player) tellShots(now int) {
	for _, r := range p.conn.Rewinds() {
		p.reliable.send(now, byte(wire.KindTsyncRewind), tsync.AppendRewind(nil, r))
	}
}

// receive makes the client take what arrives of the server.
func (p *player) receive(kind byte, body []byte) {
	event, err := p.client.Receive(wire.Kind(kind), body)
	p.must(err)
	if shot, ok := event.(client.ShotResolved); ok {
		if len(p.shots) == 0 || p.shots[0] != shot.Rewind {
			p.fail("%+v is told and not %+v", shot.Rewind, p.shots)
		}
		p.shots = p.shots[1:]
	}
	v := p.view()
	if v == nil {
		return
	}
	stats := v.Stats()
	if stats.MissingBase+stats.Refused+stats.Skipped > 0 {
		p.fail("snapshots without a base or with an unknown object: %+v", p.client.Stats())
	}
	if stats.Applied != p.applied {
		p.applied = stats.Applied
		p.compare(v.Ack().ID)
	}
}

// play makes the player do something with every object of its own, and sends what there is to send.
func (p *player) play(now int, pushes bool) {
	if p.view() != nil {
		p.client.Advance(1 / p.view().SimRate())
	}
	p.owned = p.client.AppendOwned(p.owned[:0])
	for _, id := range p.owned {
		if pushes && now >= p.quietUntil {
			p.push(id)
		}
	}
	if (now+int(p.participant))%p.sim.plan.sendEvery == 0 {
		p.send()
	}
}

// push makes the player move an object, or fire.
func (p *player) push(id uint32) {
	r, _ := p.client.Role(id)
	key := ownership{id, r.OwnershipEpoch}
	in := p.inputs[key]
	if in == nil {
		in = &inputs{}
		p.inputs[key] = in
	}
	if p.rng.IntN(20) == 0 {
		in.aim = p.sim.velocity(p.rng, 900)
		if at, _, ok := p.client.Predicted(id); ok { // towards the middle, or it ends at a wall
			for i := range 2 {
				if outwards := at.Position[i]*in.aim[i] > 0; outwards && p.rng.IntN(3) > 0 {
					in.aim[i] = -in.aim[i]
				}
			}
		}
	}
	input := client.Input{Move: in.aim, DT: float32(1 / p.view().SimRate())}
	if p.rng.IntN(500) == 0 { // what no server grants
		input.Move, input.DT = p.sim.velocity(p.rng, 9_000), choose(p.rng, 0, 0.5, float32(math.NaN()), -1)
	}
	if p.rng.IntN(40) == 0 {
		input.Fire, input.Origin, input.Direction = true, p.sim.anywhere(p.rng), p.sim.velocity(p.rng, 1)
		if at, _, ok := p.client.Predicted(id); ok {
			input.Origin = at.Position
		}
	}
	seq := uint32(len(in.pushed) + 1)
	input.Payload = p.payload(key, seq)
	got, err := p.client.Push(id, &input)
	switch {
	case errors.Is(err, client.ErrNotOwned): // not in view
	case errors.Is(err, client.ErrPending):
		p.sim.count.Stalled++
	case err != nil:
		p.fail("%v", err)
	case got == 1 && p.sim.epoch(id) != key.epoch:
		// A snapshot has told of the object's next life earlier than the role did: what the client makes until that
		// comes counts for nobody.
		*in = inputs{void: true, pushed: append(in.pushed[:0], pushed{})}
	case in.void && got == seq:
		in.pushed = append(in.pushed, pushed{})
	case got != seq:
		p.fail("object %d in epoch %d: input %d instead of %d", id, r.OwnershipEpoch, got, seq)
	default:
		dt := input.DT
		if !(dt > 0) {
			dt = 0
		}
		in.pushed = append(in.pushed, pushed{input.Move, dt, input.Fire})
		p.sim.count.Pushed++
	}
}

// payload returns what the player's game puts into an input.
func (p *player) payload(o ownership, seq uint32) []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, payloadBytes), o.object)
	b = binary.LittleEndian.AppendUint32(b, o.epoch)
	return binary.LittleEndian.AppendUint32(b, seq)
}

// send puts on its way what the client has to say.
func (p *player) send() {
	now := p.sim.tick + 1
	for _, f := range p.client.Flush() {
		switch f.Kind {
		case wire.KindTsyncHello:
			p.reliable.send(now, byte(f.Kind), p.conn.AppendHello(nil))
		case wire.KindTsyncV2Hello:
			answer, err := p.conn.Upgrade(nil, f.Body)
			p.must(err)
			p.reliable.send(now, byte(f.Kind), answer)
		default:
			p.up.send(now, byte(f.Kind), f.Body)
		}
	}
	if p.rng.IntN(300) == 0 { // of a snapshot that was never sent
		p.up.send(now, byte(wire.KindTsyncAck), tsync.AppendAck(nil, tsync.Ack{ID: p.rng.Uint32() | 1<<31}))
	}
}

// onInput is told by the world what it has applied.
func (p *player) onInput(f *tsync.InputFrame) {
	key := ownership{f.Object, f.OwnershipEpoch}
	in := p.inputs[key]
	switch {
	case in == nil || in.void || int(f.Seq) > len(in.pushed):
		p.fail("input %d of %v counts, which nobody made", f.Seq, key)
	case f.Seq != in.applied+1:
		p.fail("input %d of %v follows upon %d", f.Seq, key, in.applied)
	case in.owed:
		p.fail("shot %d of %v was not resolved", in.applied, key)
	}
	want := in.pushed[f.Seq-1]
	if f.Move != want.move || f.DT != want.dt || f.Fire != want.fire || string(f.Payload) != string(p.payload(key, f.Seq)) {
		p.fail("input %+v of %v was %+v", *f, key, want)
	}
	in.applied, in.owed = f.Seq, f.Fire
	p.sim.count.Inputs++
}

// onShot is told by the world what a shot has hit.
func (p *player) onShot(shot server.Shot) {
	key := ownership{shot.Frame.Object, shot.Frame.OwnershipEpoch}
	in := p.inputs[key]
	if in == nil || !in.owed || in.applied != shot.Frame.Seq || shot.Result.InputSeq != shot.Frame.Seq {
		p.fail("shot %d of %v is resolved out of order or again", shot.Frame.Seq, key)
	}
	in.owed = false
	p.shots = append(p.shots, shot.Result)
	p.sim.count.Shots++
	if shot.Result.Hit {
		p.sim.count.Hits++
	}
	if shot.Rewound {
		p.sim.count.Rewound++
	}
}

package simtest

import (
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// seen is an object as a client is to have it: a latched frame, quantised.
type seen struct {
	id    uint32
	gen   uint16
	state tsync.State
}

// present is an object of the last frame.
type present struct {
	tick     uint64 // of the frame that this was taken from
	live     bool
	velocity bool
	seen     seen
	object   server.Object
}

// now returns an object of the last frame. It must be asked before the world changes.
func (s *sim) now(id uint32) *present {
	for int(id) >= len(s.frame) {
		s.frame = append(s.frame, present{tick: math.MaxUint64})
	}
	p := &s.frame[id]
	if p.tick == s.world.Now() {
		return p
	}
	l, live := s.world.Latched(id)
	*p = present{tick: s.world.Now(), live: live, velocity: l.ReplicateVelocity}
	if !live {
		return p
	}
	fields := tsync.FieldPosition | tsync.FieldRotation
	if l.ReplicateVelocity {
		fields |= tsync.FieldVelocity
	}
	p.seen = seen{id: id, gen: l.Gen}
	s.codec.Dequantize(&l.Codes, fields, &p.seen.state)
	p.object, _ = s.world.Object(id)
	var codes tsync.Codes
	if err := s.codec.Quantize(&p.object.State, fields, &codes); err != nil || codes != l.Codes || p.object.Gen != l.Gen {
		s.fail("object %d is latched as %+v and not as %+v, %v", id, l, codes, err)
	}
	return p
}

// inputAck is what a snapshot says of the inputs for an object.
type inputAck struct{ object, epoch, seq uint32 }

// expectation is what a client has once it has applied a snapshot.
type expectation struct {
	id      uint32
	tick    uint64
	objects []seen // by ascending id
	acks    []inputAck
}

// memory is how many snapshots are remembered: all that can be on their way or the base of one that is.
const memory = 256

// expected returns what a client has by a snapshot.
func (p *player) expected(id uint32) *expectation {
	e := &p.expectations[id%memory]
	if e.id != id {
		p.fail("snapshot %d is not one that was sent lately", id)
	}
	return e
}

// expect works out what a client has once it has applied a snapshot, from the base's own expectation and the frame, and
// checks that the snapshot may say what it says.
func (p *player) expect(body []byte, deferred bool) {
	s, snap := p.sim, &p.snapshot.Snapshot
	var err error
	limit := p.carries - 2
	if s.plan.version2 {
		err = s.codec.ParseSnapshotV2(body, &p.snapshot)
	} else {
		err = s.codec.ParseSnapshot(body, snap)
	}
	switch {
	case err != nil:
		p.fail("the server's own snapshot is malformed: %v", err)
	case len(body) > limit:
		p.fail("snapshot of %d bytes, more than %d", len(body), limit)
	case snap.ID != p.lastSnapshot+1:
		p.fail("snapshot %d follows upon %d", snap.ID, p.lastSnapshot)
	case uint64(snap.Tick) != s.world.Now()&math.MaxUint32:
		p.fail("snapshot is of tick %d", snap.Tick)
	case s.plan.config.Budget > 0 && len(snap.Updates) > s.plan.config.Budget:
		p.fail("%d updates in a snapshot", len(snap.Updates))
	}
	p.lastSnapshot = snap.ID
	s.count.Updates += uint64(len(snap.Updates))
	s.count.Removals += uint64(len(snap.Removed))

	next := &p.expectations[snap.ID%memory]
	objects := next.objects[:0]
	*next = expectation{id: snap.ID, tick: s.world.Now(), acks: next.acks[:0]}
	var base []seen
	if snap.Base != 0 {
		base = p.expected(snap.Base).objects
	} else {
		s.count.Fulls++
	}
	removed, updates := snap.Removed, snap.Updates
	for len(base) > 0 || len(updates) > 0 {
		var o seen
		if len(updates) == 0 || len(base) > 0 && base[0].id < updates[0].Object {
			o, base = base[0], base[1:]
			if len(removed) > 0 && removed[0] == o.id {
				removed = removed[1:]
				continue
			}
		} else {
			u := &updates[0]
			if len(base) > 0 && base[0].id == u.Object {
				base = base[1:]
			}
			if len(removed) > 0 && removed[0] == u.Object {
				removed = removed[1:]
			}
			o, updates = p.expectUpdate(u, next), updates[1:]
		}
		objects = append(objects, o)
	}
	if len(removed) > 0 {
		p.fail("snapshot %d removes %d, which the client does not have", snap.ID, removed)
	}
	next.objects = objects
	if !deferred {
		p.expectFresh(next, limit-len(body) < limit/2)
	}
	if snap.ID%16 == 0 {
		p.expectKnown(next)
	}
}

// expectUpdate checks an update and returns what it is to make of the object.
func (p *player) expectUpdate(u *tsync.Update, next *expectation) seen {
	f := p.sim.now(u.Object)
	if !f.live {
		p.fail("update of object %d, which is not there", u.Object)
	}
	mine := f.object.Role == tsync.OwnerPredicted && f.object.Owner == p.participant
	if told := u.Fields&tsync.FieldInputSeq != 0; told != mine {
		p.fail("object %d of %d: input acknowledgement told is %v", u.Object, f.object.Owner, told)
	}
	if mine {
		if u.InputSeq != f.object.InputSeq {
			p.fail("object %d: input %d is acknowledged and not %d", u.Object, u.InputSeq, f.object.InputSeq)
		}
		next.acks = append(next.acks, inputAck{u.Object, f.object.OwnershipEpoch, u.InputSeq})
	}
	return f.seen
}

// expectFresh checks that a client to which all was told has the frame, and of the frame what is near.
func (p *player) expectFresh(e *expectation, removalsLimited bool) {
	s := p.sim
	for i := range e.objects {
		f := s.now(e.objects[i].id)
		if (!f.live || f.seen != e.objects[i]) && !removalsLimited {
			p.fail("object %d is %+v instead of %+v although nothing had to wait", e.objects[i].id, e.objects[i], f.seen)
		}
	}
	if e.id%8 != 0 {
		return
	}
	for id := range s.ids() {
		f := s.now(id)
		if !f.live {
			continue
		}
		_, has := slices.BinarySearchFunc(e.objects, id, func(o seen, id uint32) int { return int(o.id) - int(id) })
		switch near := p.nearness(f.object.State.Position); {
		case near == inside && !has:
			p.fail("object %d is near and not told", id)
		case near == outside && has && !removalsLimited:
			p.fail("object %d is far and still told", id)
		}
	}
}

type nearness int

const (
	between nearness = iota // either is right
	inside
	outside
)

// nearness returns whether an object must be in the client's view.
func (p *player) nearness(at [3]float32) nearness {
	var square float64
	for i := range at {
		d := float64(at[i]) - float64(p.viewer[i])
		square += d * d
	}
	enter, leave := float64(p.radius.Enter), float64(p.radius.Leave)
	const hair = 1e-6
	if square > leave*leave*(1+hair) {
		return outside
	}
	cell := p.sim.plan.config.CellSize
	for i := range 2 {
		a, b := math.Floor(float64(at[i]/cell)), math.Floor(float64(p.viewer[i]/cell))
		if math.Abs(a-b) > 1 {
			return between
		}
	}
	if square < enter*enter*(1-hair) {
		return inside
	}
	return between
}

// expectKnown checks that the server has the same idea of what the client will have.
func (p *player) expectKnown(e *expectation) {
	i := 0
	for k := range p.conn.Known(e.id) {
		fields := tsync.FieldPosition | tsync.FieldRotation
		if k.ReplicateVelocity {
			fields |= tsync.FieldVelocity
		}
		o := seen{id: k.ID, gen: k.Gen}
		p.sim.codec.Dequantize(&k.Codes, fields, &o.state)
		if i >= len(e.objects) || e.objects[i] != o {
			p.fail("snapshot %d: the server thinks that the client has %+v", e.id, o)
		}
		i++
	}
	if i != len(e.objects) {
		p.fail("snapshot %d: the server thinks that the client has %d objects and not %d", e.id, i, len(e.objects))
	}
}

// compare checks what a client has after the snapshot that it has just applied.
func (p *player) compare(id uint32) {
	e := p.expected(id)
	if p.view().Len() != len(e.objects) {
		p.fail("snapshot %d: %d objects instead of %d", id, p.view().Len(), len(e.objects))
	}
	i, acks := 0, e.acks
	for o := range p.view().Objects() {
		if want := &e.objects[i]; o.ID != want.id || o.Gen != want.gen || o.State != want.state {
			p.fail("snapshot %d: %+v instead of %+v", id, o, *want)
		}
		if o.News&tsync.FieldInputSeq != 0 {
			if len(acks) == 0 || acks[0].object != o.ID || acks[0].seq != o.InputSeq {
				p.fail("snapshot %d: %+v has another acknowledgement than %v", id, o, acks)
			}
			p.comparePrediction(&o, acks[0])
			acks = acks[1:]
		}
		p.comparePast(&o)
		i++
	}
	if len(acks) > 0 {
		p.fail("snapshot %d: acknowledgements %v did not arrive", id, acks)
	}
	p.sim.count.Compared += uint64(i)
	p.sim.count.MostSeen = max(p.sim.count.MostSeen, uint64(i))
}

// sighting is when a client had an object last, and in which life.
type sighting struct {
	applied uint64 // the how manieth snapshot
	gen     uint16
}

// comparePast checks that an object that has just come, or begun another life, shows nothing of an earlier one.
func (p *player) comparePast(o *client.Object) {
	for int(o.ID) >= len(p.sightings) {
		p.sightings = append(p.sightings, sighting{})
	}
	last := p.sightings[o.ID]
	p.sightings[o.ID] = sighting{p.applied, o.Gen}
	if last.applied != 0 && last.applied == p.applied-1 && last.gen == o.Gen {
		return
	}
	newest, _ := p.view().NewestTick()
	for _, ago := range []float64{0, 1.5, 10, 1_000} {
		if past, ok := p.view().Sample(o.ID, float64(newest)-ago); !ok || past != o.State {
			p.fail("object %d is %v ticks ago at %+v, but came only now with %+v", o.ID, ago, past, o.State)
		}
	}
}

// comparePrediction checks that an object of the client's own is predicted where the inputs after an acknowledgement
// lead from the state that came with it.
func (p *player) comparePrediction(o *client.Object, ack inputAck) {
	role, _ := p.client.Role(o.ID)
	state, _, ok := p.client.Predicted(o.ID)
	in := p.inputs[ownership{ack.object, ack.epoch}]
	if in == nil {
		in = &inputs{}
	}
	if !ok || in.void || role.OwnershipEpoch != ack.epoch || role.Gen != o.Gen || p.client.Pending(o.ID) != len(in.pushed)-int(ack.seq) {
		return // the role or the snapshot is of another time, or the client cannot know that it is not
	}
	want := o.State
	for _, step := range in.pushed[ack.seq:] {
		if p.sim.plan.limitsKnown {
			motion.Integrate(&want, step.move, step.dt, &p.sim.limits)
			continue
		}
		want.Velocity = step.move
		for i, v := range step.move {
			want.Position[i] += float32(v * step.dt)
		}
	}
	if state != want {
		p.fail("object %d is predicted at %+v instead of %+v, with %d inputs after %d", o.ID, state, want, len(in.pushed)-int(ack.seq), ack.seq)
	}
	p.sim.count.Predicted++
}

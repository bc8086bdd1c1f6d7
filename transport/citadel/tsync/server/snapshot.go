package server

import (
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// The parts of a snapshot that every codec has, in bits.
const (
	removalBits = 32
	headerBits  = 8 * tsync.SnapshotHeaderBytes
)

// mostWeight is where accumulated priorities stop growing, long before they are too coarse for a small one to count.
const mostWeight = 1 << 20

// scratch is memory that is used again for every snapshot.
type scratch struct {
	entered, exited []uint32
	tracks          []track
	removed         []int32  // what is not in view any more, in the objects of the base
	gone            []uint32 // ids to be removed
	queue           ranking
	writer          tsync.SnapshotWriter
	update          tsync.Update
}

// AppendSnapshot appends the body of a snapshot of the last frame: how what is in the client's view differs from the
// newest state that the client has acknowledged and both sides still have, as far as there is room. If there is nothing
// to say it appends nothing. A snapshot that is not sent, or lost, needs no further care.
//
// The kind of the frame is [Client.SnapshotKind]. The only error is [baseline.ErrExhausted], after 4,294,967,295
// snapshots: the client has to connect anew.
//
// Clients may have their snapshots made at the same time, each on a goroutine of its own.
func (c *Client) AppendSnapshot(dst []byte) ([]byte, error) {
	c.taken()
	c.updateView()
	base := c.usableBase()
	var none state
	if base == nil {
		base = &none
	}
	candidates := c.compare(base)
	if candidates.n == 0 && len(c.scratch.removed) == 0 && !c.strayed(base) {
		return dst, nil
	}
	id, err := c.ids.Next()
	if err != nil {
		return dst, err
	}
	removals := c.choose(candidates)
	if c.stats.Snapshots == 0 {
		c.ackedTick = c.world.frame.tick
	}
	start := len(dst)
	dst = c.write(dst, id, base, removals)
	c.stats.Snapshots++
	c.stats.SnapshotBytes += uint64(len(dst) - start)
	if base.id == 0 {
		c.stats.Fulls++
	}
	return dst, nil
}

// usableBase returns the state that the next snapshot is to differ from, or nil. After a long silence, the client may
// have let go of the one that it acknowledged last: it keeps as many as it has applied since.
func (c *Client) usableBase() *state {
	base := c.states.confirmed()
	if base != nil && !c.world.config.Reference && uint64(c.ids.Last)+1-uint64(base.id) > uint64(c.world.config.Ring) {
		return nil
	}
	return base
}

// strayed reports whether the client may show something else than the base, from which there is nothing to say: what
// was said since, and is not true any more. A snapshot without updates takes it back.
func (c *Client) strayed(base *state) bool {
	if c.world.config.Reference {
		return false
	}
	return slices.ContainsFunc(c.states.kept, func(s *state) bool {
		return s.id > base.id && !slices.Equal(s.objects, base.objects)
	})
}

// candidates is what could be said.
type candidates struct {
	n     int
	bits  uint64 // of all of them
	least uint64 // of the smallest
}

// compare plans what a snapshot should say if it had room for everything: tracks get their plans and places, and
// scratch.removed what is in the base only.
func (c *Client) compare(base *state) candidates {
	w, s := c.world, &c.scratch
	found := candidates{least: math.MaxUint64}
	s.removed = s.removed[:0]
	b := int32(0)
	for i := range c.tracks {
		t := &c.tracks[i]
		for int(b) < len(base.objects) && base.objects[b].id < t.id {
			s.removed = append(s.removed, b)
			b++
		}
		t.base = -1
		if int(b) < len(base.objects) && base.objects[b].id == t.id {
			t.base = b
			b++
		}
		t.place = w.latchedAt(t.id, t.place)
		l := &w.frame.objects[t.place]
		t.weight = min(t.weight+l.weight, mostWeight)
		t.plan, t.fields = planFull, tsync.FieldPosition|tsync.FieldRotation
		if l.velocity {
			t.fields |= tsync.FieldVelocity
		}
		if t.base >= 0 {
			c.planKnown(t, l, base)
		}
		if l.predicts && l.owner == c.participant {
			t.fields |= tsync.FieldInputSeq
		}
		if t.fields == 0 {
			t.plan, t.waited = planNothing, 0
			continue
		}
		bits := w.bits(t)
		found.n++
		found.bits += bits
		found.least = min(found.least, bits)
	}
	for ; int(b) < len(base.objects); b++ {
		s.removed = append(s.removed, b)
	}
	return found
}

// planKnown plans what to say of an object that is in the base, and for which everything is planned.
func (c *Client) planKnown(t *track, l *latched, base *state) {
	k := &base.objects[t.base]
	switch {
	case k.gen != l.gen:
	case c.world.config.Reference:
		t.plan = planDelta
		t.fields &= changedExactly(&c.world.frame.exact[t.place], &base.exact[t.base])
	case k.velocity == l.velocity:
		t.plan = planDelta
		t.fields &= l.codes.changed(&k.codes)
	case k.velocity:
		t.plan = planAnew
	}
}

// changedExactly returns the fields in which two states differ, as floats.
func changedExactly(a, b *tsync.State) tsync.Fields {
	return fields(a.Position != b.Position, a.Rotation != b.Rotation, a.Velocity != b.Velocity)
}

// bits returns what a planned update takes.
func (w *World) bits(t *track) uint64 {
	n := uint64(w.codec.UpdateBits(t.fields))
	if t.plan&^planChosen == planAnew {
		n += removalBits
	}
	return n
}

// choose decides what there is room for. It marks the tracks that are chosen, and returns how many of scratch.removed
// are.
func (c *Client) choose(found candidates) (removals int) {
	w, s := c.world, &c.scratch
	room := c.room() - headerBits
	most := room
	if found.n > 0 {
		most = room / 2 // so that those who go do not keep the others from moving
	}
	removals = min(len(s.removed), int(most/removalBits))
	room -= uint64(removals) * removalBits
	budget := c.budget
	if budget < 0 {
		budget = math.MaxUint16
	}
	if found.n <= budget && found.bits <= room {
		for i := range c.tracks {
			if t := &c.tracks[i]; t.plan != planNothing {
				t.choose()
			}
		}
		return removals
	}

	s.queue = s.queue[:0]
	for i := range c.tracks {
		if t := &c.tracks[i]; t.plan != planNothing {
			s.queue = append(s.queue, w.rank(t, i))
			if t.waited < math.MaxUint16 {
				t.waited++
			}
		}
	}
	s.queue.order()
	for budget > 0 && room >= found.least && len(s.queue) > 0 {
		t := &c.tracks[s.queue.next()]
		if bits := w.bits(t); bits <= room {
			room -= bits
			budget--
			found.n--
			t.choose()
		}
	}
	c.stats.Deferred += uint64(found.n)
	return removals
}

// room returns how many bits a snapshot may have.
func (c *Client) room() uint64 {
	bytes := c.maxPayload - kindBytes
	if c.version2 {
		bytes -= tsync.ClockBytes
	}
	return 8 * uint64(bytes)
}

func (t *track) choose() {
	t.plan |= planChosen
	t.weight, t.waited = 0, 0
}

// write appends the snapshot and keeps what the client will know.
func (c *Client) write(dst []byte, id uint32, base *state, removals int) []byte {
	w, s := c.world, &c.scratch
	next := c.states.add(id, w.config.Ring)
	next.tick = w.frame.tick

	if c.version2 {
		var err error
		clock := tsync.Clock{Epoch: w.config.Epoch, Tick: w.frame.tick, Rate: uint16(w.config.Hello.SimRate)}
		if dst, err = tsync.AppendClock(dst, clock); err != nil {
			panic("server: clock of a validated configuration: " + err.Error())
		}
	}
	s.writer.Begin(w.codec, dst, tsync.SnapshotHeader{
		Tick: uint32(w.frame.tick), ID: id, Base: base.id, SendRate: c.rate,
	})
	c.writeRemovals(base, removals)
	left := s.removed[removals:]
	for i := range c.tracks {
		t := &c.tracks[i]
		for len(left) > 0 && base.objects[left[0]].id < t.id {
			next.carry(base, left[0])
			left = left[1:]
		}
		switch {
		case t.plan&planChosen != 0:
			c.writeUpdate(t, next)
		case t.base >= 0:
			next.carry(base, t.base)
		}
	}
	for _, b := range left {
		next.carry(base, b)
	}
	return s.writer.Bytes()
}

// writeRemovals writes the ids that the client is to forget, in ascending order.
func (c *Client) writeRemovals(base *state, removals int) {
	s := &c.scratch
	gone := s.removed[:removals]
	for i := range c.tracks {
		t := &c.tracks[i]
		if t.plan != planAnew|planChosen {
			continue
		}
		for len(gone) > 0 && gone[0] < t.base {
			c.writeRemoval(base.objects[gone[0]].id)
			gone = gone[1:]
		}
		c.writeRemoval(t.id)
	}
	for _, b := range gone {
		c.writeRemoval(base.objects[b].id)
	}
	c.stats.Removals += uint64(removals)
}

func (c *Client) writeRemoval(id uint32) {
	if err := c.scratch.writer.Remove(id); err != nil {
		panic("server: more removals than there is room for: " + err.Error())
	}
}

// writeUpdate writes what a track plans and notes that the client will know it.
func (c *Client) writeUpdate(t *track, next *state) {
	w, s := c.world, &c.scratch
	l := &w.frame.objects[t.place]
	u := &s.update
	u.Object, u.Gen, u.Fields, u.InputSeq = t.id, l.gen, t.fields, l.inputSeq
	l.codes.widen(&u.Codes)
	if err := s.writer.Add(u); err != nil {
		panic("server: an update that has no encoding: " + err.Error())
	}
	next.objects = append(next.objects, known{id: t.id, gen: l.gen, velocity: l.velocity, codes: l.codes})
	if w.config.Reference {
		next.exact = append(next.exact, w.frame.exact[t.place])
	}
	c.stats.Updates++
}

// carry takes over an object of the base that the client hears nothing of.
func (s *state) carry(base *state, b int32) {
	s.objects = append(s.objects, base.objects[b])
	if len(base.exact) > 0 {
		s.exact = append(s.exact, base.exact[b])
	}
}

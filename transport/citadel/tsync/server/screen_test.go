package server

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// screen is a client that takes snapshots as the format wants it, and knows nothing of how the server makes them.
type screen struct {
	t       testing.TB
	codec   *tsync.Codec
	last    uint32
	held    map[uint32]map[uint32]Latched // by snapshot, then by object
	order   []uint32
	keep    int
	window  baseline.Window[uint32]
	inputs  map[uint32]uint32 // acknowledged inputs by object
	snap    tsync.Snapshot
	applied int
	stale   int
	missing int // bases
	fulls   int
}

func newScreen(t testing.TB, w *World) *screen {
	return &screen{
		t: t, codec: w.Codec(), keep: DefaultRing,
		held: map[uint32]map[uint32]Latched{}, inputs: map[uint32]uint32{},
	}
}

// apply takes a body and reports whether it changed the screen.
func (s *screen) apply(body []byte) bool {
	require.LessOrEqual(s.t, len(body), tsync.MaxSnapshotBytes)
	require.NoError(s.t, s.codec.ParseSnapshot(body, &s.snap))
	if s.snap.ID <= s.last {
		s.stale++
		return false
	}
	base, ok := s.held[s.snap.Base]
	if s.snap.Base != 0 && !ok {
		s.missing++
		return false
	}
	objects := maps.Clone(base)
	if objects == nil {
		objects = map[uint32]Latched{}
		s.fulls++
	}
	for _, id := range s.snap.Removed {
		require.Contains(s.t, objects, id, "removal of what the base does not have")
		delete(objects, id)
	}
	for _, u := range s.snap.Updates {
		s.update(objects, &u)
	}
	s.last = s.snap.ID
	s.window.Add(s.last)
	s.held[s.last] = objects
	if s.order = append(s.order, s.last); len(s.order) > s.keep {
		delete(s.held, s.order[0])
		s.order = s.order[1:]
	}
	s.applied++
	return true
}

func (s *screen) update(objects map[uint32]Latched, u *tsync.Update) {
	o, ok := objects[u.Object]
	if !ok || o.Gen != u.Gen {
		const full = tsync.FieldPosition | tsync.FieldRotation
		require.Equal(s.t, full, u.Fields&full, "a new object without position or rotation")
		o = Latched{ID: u.Object, Gen: u.Gen}
	}
	o.Codes.Merge(&u.Codes, u.Fields)
	o.ReplicateVelocity = o.ReplicateVelocity || u.Fields&tsync.FieldVelocity != 0
	objects[u.Object] = o
	if u.Fields&tsync.FieldInputSeq != 0 {
		s.inputs[u.Object] = u.InputSeq
	}
}

// now returns what is on the screen.
func (s *screen) now() map[uint32]Latched { return s.held[s.last] }

// ack returns the body of an acknowledgement.
func (s *screen) ack() []byte {
	id, history := s.window.Wire()
	return tsync.AppendAck(nil, tsync.Ack{ID: id, History: history})
}

// knownBy collects what the server says the client knows.
func knownBy(c *Client, snapshot uint32) map[uint32]Latched {
	m := map[uint32]Latched{}
	for o := range c.Known(snapshot) {
		m[o.ID] = o
	}
	return m
}

// frameOf collects what a client that is up to date knows.
func frameOf(w *World, c *Client) map[uint32]Latched {
	m := map[uint32]Latched{}
	for _, id := range c.view.IDs() {
		o, ok := w.Latched(id)
		if !ok {
			panic("an object in view that is not in the frame")
		}
		m[id] = o
	}
	return m
}

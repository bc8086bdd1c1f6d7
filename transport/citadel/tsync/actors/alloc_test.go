package actors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/actors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func objectAt(id uint32) server.Object {
	return server.Object{ID: id, Role: tsync.StaticReplicated}
}

func TestStatesDoNotAllocate(t *testing.T) {
	s := newStage(t, actors.Config{})
	s.join(1)
	a, b := s.announce(1, relayed, at(0)), s.announce(1, predicted, at(0))
	good := wire.AppendState(nil, wire.State{Object: a, Transform: at(1)})
	bad := wire.AppendState(nil, wire.State{Object: a})
	refused := wire.AppendState(nil, wire.State{Object: b, Transform: at(1)})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if s.actors.State(1, good) != nil || s.actors.State(1, bad) == nil || s.actors.State(1, refused) == nil ||
			s.actors.State(1, good[:9]) == nil {
			t.Error("a verdict has changed")
		}
	}))
}

func BenchmarkState(b *testing.B) {
	b.ReportAllocs()
	s := newStage(b, actors.Config{})
	s.join(1)
	body := wire.AppendState(nil, wire.State{Object: s.announce(1, relayed, at(0)), Transform: at(1)})
	for b.Loop() {
		if err := s.actors.State(1, body); err != nil {
			b.Fatal(err)
		}
	}
}

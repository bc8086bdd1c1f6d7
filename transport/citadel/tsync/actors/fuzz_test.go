package actors_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/actors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// FuzzClients lets two clients send bodies, each with the sender and the kind in one byte and the length in another.
// Whatever they send, actors stay within bounds, with numbers and in the hands of those who announced them.
func FuzzClients(f *testing.F) {
	message := func(to []byte, who, kind byte, body []byte) []byte {
		return append(append(to, who|kind<<1, byte(len(body))), body...)
	}
	presence := func(archetype uint16) []byte {
		return wire.AppendPresence(nil, wire.Presence{Archetype: archetype, Transform: at(1)})
	}
	state := func(object uint32, t wire.Transform) []byte {
		return wire.AppendState(nil, wire.State{Object: object, Transform: t})
	}
	b := message(nil, 0, 0, presence(relayed))
	b = message(b, 1, 0, presence(predicted))
	b = message(b, 0, 1, state(actors.DefaultFirstObject, at(2)))
	b = message(b, 1, 1, state(actors.DefaultFirstObject, at(3)))
	b = message(b, 1, 1, state(actors.DefaultFirstObject+1, at(3)))
	f.Add(b)
	f.Add(message(message(nil, 0, 0, presence(relayed)), 0, 1, state(actors.DefaultFirstObject, wire.Transform{Velocity: [3]float32{nan}})))
	f.Add(message(nil, 0, 0, presence(relayed)[:7]))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := newStage(t, actors.Config{MaxPerClient: 2, MaxActors: 3})
		s.join(1)
		s.join(2)
		for len(b) >= 2 {
			who, kind, n := uint64(b[0]&1)+1, b[0]>>1&1, min(int(b[1]), len(b)-2)
			body := b[2 : 2+n]
			b = b[2+n:]
			if kind == 0 {
				_ = s.actors.Presence(who, body)
				continue
			}
			if s.actors.State(who, body) == nil {
				spawn, ok := s.actors.Actor(binary.BigEndian.Uint32(body))
				require.True(t, ok)
				require.Equal(t, who, spawn.Owner)
				require.NotEqual(t, uint16(predicted), spawn.Archetype)
			}
		}
		all := []uint32{}
		for spawn := range s.actors.All() {
			all = append(all, spawn.Object)
			require.True(t, motion.Finite((*tsync.State)(&spawn.Transform)))
		}
		require.LessOrEqual(t, len(all), 3)
		require.Equal(t, s.world.Len(), len(all))
		for _, p := range s.players {
			if len(p.own) > 0 {
				require.Equal(t, all, p.objects())
			}
		}
		s.leave(1)
		s.leave(2)
		require.Zero(t, s.world.Len())
	})
}

package server

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// TestPayloadOfAClient bounds the snapshots of one client and not of another.
func TestPayloadOfAClient(t *testing.T) {
	const most = 600
	w := newWorld(t, Config{Budget: -1, MaxPayload: most})
	for id := range uint32(100) {
		spawn(t, w, moving(id))
	}
	one, other := join(t, w, 1), join(t, w, 2)
	for _, tc := range []struct{ bytes, least, most int }{
		{300, 270, 300},
		{most + 1000, most - 30, most}, // never above the configuration
		{1, leastPayload - 50, leastPayload},
		{-5, leastPayload - 50, leastPayload},
		{0, most - 30, most},
	} {
		one.SetMaxPayload(tc.bytes)
		w.Tick()
		size := len(build(t, one)) + kindBytes
		require.LessOrEqual(t, size, tc.most, "SetMaxPayload(%d)", tc.bytes)
		require.GreaterOrEqual(t, size, tc.least, "SetMaxPayload(%d)", tc.bytes)
		require.Greater(t, len(build(t, other))+kindBytes, most-30)
	}
}

// TestLeastPayloadStarvesNobody tells everybody of everything in the smallest snapshots that there are.
func TestLeastPayloadStarvesNobody(t *testing.T) {
	w := newWorld(t, Config{})
	const objects = 30
	for id := range uint32(objects) {
		spawn(t, w, moving(id))
	}
	c, s := join(t, w, 1), newScreen(t, w)
	c.SetMaxPayload(1)
	for range 4 * objects {
		w.Tick()
		if body := build(t, c); len(body) > 0 {
			require.True(t, s.apply(body))
			require.NoError(t, c.Ack(s.ack()))
		}
	}
	require.Len(t, s.now(), objects)
}

// TestRewindsAreBounded fires and never asks what was hit.
func TestRewindsAreBounded(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	c := join(t, w, 5)
	o, _ := w.Object(1)
	const shots = 2000
	for seq := uint32(1); seq <= shots; seq++ {
		w.Tick()
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{
			Seq: seq, Object: 1, OwnershipEpoch: o.OwnershipEpoch, Fire: true, Direction: [3]float32{1, 0, 0},
		}}})))
		require.LessOrEqual(t, len(c.rewinds), c.mostRewinds())
	}
	require.EqualValues(t, shots, c.Stats().Inputs)
	kept := c.Rewinds()
	require.Len(t, kept, c.mostRewinds())
	for i, r := range kept {
		require.EqualValues(t, shots-len(kept)+1+i, r.InputSeq, "the newest, in order")
	}
	require.Empty(t, c.Rewinds())
}

// TestRolesAreBounded has objects come, change hands and go, and asks seldom or never what that is to a client.
func TestRolesAreBounded(t *testing.T) {
	const objects = 20
	w := newWorld(t, Config{MaxObjects: 400, Tombstones: 4})
	c := join(t, w, 1)
	for i := range 100_000 {
		id := uint32(i % objects)
		if i%3000 > 2000 {
			id = uint32(i) // one of its own each
		}
		if i%7 == 0 || w.Len() == 400 {
			for _, p := range w.objects {
				w.Despawn(p.ID)
			}
		}
		spawn(t, w, Object{ID: id, Role: tsync.OwnerPredicted, Owner: uint64(i%2 + 1)})
		require.LessOrEqual(t, len(c.roles), max(leastRoles, 2*2*400))
	}
	require.NotEmpty(t, c.Roles())
	require.Empty(t, c.Roles())
}

// TestOvertakenRolesSayNothing compares a client that is told everything with one that is told what is left.
func TestOvertakenRolesSayNothing(t *testing.T) {
	dropped := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := newWorld(t, Config{})
		c := join(t, w, 1)
		all, some := newListener(t, w), newListener(t, w)
		for range 4 { // times that roles are asked for
			for range r.IntN(40) {
				id := r.Uint32N(3)
				switch r.IntN(6) {
				case 0:
					w.Despawn(id)
				case 1:
					spawn(t, w, Object{ID: id, Role: tsync.ServerSimulated})
				case 2:
					spawn(t, w, Object{ID: id, Role: tsync.OwnerPredicted, Owner: r.Uint64N(3)})
				case 3:
					_, _ = w.AssignOwner(id, r.Uint64N(3)) // not all of them live
				case 4:
					require.NoError(t, c.Look([3]float32{float32(r.IntN(2)) * 1e7, 0, 0}))
				default:
					w.Tick()
					build(t, c)
				}
			}
			roles := c.Roles()
			for _, role := range roles {
				all.hear(role)
			}
			left := overtaken(append([]tsync.Role(nil), roles...))
			dropped += len(roles) - len(left)
			require.LessOrEqual(t, len(left), 2*3)
			for _, role := range left {
				some.hear(role)
			}
			require.Equal(t, all.Participant(), some.Participant(), "seed %d", seed)
			require.Equal(t, all.AppendOwned(nil), some.AppendOwned(nil), "seed %d", seed)
			for id := range uint32(3) {
				wantRole, wantOK := all.Role(id)
				role, ok := some.Role(id)
				wantRole.Event, role.Event = 0, 0
				require.Equal(t, wantOK, ok, "seed %d, object %d", seed, id)
				require.Equal(t, wantRole, role, "seed %d", seed)
			}
		}
	}
	require.NotZero(t, dropped)
}

// listener is a client that hears of roles.
type listener struct {
	*client.Client
	t *testing.T
}

func newListener(t *testing.T, w *World) listener {
	c, err := client.New(client.Config{MaxOwned: 10})
	require.NoError(t, err)
	_, err = c.Receive(wire.KindTsyncHello, tsync.AppendHello(nil, w.Codec().Hello()))
	require.NoError(t, err)
	return listener{c, t}
}

func (l listener) hear(r tsync.Role) {
	_, err := l.Receive(wire.KindTsyncRole, tsync.AppendRole(nil, r))
	require.NoError(l.t, err)
}

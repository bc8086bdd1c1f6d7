package client_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// player is a client and what a server says to it.
type player struct {
	*client.Client
	t     testing.TB
	codec *tsync.Codec
	id    uint32 // of the last snapshot
	tick  uint32
}

func newPlayer(t testing.TB, cfg client.Config) *player {
	t.Helper()
	c, err := client.New(cfg)
	require.NoError(t, err)
	p := &player{Client: c, t: t, codec: newCodec(t, tsync.DefaultHello())}
	ev := p.receive(wire.KindTsyncHello, tsync.AppendHello(nil, tsync.DefaultHello()))
	require.Equal(t, client.Welcome{Hello: tsync.DefaultHello()}, ev)
	return p
}

func (p *player) receive(kind wire.Kind, body []byte) client.Event {
	p.t.Helper()
	ev, err := p.Receive(kind, body)
	require.NoError(p.t, err)
	return ev
}

// role gives or takes object 1 and reports whether the client noticed.
func (p *player) role(r tsync.Role) bool {
	p.t.Helper()
	if r.Object == 0 {
		r.Object = 1
	}
	ev := p.receive(wire.KindTsyncRole, tsync.AppendRole(nil, r))
	if ev == nil {
		return false
	}
	require.Equal(p.t, r, ev.(client.RoleChanged).Role)
	return true
}

// mine is a role that gives object 1 to participant 9.
func mine(epoch uint32, gen uint16) tsync.Role {
	return tsync.Role{Object: 1, Role: tsync.OwnerPredicted, Owner: 9, OwnershipEpoch: epoch, Gen: gen}
}

// snapshot says a complete state of object 1, after an input of its owner.
func (p *player) snapshot(gen uint16, s tsync.State, ack uint32) {
	p.t.Helper()
	u := update(p.codec, 1, gen, whole|tsync.FieldInputSeq, s)
	u.InputSeq = ack
	p.updates(u)
}

func (p *player) updates(updates ...tsync.Update) {
	p.t.Helper()
	p.id++
	p.tick += 3
	p.receive(wire.KindTsyncSnapshot, encode(p.t, p.codec, tsync.Snapshot{Tick: p.tick, ID: p.id, Updates: updates}))
}

func (p *player) push(vx float32) uint32 {
	p.t.Helper()
	seq, err := p.Push(1, &client.Input{Move: [3]float32{vx, 0, 0}, DT: 1})
	require.NoError(p.t, err)
	return seq
}

func (p *player) x() float32 {
	p.t.Helper()
	s, _, ok := p.Predicted(1)
	require.True(p.t, ok)
	return s.Position[0]
}

func TestOpening(t *testing.T) {
	c, err := client.New(client.Config{})
	require.NoError(t, err)
	require.Equal(t, []client.Frame{{Kind: wire.KindTsyncHello}}, c.Flush())
	require.Empty(t, c.Flush())
	require.Nil(t, c.View())
	_, err = c.Receive(wire.KindTsyncSnapshot, []byte{1, 2, 3})
	require.NoError(t, err, "a datagram may be faster than the hello")
	require.EqualValues(t, 1, c.Stats().Early)
	_, ok := c.Advance(1)
	require.False(t, ok)
	require.Empty(t, c.AppendPoses(nil))
	require.NoError(t, c.ResetEpoch(1))
	_, err = c.Push(1, &client.Input{})
	require.ErrorIs(t, err, client.ErrNotOwned)
	require.Zero(t, c.Pending(1))

	for _, kind := range []wire.Kind{wire.KindTsyncInput, wire.KindTsyncAck, wire.KindTsyncV2Input, wire.KindAuth, 999} {
		_, err := c.Receive(kind, nil)
		require.ErrorIs(t, err, client.ErrKind)
	}
	for _, kind := range []wire.Kind{wire.KindTsyncHello, wire.KindTsyncRole, wire.KindTsyncRewind, wire.KindTsyncV2Hello} {
		_, err := c.Receive(kind, []byte{1})
		require.True(t, isAny(err, wire.ErrTooShort, wire.ErrCount), "%v", err)
	}
	require.EqualValues(t, 9, c.Stats().Refused)
	for _, cfg := range []client.Config{{MaxOwned: -1}, {Sender: client.SenderConfig{Redundancy: 99}}} {
		_, err := client.New(cfg)
		require.ErrorIs(t, err, client.ErrConfig)
	}
}

func TestPredictionOfAnObjectOfItsOwn(t *testing.T) {
	p := newPlayer(t, client.Config{})
	require.True(t, p.role(mine(1, 0)))
	require.EqualValues(t, 9, p.Participant(), "learnt from the role")
	_, err := p.Push(1, &client.Input{})
	require.ErrorIs(t, err, client.ErrNotOwned, "nobody knows where it is")
	p.snapshot(0, at(100), 0)

	for n := uint32(1); n <= 5; n++ {
		require.Equal(t, n, p.push(10))
	}
	require.Equal(t, float32(150), p.x())
	p.snapshot(0, moving(120, 10), 2)
	require.Equal(t, float32(150), p.x(), "the server agrees")
	require.Equal(t, 3, p.Pending(1))
	require.Zero(t, p.Stats().Corrections)

	p.snapshot(0, moving(90, 10), 3) // it met an obstacle
	require.Equal(t, float32(110), p.x())
	_, shown, _ := p.Predicted(1)
	require.Equal(t, float32(150), shown.Position[0])
	require.EqualValues(t, 1, p.Stats().Corrections)
	require.Equal(t, float32(40), p.Stats().LastCorrection)
	for range 120 {
		p.Advance(1.0 / 60)
	}
	_, shown, _ = p.Predicted(1)
	require.InDelta(t, 110, shown.Position[0], 0.2)

	// Its pose is the prediction; a snapshot that does not tell of it changes nothing.
	p.updates(update(p.codec, 1, 0, whole, at(0)), update(p.codec, 2, 0, whole, at(7)))
	require.Equal(t, float32(110), p.x())
	poses := p.AppendPoses(nil)
	require.Len(t, poses, 2)
	require.True(t, poses[0].Predicted)
	require.Equal(t, shown, poses[0].State)
	require.False(t, poses[1].Predicted)
	require.Equal(t, []uint32{1}, p.AppendOwned(nil))
}

func TestFlush(t *testing.T) {
	p := newPlayer(t, client.Config{Participant: 9})
	require.Len(t, p.Flush(), 1)
	require.True(t, p.role(mine(4, 2)))
	p.snapshot(2, at(0), 0)
	frames := p.Flush()
	require.Len(t, frames, 1)
	require.Equal(t, wire.KindTsyncAck, frames[0].Kind)
	require.Equal(t, tsync.AppendAck(nil, tsync.Ack{ID: 1}), frames[0].Body)
	require.Empty(t, p.Flush())

	p.push(1)
	p.push(2)
	p.snapshot(2, at(0), 0)
	frames = p.Flush()
	require.Len(t, frames, 2)
	require.Equal(t, wire.KindTsyncInput, frames[0].Kind)
	var in tsync.Input
	require.NoError(t, tsync.ParseInput(frames[0].Body, &in))
	require.EqualValues(t, 2, in.Acked)
	require.EqualValues(t, 2, in.LastSeen)
	require.Len(t, in.Frames, 2)
	require.EqualValues(t, 1, in.Frames[0].Object)
	require.EqualValues(t, 4, in.Frames[0].OwnershipEpoch)
	require.Equal(t, tsync.AppendAck(nil, tsync.Ack{ID: 2, History: 1}), frames[1].Body)
	require.Len(t, p.Flush(), 1, "again, until it is acknowledged")
	p.snapshot(2, moving(3, 2), 2)
	require.Len(t, p.Flush(), 1, "only the snapshot is left to acknowledge")

	// A snapshot without a base makes the client say which bases it has.
	p.receive(wire.KindTsyncSnapshot, encode(t, p.codec, tsync.Snapshot{Tick: 50, ID: 9, Base: 8}))
	frames = p.Flush()
	require.Len(t, frames, 1)
	require.Equal(t, tsync.AppendAck(nil, tsync.Ack{ID: 3, History: 3}), frames[0].Body)
}

func TestVersion2(t *testing.T) {
	p := newPlayer(t, client.Config{Version2: true})
	frames := p.Flush()
	require.Len(t, frames, 2)
	require.Equal(t, wire.KindTsyncHello, frames[0].Kind)
	require.Equal(t, wire.KindTsyncV2Hello, frames[1].Kind)
	require.Equal(t, tsync.AppendManifest(nil, tsync.DefaultManifest()), frames[1].Body)
	p.receive(wire.KindTsyncV2Hello, tsync.AppendManifest(nil, tsync.DefaultManifest()))
	p.role(mine(1, 0))
	p.snapshot(0, at(0), 0) // of version 1, so that there is no clock
	p.push(1)
	frames = p.Flush()
	require.Len(t, frames, 1)
	require.Equal(t, wire.KindTsyncAck, frames[0].Kind)

	body, err := p.codec.AppendSnapshotV2(nil, &tsync.SnapshotV2{
		Clock:    tsync.Clock{Epoch: 5, Tick: 77, Rate: 60},
		Snapshot: tsync.Snapshot{Tick: 6, ID: 2, Base: 1, SendRate: 20},
	})
	require.NoError(t, err)
	p.receive(wire.KindTsyncV2Snapshot, body)
	frames = p.Flush()
	require.Equal(t, wire.KindTsyncV2Input, frames[0].Kind)
	var in tsync.InputV2
	require.NoError(t, tsync.ParseInputV2(frames[0].Body, &in))
	require.EqualValues(t, 5, in.Epoch)
	require.EqualValues(t, 77, in.LastObservedTick)
	require.Len(t, in.Input.Frames, 1)

	require.ErrorIs(t, p.ResetEpoch(0), client.ErrEpoch)
	require.NoError(t, p.ResetEpoch(6))
	_, _, ok := p.Predicted(1)
	require.False(t, ok)
	require.Empty(t, p.AppendPoses(nil))

	// A client that did not offer it does not speak it.
	q := newPlayer(t, client.Config{})
	q.receive(wire.KindTsyncV2Hello, tsync.AppendManifest(nil, tsync.DefaultManifest()))
	q.role(mine(1, 0))
	q.snapshot(0, at(0), 0)
	q.push(1)
	q.Flush()
	require.Equal(t, wire.KindTsyncInput, q.Flush()[0].Kind)
}

func TestRoles(t *testing.T) {
	other := mine(2, 0)
	other.Owner, other.Role, other.Event = 8, tsync.RemoteInterpolated, tsync.RoleHandoff
	back := mine(3, 0)
	back.Event = tsync.RoleHandoff
	revoked := tsync.Role{Object: 1, Role: tsync.ServerSimulated, OwnershipEpoch: 2, Event: tsync.RoleAssign}
	left := mine(1, 0)
	left.Event = tsync.RoleExit
	entered := mine(1, 0)
	entered.Event = tsync.RoleEnter
	gone := tsync.Role{Object: 1, Role: tsync.StaticReplicated, Event: tsync.RoleExit}
	givenAway := other
	givenAway.Event = tsync.RoleExit

	for _, c := range []struct {
		name    string
		roles   []tsync.Role
		news    []bool
		owned   bool
		pending int // of two inputs that were pushed before
		next    uint32
	}{
		{"the same again", []tsync.Role{mine(1, 0), entered}, []bool{false, false}, true, 2, 3},
		{"handed to somebody else", []tsync.Role{other}, []bool{true}, false, 0, 0},
		{"handed over and back", []tsync.Role{other, back}, []bool{true, true}, true, 0, 1},
		{"the same out of order", []tsync.Role{back, other}, []bool{true, false}, true, 0, 1},
		{"revoked", []tsync.Role{revoked}, []bool{true}, false, 0, 0},
		{"revoked, and the assignment again", []tsync.Role{revoked, mine(1, 0)}, []bool{true, false}, false, 0, 0},
		{"assigned anew", []tsync.Role{mine(2, 0)}, []bool{true}, true, 0, 1},
		{"an earlier epoch", []tsync.Role{mine(0, 0)}, []bool{false}, true, 2, 3},
		{"put somewhere else", []tsync.Role{mine(1, 1)}, []bool{true}, true, 2, 3},
		{"another life", []tsync.Role{mine(0, 1)}, []bool{true}, true, 0, 1},
		{"another life, then the old one", []tsync.Role{mine(0, 1), mine(5, 0)}, []bool{true, false}, true, 0, 1},
		{"out of view and back", []tsync.Role{left, left, entered}, []bool{true, false, true}, true, 2, 3},
		{"given away while out of view", []tsync.Role{left, givenAway, givenAway}, []bool{true, true, false}, false, 0, 0},
		{"despawned", []tsync.Role{gone, gone}, []bool{true, false}, false, 0, 0},
		{"despawned and assigned again", []tsync.Role{gone, mine(1, 1)}, []bool{true, true}, true, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlayer(t, client.Config{})
			require.True(t, p.role(mine(1, 0)))
			p.snapshot(0, at(0), 0)
			p.push(1)
			p.push(1)
			for i, r := range c.roles {
				require.Equal(t, c.news[i], p.role(r), "role %d", i)
			}
			require.Equal(t, c.pending, p.Pending(1))
			if !c.owned {
				require.Empty(t, p.AppendOwned(nil))
				_, err := p.Push(1, &client.Input{})
				require.ErrorIs(t, err, client.ErrNotOwned)
				return
			}
			require.Equal(t, []uint32{1}, p.AppendOwned(nil))
			known, ok := p.Role(1)
			require.True(t, ok)
			p.snapshot(known.Gen, at(0), 0)
			require.Equal(t, c.next, p.push(1))
		})
	}
}

// A snapshot from before an assignment may come after it. What it acknowledges are inputs of the earlier ownership,
// and dropping those of the present one would make the server wait for ever.
func TestLateAcknowledgementOfAnEarlierOwnership(t *testing.T) {
	p := newPlayer(t, client.Config{})
	p.role(mine(1, 0))
	p.snapshot(0, at(0), 0)
	for range 4 {
		p.push(1)
	}
	p.snapshot(0, at(2), 2)
	taken := mine(2, 0)
	taken.Owner, taken.Role = 8, tsync.RemoteInterpolated
	p.role(taken)
	p.role(mine(3, 0))
	p.snapshot(0, at(2), 2)
	for range 6 {
		p.push(1)
	}
	p.snapshot(0, at(4), 4)
	require.Equal(t, 6, p.Pending(1), "from before the assignment")
	p.snapshot(0, at(4), 0)
	p.snapshot(0, at(7), 3)
	require.Equal(t, 3, p.Pending(1))

	// Without a sign the doubt ends when no snapshot can be that late.
	p.role(mine(4, 0))
	p.snapshot(0, at(0), 5)
	for range 6 {
		p.push(1)
	}
	p.snapshot(0, at(0), 5)
	require.Equal(t, 6, p.Pending(1))
	p.tick += 200
	p.snapshot(0, at(0), 5)
	require.Equal(t, 1, p.Pending(1))
}

func TestForgedAcknowledgement(t *testing.T) {
	p := newPlayer(t, client.Config{})
	p.role(mine(1, 0))
	p.snapshot(0, at(0), 0)
	p.push(5)
	for _, forged := range []uint32{2, 3, math.MaxUint32} {
		p.snapshot(0, at(0), forged)
	}
	require.EqualValues(t, 3, p.Stats().UnknownAcks)
	require.Equal(t, 1, p.Pending(1))
	require.Equal(t, float32(5), p.x())
	p.snapshot(0, at(5), 1)
	require.Zero(t, p.Pending(1))
}

// The client's own object is put somewhere else, in another life: the snapshots of the old life do not count, and
// nothing glides.
func TestRespawnOfAnObjectOfItsOwn(t *testing.T) {
	p := newPlayer(t, client.Config{})
	p.role(mine(1, 5))
	p.snapshot(4, at(0), 0)
	_, err := p.Push(1, &client.Input{})
	require.ErrorIs(t, err, client.ErrNotOwned, "a life that is over")
	p.snapshot(5, at(100), 0)
	p.push(1)
	p.snapshot(6, at(250), 1)
	require.Equal(t, float32(250), p.x())
	state, shown, _ := p.Predicted(1)
	require.Equal(t, state, shown, "no smoothing")
	p.role(mine(1, 6))
	require.EqualValues(t, 2, p.push(1), "the role of the life that the snapshots told of already")

	p.updates()
	_, _, ok := p.Predicted(1)
	require.False(t, ok, "out of view")
	p.snapshot(6, at(300), 2)
	require.Equal(t, float32(300), p.x())
}

// A server that says by another life that it moved the object somewhere else goes on counting inputs; one whose epochs
// begin anew with a life does not. Both call it the same epoch.
func TestAnotherLifeInTheSameEpoch(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		p := newPlayer(t, client.Config{})
		p.role(mine(1, 0))
		p.snapshot(0, at(0), 0)
		p.push(1)
		p.push(1)
		p.snapshot(0, moving(1, 1), 1)
		p.role(mine(1, 1))
		p.snapshot(0, moving(1, 1), 1)
		require.EqualValues(t, 3, p.push(1), "the snapshot is of the old life, but the player plays on")
		require.Equal(t, float32(3), p.x())
		if forgets {
			p.snapshot(1, at(500), 0)
			require.Zero(t, p.Pending(1))
			require.Equal(t, float32(500), p.x())
			require.EqualValues(t, 1, p.push(1))
			p.snapshot(1, at(501), 1)
			require.Zero(t, p.Pending(1))
		} else {
			p.snapshot(1, moving(501, 1), 2)
			require.Equal(t, 1, p.Pending(1))
			require.Equal(t, float32(502), p.x())
			require.EqualValues(t, 4, p.push(1))
		}
		state, shown, _ := p.Predicted(1)
		require.Equal(t, state, shown)
	}
}

func TestOwnedAreBounded(t *testing.T) {
	p := newPlayer(t, client.Config{MaxOwned: 2})
	give := func(object uint32) error {
		r := mine(1, 0)
		r.Object = object
		_, err := p.Receive(wire.KindTsyncRole, tsync.AppendRole(nil, r))
		return err
	}
	require.NoError(t, give(1))
	require.NoError(t, give(2))
	p.updates(update(p.codec, 1, 0, full, at(1)), update(p.codec, 2, 0, full, at(2)))
	require.ErrorIs(t, give(3), client.ErrOwned)
	_, ok := p.Role(3)
	require.False(t, ok)
	p.updates(update(p.codec, 1, 0, full, at(1)))
	require.NoError(t, give(3))
	require.Equal(t, []uint32{1, 3}, p.AppendOwned(nil), "what is out of view made room")
	require.NoError(t, give(2))
	require.Equal(t, []uint32{1, 2}, p.AppendOwned(nil))

	q := newPlayer(t, client.Config{View: client.ViewConfig{MaxObjects: 2}})
	remote := tsync.Role{Role: tsync.RemoteInterpolated, Owner: 5, Event: tsync.RoleEnter}
	for object := uint32(1); object <= 3; object++ {
		remote.Object = object
		_, err := q.Receive(wire.KindTsyncRole, tsync.AppendRole(nil, remote))
		require.Equal(t, object == 3, isAny(err, client.ErrObjects))
	}
	exit := tsync.Role{Object: 1, Role: tsync.StaticReplicated, Event: tsync.RoleExit}
	require.True(t, q.role(exit))
	require.True(t, q.role(remote), "there is room again")
}

func TestShots(t *testing.T) {
	p := newPlayer(t, client.Config{})
	p.role(mine(1, 0))
	p.snapshot(0, at(0), 0)
	seq, err := p.Push(1, &client.Input{Fire: true, Direction: [3]float32{1, 0, 0}})
	require.NoError(t, err)
	result := tsync.Rewind{InputSeq: seq, Hit: true, Object: 2, HitPoint: [3]float32{1, 2, 3}, RewindTick: 1}
	require.Equal(t, client.ShotResolved{Rewind: result}, p.receive(wire.KindTsyncRewind, tsync.AppendRewind(nil, result)))
	result.HitPoint[1] = nan
	_, err = p.Receive(wire.KindTsyncRewind, tsync.AppendRewind(nil, result))
	require.ErrorIs(t, err, client.ErrNotFinite)
	_, err = p.Push(1, &client.Input{Fire: true, Direction: [3]float32{nan, 0, 0}})
	require.ErrorIs(t, err, client.ErrNotFinite)
	require.Equal(t, 1, p.Pending(1))
}

func TestAnotherHelloIsAnotherWorld(t *testing.T) {
	p := newPlayer(t, client.Config{})
	p.role(mine(1, 0))
	p.snapshot(0, at(0), 0)
	p.push(1)
	require.Nil(t, p.receive(wire.KindTsyncHello, tsync.AppendHello(nil, tsync.DefaultHello())), "the same again")
	require.Equal(t, 1, p.View().Len())

	h := tsync.DefaultHello()
	h.SimRate = 30
	require.Equal(t, client.Welcome{Hello: h}, p.receive(wire.KindTsyncHello, tsync.AppendHello(nil, h)))
	require.Zero(t, p.View().Len())
	require.Zero(t, p.Participant())
	require.Empty(t, p.AppendOwned(nil))
	_, known := p.Role(1)
	require.False(t, known)
}

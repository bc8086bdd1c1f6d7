package server

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestHelloIsAnswered(t *testing.T) {
	h := tsync.DefaultHello()
	h.SendRate = 30
	w := newWorld(t, Config{Hello: h})
	_, err := w.Join(5, []byte{0})
	require.ErrorIs(t, err, ErrNotOptIn)
	_, err = w.Join(0, nil)
	require.ErrorIs(t, err, ErrParticipant)
	c := join(t, w, 5)
	_, err = w.Join(5, nil)
	require.ErrorIs(t, err, ErrParticipant)
	for range 2 {
		got, err := tsync.ParseHello(c.AppendHello(nil))
		require.NoError(t, err)
		require.Equal(t, h, got)
	}
	require.Equal(t, []*Client{c}, w.Clients())
	require.EqualValues(t, 5, c.Participant())
	w.Leave(c)
	w.Leave(c)
	require.Empty(t, w.Clients())
	require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: 1})), "what is still on its way does no harm")
}

func TestPlayerSlots(t *testing.T) {
	w := newWorld(t, Config{PlayerSlots: 2, DemoMovers: 5})
	require.Zero(t, w.Len(), "slots take the place of movers")
	a, b, c := join(t, w, 10), join(t, w, 11), join(t, w, 12)
	slot := func(c *Client) uint32 {
		id, ok := c.Slot()
		require.True(t, ok)
		return id
	}
	require.Equal(t, []uint32{1, 2}, []uint32{slot(a), slot(b)})
	_, ok := c.Slot()
	require.False(t, ok, "a spectator")
	require.Equal(t, []tsync.Role{{Object: 1, Role: tsync.OwnerPredicted, Owner: 10}}, a.Roles())
	require.Empty(t, c.Roles())

	w.Tick()
	build(t, c)
	require.Equal(t, []tsync.Role{
		{Object: 1, Role: tsync.RemoteInterpolated, Owner: 10, Event: tsync.RoleEnter},
		{Object: 2, Role: tsync.RemoteInterpolated, Owner: 11, Event: tsync.RoleEnter},
	}, c.Roles())

	w.Leave(a)
	require.Equal(t, 1, w.Len())
	w.Tick()
	build(t, c)
	require.Equal(t, tsync.RoleExit, c.Roles()[0].Event)

	d := join(t, w, 13)
	require.Equal(t, uint32(1), slot(d), "the free one")
	role := d.Roles()[0]
	require.Equal(t, uint16(1), role.Gen, "another life")
	require.Equal(t, uint32(1), role.OwnershipEpoch)
	o, _ := w.Object(1)
	require.Equal(t, sideBySide(1), o.State)
}

func TestSlotsAreFollowed(t *testing.T) {
	far := tsync.State{Position: [3]float32{200_000, 0, 0}}
	w := newWorld(t, Config{
		PlayerSlots: 1, SpawnPoint: func(uint32) tsync.State { return far },
		Radius: interest.Radius{Enter: 1000, Leave: 1000},
	})
	c, s := join(t, w, 5), newScreen(t, w)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Contains(t, s.now(), uint32(1))
	require.NoError(t, c.Look([3]float32{}))
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Empty(t, s.now(), "looks elsewhere")
	c.Follow(1)
	w.Tick()
	require.True(t, s.apply(build(t, c)))
	require.Contains(t, s.now(), uint32(1))
}

func TestDemoMoversGoToAndFro(t *testing.T) {
	w := newWorld(t, Config{DemoMovers: 2})
	var lowest, highest [2]float32
	for range 60 * 12 {
		w.Tick()
		for i := range lowest {
			o, ok := w.Object(uint32(i + 1))
			require.True(t, ok)
			x := o.State.Position[0]
			lowest[i], highest[i] = min(lowest[i], x), max(highest[i], x)
		}
	}
	for i := range lowest {
		require.InDelta(t, -moverReach, lowest[i], 10)
		require.InDelta(t, moverReach, highest[i], 10)
	}
	a, _ := w.Object(1)
	b, _ := w.Object(2)
	require.Equal(t, a.State.Velocity[0], -b.State.Velocity[0])
}

func TestRolesOfAHandoff(t *testing.T) {
	w := newWorld(t, Config{Radius: interest.Radius{Enter: 1000, Leave: 1000}})
	spawn(t, w, still(1))
	a, b, c := join(t, w, 10), join(t, w, 11), join(t, w, 12)
	w.Tick()
	for _, client := range []*Client{a, b, c} {
		build(t, client)
		require.Equal(t, []tsync.Role{{Object: 1, Role: tsync.ServerSimulated, Event: tsync.RoleEnter}}, client.Roles())
		build(t, client)
		require.Empty(t, client.Roles(), "once")
	}
	_, err := w.AssignOwner(1, 10)
	require.NoError(t, err)
	role := tsync.Role{Object: 1, Role: tsync.OwnerPredicted, Owner: 10, OwnershipEpoch: 1, Event: tsync.RoleAssign}
	require.Equal(t, []tsync.Role{role}, a.Roles())
	role.Role = tsync.RemoteInterpolated
	require.Equal(t, []tsync.Role{role}, b.Roles())

	_, err = w.AssignOwner(1, 11)
	require.NoError(t, err)
	role = tsync.Role{Object: 1, Role: tsync.RemoteInterpolated, Owner: 11, OwnershipEpoch: 2, Event: tsync.RoleHandoff}
	require.Equal(t, []tsync.Role{role}, a.Roles(), "the one who loses it")
	role.Role = tsync.OwnerPredicted
	require.Equal(t, []tsync.Role{role}, b.Roles(), "the one who gets it")
	require.Len(t, c.Roles(), 2, "in order")

	_, err = w.AssignOwner(2, 11)
	require.ErrorIs(t, err, ErrObject)

	// Out of view, and back, and somebody else's life in between.
	require.NoError(t, w.SetState(1, tsync.State{Position: [3]float32{200_000, 0, 0}}))
	w.Tick()
	build(t, c)
	require.Equal(t, tsync.RoleExit, c.Roles()[0].Event)
	spawn(t, w, still(1))
	require.Empty(t, c.Roles(), "not its business")
	w.Tick()
	build(t, c)
	require.Equal(t, []tsync.Role{{
		Object: 1, Role: tsync.ServerSimulated, OwnershipEpoch: 3, Gen: 1, Event: tsync.RoleEnter,
	}}, c.Roles())
	spawn(t, w, still(1))
	require.Equal(t, uint16(2), c.Roles()[0].Gen, "a new life in view")
}

func TestOwnersHearOfWhatTheyDoNotSee(t *testing.T) {
	w := newWorld(t, Config{Radius: interest.Radius{Enter: 1000, Leave: 1000}})
	far := Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 10, State: tsync.State{Position: [3]float32{200_000, 0, 0}}}
	a, b := join(t, w, 10), join(t, w, 11)
	expect := func(c *Client, kind tsync.RoleKind, event tsync.RoleEvent) {
		w.Tick()
		build(t, c)
		roles := c.Roles()
		require.Len(t, roles, 1)
		require.Equal(t, []any{kind, event}, []any{roles[0].Role, roles[0].Event})
	}
	spawn(t, w, far)
	expect(a, tsync.OwnerPredicted, tsync.RoleAssign)
	_, err := w.AssignOwner(1, 11)
	require.NoError(t, err)
	expect(a, tsync.RemoteInterpolated, tsync.RoleHandoff)
	expect(b, tsync.OwnerPredicted, tsync.RoleHandoff)
	spawn(t, w, far)
	expect(a, tsync.OwnerPredicted, tsync.RoleAssign)
	expect(b, tsync.RemoteInterpolated, tsync.RoleHandoff)
	w.Despawn(1)
	expect(a, tsync.OwnerPredicted, tsync.RoleExit)
	require.Empty(t, b.Roles())
}

func TestBudgetIsAnUpperBound(t *testing.T) {
	w := newWorld(t, Config{Budget: 4})
	spawn(t, w, moving(1))
	c := join(t, w, 5)
	for range 100 {
		w.Tick()
		build(t, c)
		c.Observe(congestion.Path{RTT: 10}, 0.1)
	}
	require.Equal(t, congestion.Floor, c.Congestion())
	require.Equal(t, 4, c.budget)
}

func TestComingBackBeginsANewEpoch(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	c := join(t, w, 5)
	first := c.Roles()[0].OwnershipEpoch
	in := tsync.Input{Frames: []tsync.InputFrame{{Seq: 1, Object: 1, OwnershipEpoch: first, DT: 0.1, Move: [3]float32{1, 0, 0}}}}
	require.NoError(t, c.Input(tsync.AppendInput(nil, &in)))
	w.Leave(c)
	in.Frames[0].Seq = 2
	require.NoError(t, c.Input(tsync.AppendInput(nil, &in)))
	o, _ := w.Object(1)
	require.EqualValues(t, 1, o.InputSeq, "who has left moves nothing")
	again := join(t, w, 5)
	second := again.Roles()[0].OwnershipEpoch
	require.Greater(t, second, first)
	in.Frames[0].OwnershipEpoch, in.Frames[0].Seq = second, 1
	require.NoError(t, again.Input(tsync.AppendInput(nil, &in)))
	require.EqualValues(t, 1, again.Stats().Inputs, "inputs count from 1 again")

	// To come and go does not give anybody more time.
	for range 50 {
		w.Leave(again)
		again = join(t, w, 5)
		in.Frames[0].OwnershipEpoch++
		require.NoError(t, again.Input(tsync.AppendInput(nil, &in)))
		require.EqualValues(t, 1, again.Stats().Inputs)
	}
	o, _ = w.Object(1)
	require.InDelta(t, 1, o.State.Position[0], 1e-3, "a second's worth")
}

func TestDueSpreadsClientsOverTheSteps(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	for i := range uint64(12) {
		join(t, w, i+1)
	}
	most, sent := 0, 0
	for range 60 {
		w.Tick()
		now := 0
		for _, c := range w.Clients() {
			if c.Due() {
				build(t, c)
				require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: c.ids.Last})))
				now++
			}
		}
		most, sent = max(most, now), sent+now
	}
	require.InDelta(t, 12*20, sent, 12)
	require.Less(t, most, 12)
}

func TestCongestionSlowsDownAndRecovers(t *testing.T) {
	w := newWorld(t, Config{Budget: -1})
	spawn(t, w, moving(1))
	c := join(t, w, 5)
	w.Tick()
	build(t, c)
	require.Equal(t, []any{congestion.Good, uint8(20), -1}, []any{c.Congestion(), c.SendRate(), c.budget})
	path := congestion.Path{RTT: 50, MinRTT: 40, Jitter: 1}
	changes := 0
	observe := func(lost uint64) {
		path.Sent += 100
		path.Lost += lost
		for range 12 {
			w.Tick()
			build(t, c)
			require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: c.ids.Last})))
		}
		if c.Observe(path, 0.2) {
			changes++
		}
	}
	for range 20 {
		observe(20)
	}
	require.Equal(t, []any{congestion.Floor, uint8(10), 16, 1}, []any{c.Congestion(), c.SendRate(), c.budget, changes})
	for range 100 {
		observe(0)
	}
	require.Equal(t, []any{congestion.Good, uint8(20), -1, 2}, []any{c.Congestion(), c.SendRate(), c.budget, changes})
	require.Zero(t, c.AckAge())
}

func TestSilenceIsCongestion(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c := join(t, w, 5)
	require.Zero(t, c.AckAge())
	for i := range 120 {
		w.Tick()
		build(t, c)
		if i%12 == 0 {
			c.Observe(congestion.Path{RTT: 10}, 0.2)
		}
	}
	require.EqualValues(t, 119, c.AckAge(), "since the first snapshot")
	require.Equal(t, congestion.Floor, c.Congestion())
	require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: 110})))
	require.EqualValues(t, 10, c.AckAge())
}

func TestFunctionsOfTheApplicationMayChangeTheWorld(t *testing.T) {
	var w *World
	calls := 0
	w = newWorld(t, Config{OnInput: func(c *Client, f *tsync.InputFrame) {
		calls++
		switch f.Seq {
		case 1:
			for id := range uint32(100) { // so that all that was a pointer into the world is wrong
				_, err := w.Spawn(still(1000 + id))
				require.NoError(t, err)
			}
		case 2:
			require.Equal(t, []byte("jump"), f.Payload)
			require.True(t, w.Despawn(f.Object))
		}
	}})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	c := join(t, w, 5)
	in := tsync.Input{}
	for seq := range uint32(4) {
		in.Frames = append(in.Frames, tsync.InputFrame{Seq: 4 - seq, Object: 1, OwnershipEpoch: 1, DT: 0.01, Payload: []byte("jump")})
	}
	require.NoError(t, c.Input(tsync.AppendInput(nil, &in)))
	require.Equal(t, 2, calls)
	require.Equal(t, 100, w.Len())
}

func TestInputsThatDoNotCount(t *testing.T) {
	w := newWorld(t, Config{Epoch: 9, MaxInputPayload: 4, InputRate: 1})
	spawn(t, w, Object{ID: 1, Role: tsync.OwnerPredicted, Owner: 5})
	spawn(t, w, Object{ID: 2, Role: tsync.OwnerPredicted, Owner: 6})
	spawn(t, w, Object{ID: 3, Role: tsync.ServerSimulated, Owner: 5})
	c := join(t, w, 5)
	ok := tsync.InputFrame{Seq: 1, Object: 1, OwnershipEpoch: 1, DT: 0.01, Move: [3]float32{100, 0, 0}}
	for name, spoil := range map[string]func(f *tsync.InputFrame){
		"nobody's":      func(f *tsync.InputFrame) { f.Object = 9 },
		"another's":     func(f *tsync.InputFrame) { f.Object, f.OwnershipEpoch = 2, 0 },
		"not predicted": func(f *tsync.InputFrame) { f.Object, f.OwnershipEpoch = 3, 0 },
		"epoch before":  func(f *tsync.InputFrame) { f.OwnershipEpoch = 0 },
		"epoch after":   func(f *tsync.InputFrame) { f.OwnershipEpoch = 2 },
		"payload":       func(f *tsync.InputFrame) { f.Payload = []byte("12345") },
	} {
		before := c.Stats().Refused
		f := ok
		spoil(&f)
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{f}})))
		require.Equal(t, before+1, c.Stats().Refused, name)
	}
	for _, seq := range []uint32{0, 257, 258, 1 << 31} {
		f := ok
		f.Seq = seq
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{f}})))
	}
	require.EqualValues(t, 4, c.Stats().Duplicates)
	require.Zero(t, c.Stats().Inputs)

	two := tsync.InputV2{Epoch: 9, Input: tsync.Input{Frames: []tsync.InputFrame{ok}}}
	body, err := tsync.AppendInputV2(nil, &two)
	require.NoError(t, err)
	require.NoError(t, c.InputV2(body))
	require.EqualValues(t, 1, c.Stats().Inputs)
	two.Epoch = 8
	body, _ = tsync.AppendInputV2(nil, &two)
	require.ErrorIs(t, c.InputV2(body), ErrClock)
	require.ErrorIs(t, c.InputV2(nil), wire.ErrTooShort)
	require.ErrorIs(t, c.Input(nil), wire.ErrTooShort)
	require.EqualValues(t, 3, c.Stats().Malformed)

	for seq := range uint32(100) {
		f := ok
		f.Seq = seq + 2
		require.NoError(t, c.Input(tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{f}})))
	}
	require.EqualValues(t, 60, c.Stats().Inputs, "a second's worth")
	require.NotZero(t, c.Stats().RateLimited)
}

// TestDueDoesNotPileUp has a client that nobody asks for, and then somebody does.
func TestDueDoesNotPileUp(t *testing.T) {
	w := newWorld(t, Config{})
	spawn(t, w, moving(1))
	c := join(t, w, 1)
	for range 1000 {
		w.Tick()
	}
	due := 0
	for ; c.Due(); due++ {
		build(t, c)
	}
	require.LessOrEqual(t, due, 2)
}

// TestRoundTripAloneIsNoCongestion has acknowledgements come as late as the way is long, at rates that make them old in
// ticks. Only what is lost makes the server step down, and it comes back.
func TestRoundTripAloneIsNoCongestion(t *testing.T) {
	for _, tc := range []struct{ sim, send uint8 }{{60, 20}, {60, 3}, {60, 2}, {60, 1}, {128, 20}, {250, 30}, {20, 20}, {30, 4}} {
		t.Run(fmt.Sprintf("%d ticks, %d snapshots", tc.sim, tc.send), func(t *testing.T) {
			h := tsync.DefaultHello()
			h.SimRate, h.SendRate = tc.sim, tc.send
			w := newWorld(t, Config{Hello: h})
			spawn(t, w, moving(1))
			c := join(t, w, 5)
			const rtt = 0.18
			path := congestion.Path{RTT: 1000 * rtt, MinRTT: 1000 * rtt}
			acks := map[uint64]uint32{} // by the step in which they arrive
			play := func(seconds int, loss uint64) (changes int) {
				for range seconds * int(tc.sim) {
					w.Tick()
					if c.Due() {
						build(t, c)
						acks[w.Now()+uint64(rtt*float64(tc.sim))] = c.ids.Last
					}
					if id := acks[w.Now()]; id != 0 {
						require.NoError(t, c.Ack(tsync.AppendAck(nil, tsync.Ack{ID: id, History: 1<<min(id-1, 32) - 1})))
					}
					if step := uint64(tc.sim) / 5; w.Now()%step == 0 {
						path.Sent += 100
						path.Lost += loss
						if c.Observe(path, float64(step)/float64(tc.sim)) {
							changes++
						}
					}
				}
				return changes
			}
			require.Zero(t, play(20, 0))
			require.Equal(t, 1, play(5, 20))
			require.Equal(t, congestion.Floor, c.Congestion())
			require.Equal(t, 1, play(30, 0))
			require.Equal(t, congestion.Good, c.Congestion())
		})
	}
}

package client_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestGuards(t *testing.T) {
	f := defaultFeed(t)
	one := f.update(1, 0, full, at(100))
	f.must(tsync.Snapshot{Tick: 10, ID: 5, Updates: []tsync.Update{one}})
	for _, c := range []struct {
		name string
		s    tsync.Snapshot
		err  error
		want client.ViewStats
	}{
		{"the same again", tsync.Snapshot{Tick: 10, ID: 5}, client.ErrStale, client.ViewStats{Stale: 1}},
		{"an older one", tsync.Snapshot{Tick: 9, ID: 4}, client.ErrStale, client.ViewStats{Stale: 1}},
		{"an unknown base", tsync.Snapshot{Tick: 12, ID: 7, Base: 3}, client.ErrMissingBase, client.ViewStats{MissingBase: 1}},
		{"itself as base", tsync.Snapshot{Tick: 12, ID: 7, Base: 7}, client.ErrMissingBase, client.ViewStats{MissingBase: 1}},
		{"a base to come", tsync.Snapshot{Tick: 12, ID: 7, Base: 8}, client.ErrMissingBase, client.ViewStats{MissingBase: 1}},
		{"no id", tsync.Snapshot{Tick: 12}, client.ErrSnapshotID, client.ViewStats{Refused: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, ack := f.view.Stats(), f.view.Ack()
			require.ErrorIs(t, f.apply(c.s), c.err)
			after := f.view.Stats()
			require.Equal(t, client.ViewStats{
				Applied: before.Applied, Skipped: before.Skipped,
				Stale:       before.Stale + c.want.Stale,
				MissingBase: before.MissingBase + c.want.MissingBase,
				Refused:     before.Refused + c.want.Refused,
			}, after)
			require.Equal(t, ack, f.view.Ack())
			require.Equal(t, []uint32{1}, ids(f.view))
			require.Equal(t, float32(100), f.x(1, 10))
		})
	}
	require.EqualValues(t, 7, f.view.LastSeen(), "it arrived, though it was of no use")
	require.ErrorIs(t, f.view.Apply(nil), bitpack.ErrOverrun)
	require.ErrorIs(t, f.view.ApplyV2(nil), wire.ErrTooShort)

	// What was dropped is repaired by the next one with a base that is held.
	f.must(tsync.Snapshot{Tick: 14, ID: 9, Base: 5, Updates: []tsync.Update{f.update(1, 0, tsync.FieldPosition, at(200))}})
	require.Equal(t, tsync.Ack{ID: 9, History: 1 << 3}, f.view.Ack())
	require.Equal(t, float32(200), f.x(1, 14))
}

func TestRingHoldsSixtyFourStates(t *testing.T) {
	f := defaultFeed(t)
	for id := uint32(1); id <= client.RingSize; id++ {
		f.must(tsync.Snapshot{Tick: id, ID: id, Updates: []tsync.Update{f.update(id, 0, full, at(float32(id)))}})
	}
	// The oldest is a base still, although it makes room for what is based on it.
	f.must(tsync.Snapshot{Tick: 65, ID: 65, Base: 1, Updates: []tsync.Update{f.update(9, 0, full, at(9))}})
	require.Equal(t, []uint32{1, 9}, ids(f.view))
	require.ErrorIs(t, f.apply(tsync.Snapshot{Tick: 66, ID: 66, Base: 1}), client.ErrMissingBase)
	f.must(tsync.Snapshot{Tick: 67, ID: 67, Base: 2})
	require.Equal(t, []uint32{2}, ids(f.view))
}

func TestIDsWrap(t *testing.T) {
	f := defaultFeed(t)
	f.must(tsync.Snapshot{Tick: math.MaxUint32 - 3, ID: math.MaxUint32 - 1, Updates: []tsync.Update{f.update(1, 0, full, at(0))}})
	f.must(tsync.Snapshot{Tick: math.MaxUint32, ID: math.MaxUint32, Base: math.MaxUint32 - 1, Updates: []tsync.Update{f.update(1, 0, full, at(30))}})
	m := f.view.Multiplier()
	f.must(tsync.Snapshot{Tick: 2, ID: 1, Base: math.MaxUint32, Updates: []tsync.Update{f.update(1, 0, full, at(60))}})
	require.Equal(t, m-0.02, f.view.Multiplier(), "0 is no id, so that nothing is missing")
	require.Equal(t, tsync.Ack{ID: 1}, f.view.Ack())
	require.EqualValues(t, 1, f.view.LastSeen())
	require.ErrorIs(t, f.apply(tsync.Snapshot{Tick: 1, ID: math.MaxUint32}), client.ErrStale)
	f.must(tsync.Snapshot{Tick: 5, ID: 2, Base: 1, Updates: []tsync.Update{f.update(1, 0, full, at(90))}})
	require.Equal(t, tsync.Ack{ID: 2, History: 1}, f.view.Ack())

	// Ticks wrap as well, and the past goes on across it.
	newest, ok := f.view.NewestTick()
	require.True(t, ok)
	require.Equal(t, int64(1<<32+5), newest)
	require.Equal(t, float32(45), f.x(1, 1<<32+0.5))
}

func TestTickZeroIsATick(t *testing.T) {
	f := defaultFeed(t)
	_, ok := f.view.RenderTick()
	require.False(t, ok)
	f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{f.update(0, 0, full, at(10))}})
	tick, ok := f.view.RenderTick()
	require.True(t, ok)
	require.Equal(t, -7.5, tick)
	require.Equal(t, float32(10), f.x(0, 0), "and 0 is an object")
	f.must(tsync.Snapshot{Tick: 3, ID: 2, Base: 1, Updates: []tsync.Update{f.update(0, 0, full, at(40))}})
	require.Equal(t, float32(20), f.x(0, 1))
}

// The same snapshot twice, or two with one tick, would make an interval of no length to divide by.
func TestNoTwoSamplesOfATick(t *testing.T) {
	f := defaultFeed(t)
	s := tsync.Snapshot{Tick: 3, ID: 1, Updates: []tsync.Update{f.update(1, 0, whole, moving(10, 60))}}
	f.must(s)
	require.ErrorIs(t, f.apply(s), client.ErrStale)
	f.must(tsync.Snapshot{Tick: 3, ID: 2, Base: 1, Updates: []tsync.Update{f.update(1, 0, full, at(20))}})
	f.must(tsync.Snapshot{Tick: 2, ID: 3, Base: 2, Updates: []tsync.Update{f.update(1, 0, full, at(30))}})
	o, _ := f.view.Object(1)
	require.Equal(t, float32(30), o.State.Position[0], "the state is the newest one")
	for _, tick := range []float64{0, 2, 2.5, 3} {
		require.Equal(t, float32(10), f.x(1, tick), "the sample of the tick is the first one")
	}
}

func TestSendRates(t *testing.T) {
	for _, c := range []struct {
		rate uint8
		want float64 // seconds, with the multiplier at 2.5
	}{
		{0, 1.5}, {1, 1.5}, {2, 0.75}, {3, 0.5}, {4, 0.4}, {5, 0.4}, {10, 0.25}, {20, 0.125}, {255, 2.5 / 255},
	} {
		h := tsync.DefaultHello()
		h.SendRate = c.rate
		f := newFeed(t, h, client.ViewConfig{})
		require.InDelta(t, c.want*60, f.view.DelayTicks(), 1e-9, "rate %d in the hello", c.rate)

		body := f.body(tsync.Snapshot{Tick: 90, ID: 1, SendRate: 1, Updates: []tsync.Update{f.update(1, 0, full, at(0))}})
		body[12] = c.rate
		require.NoError(t, f.view.Apply(body))
		tick, ok := f.view.RenderTick()
		require.True(t, ok)
		require.InDelta(t, 90-c.want*60, tick, 1e-9, "rate %d in a snapshot", c.rate)
	}
	h := tsync.DefaultHello()
	h.SimRate = 0
	require.Equal(t, 1.0, newFeed(t, h, client.ViewConfig{}).view.SimRate())
}

func TestHostileHellosAreRefused(t *testing.T) {
	nan := float32(math.NaN())
	for name, change := range map[string]func(h *tsync.Hello){
		"NaN":        func(h *tsync.Hello) { h.Position.Min[0] = nan },
		"infinite":   func(h *tsync.Hello) { h.Velocity.Max[2] = float32(math.Inf(1)) },
		"inverted":   func(h *tsync.Hello) { h.Position.Min[1], h.Position.Max[1] = 1, -1 },
		"endless":    func(h *tsync.Hello) { h.Position.Max[0], h.Position.PerUnit = 1.1e18, 1 },
		"bottomless": func(h *tsync.Hello) { h.Velocity.Min[2], h.Velocity.PerUnit = -1.1e18, 1 },
		"undivided":  func(h *tsync.Hello) { h.Position.PerUnit = 0 },
		"quaternion": func(h *tsync.Hello) { h.Quat = 11 },
	} {
		t.Run(name, func(t *testing.T) {
			h := tsync.DefaultHello()
			change(&h)
			c, err := client.New(client.Config{})
			require.NoError(t, err)
			_, err = c.Receive(wire.KindTsyncHello, tsync.AppendHello(nil, h))
			require.True(t, isAny(err, quant.ErrInvalidSpec, wire.ErrOutOfRange, client.ErrBounds), "%v", err)
			require.Nil(t, c.View())
			require.EqualValues(t, 1, c.Stats().Refused)
		})
	}
}

func TestAnotherLifeHasNoPast(t *testing.T) {
	for _, reference := range []bool{false, true} {
		f := newFeed(t, tsync.DefaultHello(), client.ViewConfig{Reference: reference})
		u := f.update(1, 7, whole|tsync.FieldInputSeq, moving(0, 300))
		u.InputSeq = 40
		f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{u}})
		u = f.update(1, 8, full|tsync.FieldInputSeq, at(1000))
		u.InputSeq = 2
		f.must(tsync.Snapshot{Tick: 10, ID: 2, Base: 1, Updates: []tsync.Update{u}})
		o, ok := f.view.Object(1)
		require.True(t, ok)
		require.EqualValues(t, 8, o.Gen)
		require.Equal(t, at(1000).Velocity, o.State.Velocity, "not the velocity of the life before")
		if reference {
			require.Equal(t, float32(500), f.x(1, 5))
			require.EqualValues(t, 40, o.InputAck)
			continue
		}
		require.Equal(t, float32(1000), f.x(1, 5), "no gliding from the old place")
		require.EqualValues(t, 2, o.InputAck)
		f.must(tsync.Snapshot{Tick: 20, ID: 3, Base: 2, Updates: []tsync.Update{f.update(1, 9, full, at(0))}})
		o, _ = f.view.Object(1)
		require.False(t, o.Acked, "nothing is known of the inputs of the new life")
		require.Zero(t, o.InputAck)
	}
}

func TestSnapDistance(t *testing.T) {
	f := newFeed(t, tsync.DefaultHello(), client.ViewConfig{SnapDistance: 500})
	f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{f.update(1, 0, whole, moving(0, 60))}})
	f.must(tsync.Snapshot{Tick: 10, ID: 2, Base: 1, Updates: []tsync.Update{f.update(1, 0, full, at(500))}})
	f.must(tsync.Snapshot{Tick: 20, ID: 3, Base: 2, Updates: []tsync.Update{f.update(1, 0, full, at(1001))}})
	require.Greater(t, f.x(1, 5), float32(200), "500 cm are a movement")
	require.Equal(t, float32(500), f.x(1, 19.5), "501 are a jump")
	require.Equal(t, float32(1001), f.x(1, 20))
}

func TestCameBackIntoViewHasNoPast(t *testing.T) {
	f := defaultFeed(t)
	f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{f.update(1, 0, full, at(0))}})
	f.must(tsync.Snapshot{Tick: 10, ID: 2, Base: 1, Removed: []uint32{1}})
	_, ok := f.view.Sample(1, 5)
	require.False(t, ok)
	require.Zero(t, f.view.Len())
	_, ok = f.view.RenderTick()
	require.False(t, ok)
	f.must(tsync.Snapshot{Tick: 20, ID: 3, Base: 2, Updates: []tsync.Update{f.update(1, 0, full, at(100))}})
	require.Equal(t, float32(100), f.x(1, 5))
}

// An object leaves the view and comes back while every packet is lost: the server learns nothing, and says that
// it is there, or where, against a base from before or against none.
func TestLeftAndCameBackUnseen(t *testing.T) {
	f := defaultFeed(t)
	f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{f.update(1, 0, full, at(0))}})
	f.must(tsync.Snapshot{Tick: 60, ID: 20, Base: 1, Updates: []tsync.Update{f.update(1, 0, full, at(60))}})
	require.Equal(t, float32(60), f.x(1, 60))
	f.must(tsync.Snapshot{Tick: 63, ID: 21, Updates: []tsync.Update{f.update(1, 0, full, at(66))}})
	require.Equal(t, float32(66), f.x(1, 63))
}

func TestUpdatesOfUnknownObjectsAreSkipped(t *testing.T) {
	f := defaultFeed(t)
	f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{f.update(1, 0, full, at(1))}})
	f.must(tsync.Snapshot{Tick: 3, ID: 2, Base: 1, Updates: []tsync.Update{
		f.update(1, 1, tsync.FieldPosition, at(9)), // of another life
		f.update(2, 0, tsync.FieldPosition|tsync.FieldVelocity, at(2)),
		f.update(3, 0, tsync.FieldRotation, at(3)),
		f.update(4, 0, 0, at(4)),
		f.update(5, 0, full, at(5)),
	}})
	require.Equal(t, []uint32{1, 5}, ids(f.view))
	require.EqualValues(t, 4, f.view.Stats().Skipped)
	require.Equal(t, float32(1), f.x(1, 3))
	require.Equal(t, tsync.Ack{ID: 2, History: 1}, f.view.Ack(), "and the snapshot is acknowledged")
}

func TestVelocityMayCease(t *testing.T) {
	f := defaultFeed(t)
	f.must(tsync.Snapshot{Tick: 0, ID: 1, Updates: []tsync.Update{f.update(1, 0, whole, moving(0, 600))}})
	require.Equal(t, float32(100), f.x(1, 10))

	// A server that does not replicate the velocity any more removes the object and sends it anew.
	f.must(tsync.Snapshot{Tick: 3, ID: 2, Base: 1, Removed: []uint32{1}, Updates: []tsync.Update{f.update(1, 0, full, at(30))}})
	require.Equal(t, float32(30), f.x(1, 10))
	require.Equal(t, float32(20), f.x(1, 2), "the past is that of the same life")
}

func TestExtrapolationIsBounded(t *testing.T) {
	f := defaultFeed(t)
	f.must(tsync.Snapshot{Tick: 60, ID: 1, Updates: []tsync.Update{
		f.update(1, 0, whole, moving(0, 100)), f.update(2, 0, full, at(7)),
	}})
	for _, c := range []struct {
		tick float64
		want float32
	}{
		{math.Inf(-1), 0}, {-1e300, 0}, {60, 0}, {66, 10}, {75, 25}, {76, 25}, {1e300, 25}, {math.Inf(1), 25},
	} {
		require.InDelta(t, c.want, f.x(1, c.tick), 1e-5, c.tick)
		require.Equal(t, float32(7), f.x(2, c.tick))
	}
	_, ok := f.view.Sample(1, math.NaN())
	require.False(t, ok)
	require.Empty(t, f.view.AppendPoses(nil, math.NaN()))
}

func TestObjectsAreBounded(t *testing.T) {
	f := newFeed(t, tsync.DefaultHello(), client.ViewConfig{MaxObjects: 3})
	three := []tsync.Update{f.update(1, 0, full, at(1)), f.update(2, 0, full, at(2)), f.update(3, 0, full, at(3))}
	f.must(tsync.Snapshot{Tick: 1, ID: 1, Updates: three})
	require.ErrorIs(t, f.apply(tsync.Snapshot{Tick: 2, ID: 2, Base: 1, Updates: []tsync.Update{f.update(9, 0, full, at(4))}}), client.ErrObjects)
	require.Equal(t, []uint32{1, 2, 3}, ids(f.view))
	require.Equal(t, tsync.Ack{ID: 1}, f.view.Ack())
	f.must(tsync.Snapshot{Tick: 3, ID: 3, Base: 1, Removed: []uint32{1}, Updates: []tsync.Update{f.update(9, 0, full, at(4))}})
	require.Equal(t, []uint32{2, 3, 9}, ids(f.view))
	require.EqualValues(t, 1, f.view.Stats().Refused)
}

func TestViewConfig(t *testing.T) {
	codec := newCodec(t, tsync.DefaultHello())
	for _, cfg := range []client.ViewConfig{
		{MaxObjects: -1}, {SnapDistance: -1}, {SnapDistance: float32(math.NaN())}, {SnapDistance: float32(math.Inf(1))},
	} {
		_, err := client.NewView(codec, cfg)
		require.ErrorIs(t, err, client.ErrConfig)
		_, err = client.New(client.Config{View: cfg})
		require.ErrorIs(t, err, client.ErrConfig)
	}
}

func TestEpochs(t *testing.T) {
	f := defaultFeed(t)
	v2 := func(epoch uint64, s tsync.Snapshot) error {
		s.SendRate = 20
		body, err := f.codec.AppendSnapshotV2(nil, &tsync.SnapshotV2{Clock: tsync.Clock{Epoch: epoch, Tick: 1000 + uint64(s.Tick), Rate: 60}, Snapshot: s})
		require.NoError(t, err)
		return f.view.ApplyV2(body)
	}
	one := []tsync.Update{f.update(1, 0, full, at(1))}
	require.ErrorIs(t, v2(8, tsync.Snapshot{Tick: 1, ID: 1, Base: 9, Updates: one}), client.ErrMissingBase)
	require.Zero(t, f.view.Epoch(), "only what was applied counts")
	require.NoError(t, v2(7, tsync.Snapshot{Tick: 1, ID: 1, Updates: one}))
	require.Equal(t, tsync.Clock{Epoch: 7, Tick: 1001, Rate: 60}, f.view.Clock())
	require.ErrorIs(t, v2(8, tsync.Snapshot{Tick: 2, ID: 2, Updates: one}), client.ErrStale)

	require.ErrorIs(t, f.view.ResetEpoch(0), client.ErrEpoch)
	require.Equal(t, 1, f.view.Len())
	require.NoError(t, f.view.ResetEpoch(8))
	require.Zero(t, f.view.Len())
	require.Zero(t, f.view.Ack())
	require.ErrorIs(t, v2(7, tsync.Snapshot{Tick: 2, ID: 2, Updates: one}), client.ErrStale)
	require.ErrorIs(t, v2(8, tsync.Snapshot{Tick: 2, ID: 2, Base: 1, Updates: one}), client.ErrMissingBase)
	require.NoError(t, v2(8, tsync.Snapshot{Tick: 0, ID: 1, Updates: one}), "ids and ticks begin anew")
	require.Equal(t, []uint32{1}, ids(f.view))
}

func TestJitterBuffer(t *testing.T) {
	f := defaultFeed(t)
	id := uint32(0)
	next := func(skip uint32) float64 {
		id += 1 + skip
		f.must(tsync.Snapshot{Tick: id, ID: id})
		return f.view.Multiplier()
	}
	require.Equal(t, 2.5, next(0))
	for range 100 {
		next(0)
	}
	require.Equal(t, 1.5, f.view.Multiplier())
	require.Equal(t, 2.0, next(1))
	require.Equal(t, 2.5, next(3))
	require.Equal(t, 2.5, next(1<<30), "a hostile gap is a gap")
}

// A server that tells of the inputs for ever other objects does not fill the memory.
func TestInputAcknowledgementsAreBounded(t *testing.T) {
	f := newFeed(t, tsync.DefaultHello(), client.ViewConfig{MaxObjects: 2})
	for id := uint32(1); id <= 10; id++ {
		u := f.update(id, 0, full|tsync.FieldInputSeq, at(0))
		u.InputSeq = 5
		f.must(tsync.Snapshot{Tick: id, ID: id, Updates: []tsync.Update{u}})
		o, ok := f.view.Object(id)
		require.True(t, ok)
		require.Equal(t, id <= 2, o.Acked)
		require.EqualValues(t, 5, o.InputSeq, "what a snapshot says itself is known all the same")
	}
}

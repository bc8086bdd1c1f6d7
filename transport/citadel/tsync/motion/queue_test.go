package motion_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

// oracle is a queue by the letter of the rules.
type oracle struct {
	acked   uint32
	pending map[uint32]bool
}

func (o *oracle) offer(seq uint32) (accepted bool) {
	if seq == 0 || seq <= o.acked || o.pending[seq] || uint64(seq) > uint64(o.acked)+motion.MaxAhead {
		return false
	}
	o.pending[seq] = true
	return true
}

func (o *oracle) next() (uint32, bool) {
	if !o.pending[o.acked+1] {
		return 0, false
	}
	o.acked++
	delete(o.pending, o.acked)
	return o.acked, true
}

// TestQueueAgainstOracle lets inputs through at any pace, not only at once.
func TestQueueAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var q motion.Queue[uint32]
		o := oracle{pending: map[uint32]bool{}}
		released := 0
		for range 3000 {
			if r.IntN(3) > 0 {
				seq := o.acked + uint32(r.IntN(1+1<<r.IntN(10)))
				if r.IntN(50) == 0 {
					seq = r.Uint32()
				}
				item := q.Offer(seq)
				require.Equal(t, o.offer(seq), item != nil, "%d after %d", seq, o.acked)
				if item != nil {
					*item = seq
				}
			} else {
				want, ok := o.next()
				seq, item := q.Next()
				require.Equal(t, ok, item != nil)
				require.Equal(t, want, seq)
				if ok {
					require.Equal(t, want, *item)
					released++
				}
			}
			require.Equal(t, o.acked, q.Acked())
			require.Equal(t, len(o.pending), q.Pending())
			if r.IntN(500) == 0 {
				q.Reset()
				o = oracle{pending: map[uint32]bool{}}
			}
		}
		require.NotZero(t, released)
	}
}

// TestShotsCountOnce is about an input that fires and is sent again, before and after it was let through, as it is or
// forged.
func TestShotsCountOnce(t *testing.T) {
	var q motion.Queue[tsync.InputFrame]
	shots := 0
	drain := func() {
		for {
			seq, f := q.Next()
			if f == nil {
				return
			}
			require.Equal(t, seq, f.Seq)
			if f.Fire {
				require.Equal(t, [3]float32{1}, f.Origin, "the first that came counts")
				shots++
			}
		}
	}
	fire := tsync.InputFrame{Seq: 2, Fire: true, Origin: [3]float32{1}}
	forged := tsync.InputFrame{Seq: 2, Fire: true, Origin: [3]float32{2}}
	require.True(t, motion.OfferFrame(&q, &fire))
	require.False(t, motion.OfferFrame(&q, &forged))
	drain()
	require.Zero(t, shots, "an input before it is missing")
	for range 3 {
		motion.OfferFrame(&q, &tsync.InputFrame{Seq: 1})
		motion.OfferFrame(&q, &fire)
		motion.OfferFrame(&q, &forged)
		drain()
	}
	require.Equal(t, 1, shots)
	require.EqualValues(t, 2, q.Acked())
}

// TestResetForgets is about a new owner or a new life of the object, whose first inputs must not pass for duplicates.
func TestResetForgets(t *testing.T) {
	var q motion.Queue[int]
	for _, seq := range []uint32{1, 2, 5, 9} {
		*q.Offer(seq) = -1
	}
	q.Next()
	q.Next()
	q.Reset()
	require.Zero(t, q.Acked())
	require.Zero(t, q.Pending())
	seq, item := q.Next()
	require.Nil(t, item)
	require.Zero(t, seq)
	for want := range uint32(5) {
		*q.Offer(want + 1) = int(want)
		seq, item := q.Next()
		require.Equal(t, want+1, seq)
		require.Equal(t, int(want), *item)
	}
}

// TestSequenceGoesRound is about an owner of two years: number 1 follows upon the last one.
func TestSequenceGoesRound(t *testing.T) {
	q := motion.NewQueueAt[uint32](math.MaxUint32 - 100)
	require.Nil(t, q.Offer(0))
	require.Nil(t, q.Offer(157), "257 ahead")
	require.NotNil(t, q.Offer(156), "256 ahead")
	require.Nil(t, q.Offer(156))
	for want := range uint32(300) {
		seq := math.MaxUint32 - 100 + want + 1
		if want >= 100 {
			seq = want - 99
		}
		if item := q.Offer(seq); item != nil {
			*item = seq
		} else {
			require.EqualValues(t, 156, seq)
		}
		got, item := q.Next()
		require.NotNil(t, item)
		require.Equal(t, seq, got)
	}
	require.EqualValues(t, 200, q.Acked())
	require.Nil(t, q.Offer(math.MaxUint32), "of the last round")
}

// TestOfferFrameCopies is about payloads, which borrow from a datagram.
func TestOfferFrameCopies(t *testing.T) {
	var q motion.Queue[tsync.InputFrame]
	payload := []byte("jump")
	require.True(t, motion.OfferFrame(&q, &tsync.InputFrame{Seq: 1, Payload: payload}))
	copy(payload, "xxxx")
	_, f := q.Next()
	require.Equal(t, "jump", string(f.Payload))
	require.True(t, motion.OfferFrame(&q, &tsync.InputFrame{Seq: 2}))
	_, f = q.Next()
	require.Empty(t, f.Payload)
}

func TestAllowance(t *testing.T) {
	var free motion.Allowance
	require.NoError(t, free.Validate())
	for range 100 {
		require.Equal(t, float32(0.1), free.Spend(5, 0.1), "without a bound")
	}

	a := motion.Allowance{Most: 0.25}
	require.NoError(t, a.Validate())
	require.Equal(t, float32(0.1), a.Spend(0.1, 0.1))
	require.Zero(t, a.Spend(nan, 0.1))
	require.Zero(t, a.Spend(-1, 0.1))
	require.Zero(t, a.Spend(inf, 0.1))
	require.Equal(t, float32(0.1), a.Spend(7, 0.1))
	require.InDelta(t, 0.05, a.Spend(0.1, 0.1), 1e-6)
	require.Zero(t, a.Spend(0.1, 0.1))
	a.Pass(math.NaN())
	a.Pass(-1)
	require.Zero(t, a.Spend(0.1, 0.1))
	a.Pass(0.06)
	require.InDelta(t, 0.06, a.Spend(0.1, 0.1), 1e-6)
	a.Pass(math.Inf(1))
	require.Equal(t, float32(0.1), a.Spend(0.1, 0.1), "no more than Most is saved up")
	require.Equal(t, float32(0.1), a.Spend(0.1, 0.1))
	require.InDelta(t, 0.05, a.Spend(0.1, 0.1), 1e-6)
	a.Reset()
	require.Equal(t, float32(0.1), a.Spend(0.1, 0.1))

	for _, most := range []float64{-1, math.NaN()} {
		a := motion.Allowance{Most: most}
		require.ErrorIs(t, a.Validate(), motion.ErrLimits)
	}
}

// TestFloodsDoNotTeleport is about an owner who sends as many inputs as it can, each as long as is allowed.
func TestFloodsDoNotTeleport(t *testing.T) {
	l := motion.DefaultLimits()
	a := motion.Allowance{Most: motion.DefaultMost}
	var s tsync.State
	for range 600 {
		for range 32 {
			motion.Integrate(&s, [3]float32{math.MaxUint16, 0, 0}, a.Spend(0.1, l.MaxDT), &l)
		}
		a.Pass(1.0 / 60)
	}
	require.InEpsilon(t, 2000*(motion.DefaultMost+599.0/60), float64(s.Position[0]), 0.0001)
}

package replica_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// A receiver whose acknowledgements arrive late, however late, comes to get differences. The reference sends it
// full bunches for ever.
func TestFullLivelock(t *testing.T) {
	for _, late := range []int{1, 2, 7, 63, 64, 150} {
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			for _, reference := range []bool{false, true} {
				w := newWorld(t, replica.Config{Reference: reference, AckTimeout: 1 << 40}, 2)
				var acks [][]byte
				deltas := 0
				for tick := range 6*late + 20 {
					require.NoError(t, w.e.State().SetInt(fieldHealth, int64(tick*37%101)))
					for _, body := range w.send(2) {
						_, err := w.r[2].Apply(body)
						if err == nil && !header(t, body).Full {
							deltas++
						} else if err != nil {
							require.ErrorIs(t, err, replica.ErrMissingBase)
						}
					}
					ack, err := w.r[2].AppendAcks(nil)
					require.NoError(t, err)
					if acks = append(acks, ack); len(acks) > late {
						if len(acks[0]) > 0 {
							_, err := w.s.Ack(2, acks[0])
							require.NoError(t, err)
						}
						acks = acks[1:]
					}
				}
				if reference {
					require.Zero(t, deltas)
				} else {
					require.Greater(t, deltas, late/2)
				}
			}
		})
	}
}

// A number that changes by less than its codec can tell is not sent again.
func TestCodesAreCompared(t *testing.T) {
	for _, reference := range []bool{false, true} {
		w := newWorld(t, replica.Config{Reference: reference}, 2)
		st := w.e.State()
		require.NoError(t, st.SetScalar(fieldSpeed, 1))
		require.NoError(t, st.SetVector(fieldPosition, [3]float32{1, 2, 3}))
		require.NoError(t, st.SetInt(fieldHealth, 100))
		w.sync(2)
		require.NoError(t, st.SetScalar(fieldSpeed, 1.01))
		require.NoError(t, st.SetVector(fieldPosition, [3]float32{1, 2.01, 3}))
		require.NoError(t, st.SetInt(fieldHealth, 5000))
		require.Equal(t, reference, len(w.send(2)) == 1)
	}
}

// A value that changes under the same key is sent.
func TestElementsAreCompared(t *testing.T) {
	for _, reference := range []bool{false, true} {
		w := newWorld(t, replica.Config{Reference: reference}, 2)
		require.NoError(t, w.e.State().PutItem(fieldBag, intItem(t, 1, 0, 5, 10)))
		w.sync(2)
		require.NoError(t, w.e.State().PutItem(fieldBag, intItem(t, 1, 0, 5, 11)))
		w.sync(2)
		got, ok := w.r[2].State(object).Item(fieldBag, netpeer.ElementID{Index: 1})
		require.True(t, ok)
		n, err := got.Value.Int(unitClass.Schema().Field(fieldBag).Item())
		require.NoError(t, err)
		require.Equal(t, map[bool]int64{false: 11, true: 10}[reference], n)
	}
}

// Elements that are there from the start are in the first full bunch.
func TestFirstFullHasElements(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2)
	require.NoError(t, w.e.State().PutItem(fieldBag, intItem(t, 1, 0, 3, 9)))
	w.sync(2)
	require.Len(t, w.r[2].State(object).Items(fieldBag), 1)
}

// What is kept for a peer that never acknowledges does not grow without bound, and neither do the snapshots.
func TestOutstandingIsCapped(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2, 3)
	w.sync(3) // has a baseline, from which there are differences
	for tick := range 3000 {
		require.NoError(t, w.e.State().SetInt(fieldHealth, int64(tick%100)))
		require.Len(t, w.send(2), 1)
		require.Len(t, w.send(3), 1)
		for _, p := range []replica.PeerID{2, 3} {
			_, pending := w.s.Baseline(p, object)
			require.LessOrEqual(t, pending, 2*64)
		}
	}
	require.LessOrEqual(t, w.s.Snapshots(object), 4*64+2)
}

// An acknowledgement of a token whose state is not kept any more changes nothing, and does not hide older ones that
// are kept.
func TestAckOfForgottenToken(t *testing.T) {
	w := newWorld(t, replica.Config{}, 2)
	require.NoError(t, w.e.State().SetInt(fieldHealth, 1))
	first := header(t, w.send(2)[0])
	require.NoError(t, w.s.ForceFull(2, object))
	second := header(t, w.send(2)[0])
	require.True(t, second.Full)

	_, moved, err := w.s.AckWindow(2, object, first.Result, 0)
	require.NoError(t, err)
	require.False(t, moved, "from before the full bunch was forced")
	id, moved, err := w.s.AckWindow(2, object, second.Result+1000, 1<<31)
	require.NoError(t, err)
	require.False(t, moved, id)
	id, moved, err = w.s.AckWindow(2, object, second.Result+3, 1<<2)
	require.NoError(t, err)
	require.True(t, moved, "by its history")
	require.Equal(t, second.Result, id)
}

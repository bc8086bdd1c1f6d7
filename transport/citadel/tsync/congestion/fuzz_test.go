package congestion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
)

// FuzzAcks feeds bodies of acknowledgements, each behind a byte that says how many snapshots were sent meanwhile. The
// delay stays within what a client can have, and acknowledgements of what was never sent change nothing.
func FuzzAcks(f *testing.F) {
	add := func(acks ...tsync.Ack) {
		var b []byte
		for _, a := range acks {
			b = tsync.AppendAck(append(b, 3), a)
		}
		f.Add(b)
	}
	add(tsync.Ack{ID: 1}, tsync.Ack{ID: 3, History: 2}, tsync.Ack{ID: 3, History: 2}, tsync.Ack{ID: 9, History: 0xff})
	add(tsync.Ack{ID: 1 << 31, History: 1<<32 - 1}, tsync.Ack{ID: 2, History: 1})
	add(tsync.Ack{ID: 0, History: 1}, tsync.Ack{ID: 1<<32 - 1, History: 1<<32 - 1}, tsync.Ack{ID: 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var m congestion.LagMeter
		delay := func() float64 { return m.Lag(congestion.Path{}, 20, 60, 1e9).Interpolation }
		delay()
		issued := uint32(0)
		for len(b) > tsync.AckBytes {
			issued += uint32(b[0])
			ack, err := tsync.ParseAck(b[1:])
			require.NoError(t, err)
			b = b[1+tsync.AckBytes:]
			before := delay()
			m.Acked(ack.ID, ack.History, issued)
			now := delay()
			require.GreaterOrEqual(t, now, 4.5-1e-9)
			require.LessOrEqual(t, now, 7.5+1e-9)
			if ack.ID > issued || ack.ID == 0 {
				require.Equal(t, before, now)
			}
		}
	})
}

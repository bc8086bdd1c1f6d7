//go:build !js

package ws_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// Every code that fits comes out as it went in, and no other is taken for a code of the transport's.
func TestCodes(t *testing.T) {
	for code := range citadel.Code(1100) {
		status := ws.Status(code)
		require.True(t, status == 1000 || status >= 4000 && status <= 4999, code)
		e := ws.CloseError(status, "why", true)
		require.True(t, e.Remote)
		require.Equal(t, "why", e.Reason)
		require.Equal(t, min(code, 999), e.Code)
	}
	require.Equal(t, 4999, ws.Status(1<<32-1))
	require.Equal(t, citadel.CodeShutdown, ws.CloseError(1001, "", false).Code)
	require.Equal(t, citadel.CodeNone, ws.CloseError(1001, "", true).Code)
	require.Equal(t, citadel.CodeNone, ws.CloseError(1005, "", true).Code)
	require.Equal(t, "why", ws.CloseError(1000, "why\xff", true).Reason)
	for _, status := range []int{0, 999, 1006, 1011, 2000, 3999, 5000} {
		e := ws.CloseError(status, "", true)
		require.ErrorIs(t, e, citadel.ErrTransport, status)
		require.ErrorContains(t, e, "status")
	}
}

// Whatever is sent at once leaves in messages of whole envelopes, none of them larger than it must be, and every
// one within what the receiver accepts.
func TestBatchProperty(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var all []byte
		largest := 0
		for range rng.IntN(50) {
			n := rng.IntN(1 << rng.IntN(18))
			largest = max(largest, n)
			all = append(all, citadeltest.Frame(t, 100, make([]byte, n))...)
		}
		var previous int
		for rest := all; len(rest) > 0; {
			n := ws.Batch(rest)
			message := rest[:n]
			rest = rest[n:]
			require.True(t, ws.Whole(message))
			first := wire.LengthPrefixBytes + int(binary.BigEndian.Uint32(message))
			require.True(t, n <= ws.MaxBatch || n == first, "%d bytes", n)
			require.LessOrEqual(t, int64(n), ws.ReadLimit(largest))
			require.Greater(t, previous+first, ws.MaxBatch*btoi(previous > 0), "it had fitted the message before")
			previous = n
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FuzzFramer compares what it makes of a message in pieces with what the codec makes of the whole.
func FuzzFramer(f *testing.F) {
	f.Add([]byte{}, uint16(1))
	f.Add([]byte{0, 0, 0, 2, 0, 100}, uint16(3))
	f.Add([]byte{0, 0, 0, 3, 0, 100, 7, 0, 0, 0, 2, 0, 101}, uint16(5))
	f.Add([]byte{0, 0, 0, 3, 0, 100}, uint16(4))
	f.Add([]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1}, uint16(2))
	f.Fuzz(func(t *testing.T, message []byte, cut uint16) {
		rest := message
		for len(rest) >= wire.LengthPrefixBytes {
			n := uint64(binary.BigEndian.Uint32(rest)) + wire.LengthPrefixBytes
			if n > uint64(len(rest)) {
				break
			}
			rest = rest[n:]
		}
		var pieces [][]byte
		for p := message; len(p) > 0; {
			n := min(int(cut)+1, len(p))
			pieces = append(pieces, p[:n])
			p = p[n:]
		}
		if got, want := ws.Whole(pieces...), len(rest) == 0; got != want {
			t.Fatalf("%x in pieces of %d: got %v, want %v", message, int(cut)+1, got, want)
		}
	})
}

package tsync_test

import (
	"encoding/binary"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// TestSteadyStateAllocatesNothing goes through all that happens in every step, whether it succeeds or not.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	c := newCodec(t, tsync.DefaultHello())
	states := crowd(64)
	s := &tsync.SnapshotV2{Clock: tsync.Clock{Epoch: 1, Rate: 60}, Snapshot: *crowdSnapshot(t, c, 64, tsync.StateFields)}
	s.Snapshot.Removed = []uint32{1, 2, 3}
	body := encodedV2(t, c, s)
	in := &tsync.InputV2{Epoch: 1, Input: *eightFrames()}
	inBody, err := tsync.AppendInputV2(nil, in)
	require.NoError(t, err)

	var into tsync.SnapshotV2
	var intoInput tsync.InputV2
	var w tsync.SnapshotWriter
	dst := make([]byte, 0, 4096)
	require.NoError(t, c.ParseSnapshotV2(body, &into))
	require.NoError(t, tsync.ParseInputV2(inBody, &intoInput))

	for name, step := range map[string]func(){
		"quantize": func() {
			for i := range states {
				_ = c.Quantize(&states[i], tsync.StateFields, &s.Snapshot.Updates[i].Codes)
			}
		},
		"dequantize": func() {
			for i := range states {
				c.Dequantize(&s.Snapshot.Updates[i].Codes, tsync.StateFields, &states[i])
			}
		},
		"append snapshot": func() { dst, _ = c.AppendSnapshotV2(dst[:0], s) },
		"snapshot writer": func() {
			w.Begin(c, dst[:0], tsync.SnapshotHeader{})
			_ = w.Remove(1)
			for i := range s.Snapshot.Updates {
				_ = w.Add(&s.Snapshot.Updates[i])
			}
			dst = w.Bytes()
		},
		"parse snapshot":  func() { _ = c.ParseSnapshotV2(body, &into) },
		"parse header":    func() { _, _ = tsync.ParseSnapshotHeader(body[tsync.ClockBytes:]) },
		"refuse snapshot": func() { _ = c.ParseSnapshotV2(body[:len(body)-9], &into) },
		"append input":    func() { dst, _ = tsync.AppendInputV2(dst[:0], in) },
		"parse input":     func() { _ = tsync.ParseInputV2(inBody, &intoInput) },
		"refuse input":    func() { _ = tsync.ParseInputV2(inBody[:len(inBody)-1], &intoInput) },
		"ack":             func() { dst = tsync.AppendAck(dst[:0], tsync.Ack{ID: 5}); _, _ = tsync.ParseAck(dst) },
		"rewind":          func() { dst = tsync.AppendRewind(dst[:0], tsync.Rewind{}); _, _ = tsync.ParseRewind(dst) },
		"role":            func() { dst = tsync.AppendRole(dst[:0], tsync.Role{}); _, _ = tsync.ParseRole(dst) },
	} {
		require.Zero(t, testing.AllocsPerRun(20, step), name)
	}
}

// allocated returns the bytes that fn allocates: the least of several runs, because others allocate, too.
func allocated(fn func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		fn()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// announce returns the header of a snapshot with the given counts.
func announce(removed, updates uint16) []byte {
	b := make([]byte, tsync.SnapshotHeaderBytes)
	binary.BigEndian.PutUint16(b[13:], removed)
	binary.BigEndian.PutUint16(b[15:], updates)
	return b
}

func TestAllocationIsBoundedByTheBody(t *testing.T) {
	c := newCodec(t, tsync.DefaultHello())
	for name, body := range map[string][]byte{
		"updates without a body": announce(0, 65535),
		"three bytes of updates": append(announce(0, 65535), 1, 2, 3),
		"removed without a body": announce(65535, 0),
		"both":                   append(announce(65535, 65535), 1, 2, 3),
		"a page of empty ones":   append(announce(0, 65535), make([]byte, 4096)...),
		"a megabyte too little":  append(announce(65535, 65535), make([]byte, 65535*4+400000)...),
	} {
		t.Run(name, func(t *testing.T) {
			var into tsync.Snapshot
			var err error
			n := allocated(func() {
				into = tsync.Snapshot{}
				err = c.ParseSnapshot(body, &into)
			})
			require.ErrorIs(t, err, bitpack.ErrOverrun)
			require.Empty(t, into.Updates)
			require.LessOrEqual(t, n, uint64(16*len(body)+512))
			_, err = tsync.ParseSnapshotHeader(body)
			require.ErrorIs(t, err, bitpack.ErrOverrun)
		})
	}

	t.Run("empty updates", func(t *testing.T) {
		body, err := c.AppendSnapshot(nil, &tsync.Snapshot{Updates: make([]tsync.Update, 65535)})
		require.NoError(t, err)
		var into tsync.Snapshot
		n := allocated(func() {
			into = tsync.Snapshot{}
			err = c.ParseSnapshot(body, &into)
		})
		require.NoError(t, err)
		require.LessOrEqual(t, n, uint64(16*len(body)))
	})

	t.Run("input", func(t *testing.T) {
		for _, size := range []int{9, 10, 9 + 35*31} {
			body := make([]byte, size)
			body[8] = 32
			var into tsync.Input
			var err error
			n := allocated(func() {
				into = tsync.Input{}
				err = tsync.ParseInput(body, &into)
			})
			require.ErrorIs(t, err, wire.ErrTooShort)
			require.LessOrEqual(t, n, uint64(4096))
		}
	})
}

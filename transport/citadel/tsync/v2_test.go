package tsync_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestManifest(t *testing.T) {
	require.Equal(t, []byte{2, 1}, tsync.AppendManifest(nil, tsync.DefaultManifest()))
	for version := range 256 {
		for capabilities := range 256 {
			m, err := tsync.ParseManifest([]byte{byte(version), byte(capabilities)})
			if version == 2 && capabilities == 1 {
				require.NoError(t, err)
				require.Equal(t, tsync.DefaultManifest(), m)
				continue
			}
			if err == nil || m != (tsync.Manifest{}) {
				t.Fatalf("version %d, capabilities %d: %v, %v", version, capabilities, m, err)
			}
		}
	}
	_, err := tsync.ParseManifest([]byte{3, 1})
	require.ErrorIs(t, err, wire.ErrVersion)
	for _, b := range [][]byte{nil, {2}, {2, 1, 0}} {
		_, err := tsync.ParseManifest(b)
		require.ErrorIs(t, err, wire.ErrCount)
	}
}

func TestClock(t *testing.T) {
	want := unhex(t, "0102030405060708 090a0b0c0d0e0f10 1112")
	c := tsync.Clock{Epoch: 0x0102030405060708, Tick: 0x090a0b0c0d0e0f10, Rate: 0x1112}
	b, err := tsync.AppendClock(nil, c)
	require.NoError(t, err)
	require.Equal(t, want, b)
	got, rest, err := tsync.ParseClock(append(b, 7))
	require.NoError(t, err)
	require.Equal(t, c, got)
	require.Equal(t, []byte{7}, rest)
	for n := range want {
		got, rest, err := tsync.ParseClock(want[:n])
		require.ErrorIs(t, err, wire.ErrTooShort)
		require.Zero(t, got)
		require.Nil(t, rest)
	}
	for _, bad := range []tsync.Clock{{}, {Epoch: 1, Tick: 2}, {Tick: 2, Rate: 3}} {
		b, err := tsync.AppendClock([]byte{9}, bad)
		require.ErrorIs(t, err, wire.ErrOutOfRange)
		require.Equal(t, []byte{9}, b)
	}
	_, err = tsync.AppendClock(nil, tsync.Clock{Epoch: 1, Rate: 1})
	require.NoError(t, err, "the first tick is 0")
}

func TestSnapshotV2(t *testing.T) {
	c := newCodec(t, tsync.DefaultHello())
	clock := tsync.Clock{Epoch: 1, Tick: math.MaxUint64, Rate: 60}
	s := &tsync.SnapshotV2{Clock: clock, Snapshot: *crowdSnapshot(t, c, 3, tsync.StateFields)}
	s.Snapshot.Removed = []uint32{8}
	b, err := c.AppendSnapshotV2([]byte{9}, s)
	require.NoError(t, err)
	prefix, err := tsync.AppendClock([]byte{9}, clock)
	require.NoError(t, err)
	want, err := c.AppendSnapshot(prefix, &s.Snapshot)
	require.NoError(t, err)
	require.Equal(t, want, b)

	var got tsync.SnapshotV2
	require.NoError(t, c.ParseSnapshotV2(b[1:], &got))
	require.Equal(t, *s, got)

	requireRefused := func(b []byte, want error) {
		require.ErrorIs(t, c.ParseSnapshotV2(b, &got), want)
		require.Zero(t, got.Clock)
		requireSnapshot(t, &tsync.Snapshot{}, &got.Snapshot)
		require.NoError(t, c.ParseSnapshotV2(encodedV2(t, c, s), &got))
	}
	for n := range len(b) - 1 {
		if n < tsync.ClockBytes {
			requireRefused(b[1:1+n], wire.ErrTooShort)
		} else {
			requireRefused(b[1:1+n], bitpack.ErrOverrun)
		}
	}
	requireRefused(append(slices.Clone(b[1:]), 0), bitpack.ErrPadding)
	requireRefused(make([]byte, 35), wire.ErrOutOfRange)

	s.Snapshot.Updates[1].Codes.Rotation = math.MaxUint64
	b, err = c.AppendSnapshotV2([]byte{9}, s)
	require.ErrorIs(t, err, quant.ErrInvalidCode)
	require.Equal(t, []byte{9}, b)
	b, err = c.AppendSnapshotV2([]byte{9}, &tsync.SnapshotV2{})
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	require.Equal(t, []byte{9}, b)
}

// encodedV2 returns the encoding of a valid s.
func encodedV2(t *testing.T, c *tsync.Codec, s *tsync.SnapshotV2) []byte {
	b, err := c.AppendSnapshotV2(nil, s)
	require.NoError(t, err)
	return b
}

// TestSnapshotWriterBehindClock is how a sender of version 2 uses the writer.
func TestSnapshotWriterBehindClock(t *testing.T) {
	c := newCodec(t, compactHello())
	s := &tsync.SnapshotV2{Clock: tsync.Clock{Epoch: 5, Rate: 60}, Snapshot: *crowdSnapshot(t, c, 3, compactFields)}
	dst, err := tsync.AppendClock(nil, s.Clock)
	require.NoError(t, err)
	var w tsync.SnapshotWriter
	require.Equal(t, encodedV2(t, c, s), written(t, &w, c, dst, &s.Snapshot))
}

func TestInputV2(t *testing.T) {
	in := &tsync.InputV2{Epoch: 0x0102030405060708, LastObservedTick: 0x090a0b0c0d0e0f10, Input: *eightFrames()}
	b, err := tsync.AppendInputV2([]byte{9}, in)
	require.NoError(t, err)
	require.Equal(t, tsync.AppendInput(unhex(t, "09 0102030405060708 090a0b0c0d0e0f10 00"), &in.Input), b)

	var got tsync.InputV2
	for _, longer := range [][]byte{b[1:], append(slices.Clone(b[1:]), 1, 2)} {
		require.NoError(t, tsync.ParseInputV2(longer, &got))
		require.Equal(t, *in, got)
	}
	empty := tsync.InputV2{Input: tsync.Input{Frames: []tsync.InputFrame{}}}
	for n := range len(b) - 1 {
		require.ErrorIs(t, tsync.ParseInputV2(b[1:1+n], &got), wire.ErrTooShort, n)
		require.Equal(t, empty, got)
	}
	bad := slices.Clone(b[1:])
	bad[16] = 1
	require.ErrorIs(t, tsync.ParseInputV2(bad, &got), wire.ErrOutOfRange)
	require.Equal(t, empty, got)
	bad = append(make([]byte, 8), b[9:]...)
	require.ErrorIs(t, tsync.ParseInputV2(bad, &got), wire.ErrOutOfRange)
	bad = slices.Clone(b[1:])
	bad[17+8] = 33
	require.ErrorIs(t, tsync.ParseInputV2(bad, &got), wire.ErrCount)
	require.Equal(t, empty, got)

	for _, v := range []tsync.InputV2{{}, {Epoch: 1, Flags: 128}, {Flags: 1}} {
		b, err := tsync.AppendInputV2([]byte{9}, &v)
		require.ErrorIs(t, err, wire.ErrOutOfRange)
		require.Equal(t, []byte{9}, b)
	}
}

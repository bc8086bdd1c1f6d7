package tsync_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// bitString is what a snapshot is by the book: its fields one after the other, in binary digits.
func bitString(c *tsync.Codec, s *tsync.Snapshot) string {
	var b strings.Builder
	put := func(v uint64, n uint) { fmt.Fprintf(&b, "%0*b", n, v) }
	axes := func(v quant.Vector, codes [3]uint64) {
		for i := range codes {
			put(codes[i], v[i].Bits())
		}
	}
	put(uint64(s.Tick), 32)
	put(uint64(s.ID), 32)
	put(uint64(s.Base), 32)
	put(uint64(s.SendRate), 8)
	put(uint64(len(s.Removed)), 16)
	put(uint64(len(s.Updates)), 16)
	for _, id := range s.Removed {
		put(uint64(id), 32)
	}
	for _, u := range s.Updates {
		put(uint64(u.Object), 32)
		put(uint64(u.Gen), 16)
		put(uint64(u.Fields), 4)
		if u.Fields&tsync.FieldPosition != 0 {
			axes(c.Position(), u.Codes.Position)
		}
		if u.Fields&tsync.FieldRotation != 0 {
			put(u.Codes.Rotation, c.RotationBits())
		}
		if u.Fields&tsync.FieldVelocity != 0 {
			axes(c.Velocity(), u.Codes.Velocity)
		}
		if u.Fields&tsync.FieldInputSeq != 0 {
			put(uint64(u.InputSeq), 32)
		}
	}
	return b.String()
}

// packBits turns binary digits into bytes, the last one filled with zeros.
func packBits(digits string) []byte {
	out := make([]byte, (len(digits)+7)/8)
	for i, d := range []byte(digits) {
		out[i/8] |= (d - '0') << (7 - i%8)
	}
	return out
}

// randomSnapshot is made of random codes, the extreme ones often.
func randomSnapshot(rng *rand.Rand, c *tsync.Codec, removed, updates int) *tsync.Snapshot {
	s := &tsync.Snapshot{Tick: rng.Uint32(), ID: rng.Uint32(), Base: rng.Uint32(), SendRate: uint8(rng.Uint32())}
	code := func(top uint64) uint64 {
		switch rng.IntN(4) {
		case 0:
			return top
		case 1:
			return 0
		}
		return rng.Uint64N(top)
	}
	for range removed {
		s.Removed = append(s.Removed, rng.Uint32())
	}
	for range updates {
		u := tsync.Update{Object: rng.Uint32(), Gen: uint16(rng.Uint32()), Fields: tsync.Fields(rng.IntN(16))}
		var all tsync.Codes
		position, velocity := c.Position(), c.Velocity()
		for i := range 3 {
			all.Position[i], all.Velocity[i] = code(position[i].MaxCode()), code(velocity[i].MaxCode())
		}
		all.Rotation = code(1<<c.RotationBits() - 1)
		u.Codes.Merge(&all, u.Fields)
		if u.Fields&tsync.FieldInputSeq != 0 {
			u.InputSeq = rng.Uint32()
		}
		s.Updates = append(s.Updates, u)
	}
	return s
}

func TestSnapshotByTheBook(t *testing.T) {
	for name, h := range hellos() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			c := newCodec(t, h)
			var got tsync.Snapshot
			var w tsync.SnapshotWriter
			for range 300 {
				s := randomSnapshot(rng, c, rng.IntN(4), rng.IntN(9))
				digits := bitString(c, s)
				require.Equal(t, uint64(len(digits)), c.SnapshotBits(s))
				want := append([]byte("before"), packBits(digits)...)

				b, err := c.AppendSnapshot([]byte("before"), s)
				require.NoError(t, err)
				require.Equal(t, want, b)
				require.Equal(t, len(want)-len("before"), c.SnapshotBytes(s))
				require.Equal(t, want, written(t, &w, c, []byte("before"), s))

				require.NoError(t, c.ParseSnapshot(want[len("before"):], &got))
				requireSnapshot(t, s, &got)
			}
		})
	}
}

// written encodes s with a writer.
func written(t *testing.T, w *tsync.SnapshotWriter, c *tsync.Codec, dst []byte, s *tsync.Snapshot) []byte {
	w.Begin(c, dst, tsync.SnapshotHeader{Tick: s.Tick, ID: s.ID, Base: s.Base, SendRate: s.SendRate, Updates: 9})
	for _, id := range s.Removed {
		require.NoError(t, w.Remove(id))
	}
	for i := range s.Updates {
		before := w.Bits()
		require.NoError(t, w.Add(&s.Updates[i]))
		require.Equal(t, before+uint64(c.UpdateBits(s.Updates[i].Fields)), w.Bits())
	}
	require.Equal(t, c.SnapshotBits(s), w.Bits())
	require.Equal(t, len(s.Updates), w.Updates())
	return w.Bytes()
}

// requireSnapshot compares snapshots, in which lists without elements are alike.
func requireSnapshot(t *testing.T, want, got *tsync.Snapshot) {
	w, g := *want, *got
	for _, s := range []*tsync.Snapshot{&w, &g} {
		if len(s.Removed) == 0 {
			s.Removed = nil
		}
		if len(s.Updates) == 0 {
			s.Updates = nil
		}
	}
	require.Equal(t, w, g)
}

// TestSnapshotTruncated cuts a snapshot after every bit, and what is missing in the last byte is zero. That can be
// another snapshot, if the cut takes fields out of a mask.
func TestSnapshotTruncated(t *testing.T) {
	for name, h := range hellos() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			c := newCodec(t, h)
			var into tsync.Snapshot
			for range 10 {
				s := randomSnapshot(rng, c, 1+rng.IntN(2), 1+rng.IntN(3))
				digits := bitString(c, s)
				whole := packBits(digits)
				for n := range digits {
					b := packBits(digits[:n])
					err := c.ParseSnapshot(b, &into)
					if err != nil {
						requireSnapshot(t, &tsync.Snapshot{}, &into)
						continue
					}
					require.NotZero(t, n%8, "%d of %d bits", n, len(digits))
					again, err := c.AppendSnapshot(nil, &into)
					require.NoError(t, err)
					require.Equal(t, b, again)
				}
				require.ErrorIs(t, c.ParseSnapshot(append(whole, 0), &into), bitpack.ErrPadding)
			}
		})
	}
}

func TestSnapshotPadding(t *testing.T) {
	c := newCodec(t, compactHello())
	body, err := c.AppendSnapshot(nil, &tsync.Snapshot{Updates: []tsync.Update{{Object: 1}}}) // 52 bits, 4 of padding
	require.NoError(t, err)
	var into tsync.Snapshot
	for bit := range 4 {
		bad := append([]byte(nil), body...)
		bad[len(bad)-1] |= 1 << bit
		require.ErrorIs(t, c.ParseSnapshot(bad, &into), bitpack.ErrPadding)
		requireSnapshot(t, &tsync.Snapshot{}, &into)
	}
}

// TestSnapshotInvalidCodes tries the first code that there is not, where the width has room for one.
func TestSnapshotInvalidCodes(t *testing.T) {
	for name, h := range hellos() {
		t.Run(name, func(t *testing.T) {
			c := newCodec(t, h)
			position, velocity := c.Position(), c.Velocity()
			for axis := range 3 {
				var u tsync.Update
				u.Codes.Position[axis] = position[axis].MaxCode() + 1
				u.Codes.Velocity[axis] = velocity[axis].MaxCode() + 1
				u.Fields = tsync.FieldPosition
				requireInvalid(t, c, u)
				requireInvalidOnWire(t, c, u, position, axis)
				u.Fields = tsync.FieldVelocity
				requireInvalid(t, c, u)
				requireInvalidOnWire(t, c, u, velocity, axis)
			}
			requireInvalid(t, c, tsync.Update{Fields: tsync.FieldRotation, Codes: tsync.Codes{Rotation: 1 << c.RotationBits()}})
		})
	}
}

// requireInvalid requires that the encoders refuse u.
func requireInvalid(t *testing.T, c *tsync.Codec, u tsync.Update) {
	dst, err := c.AppendSnapshot([]byte{1, 2}, &tsync.Snapshot{ID: 1, Updates: []tsync.Update{{Object: 1}, u}})
	require.ErrorIs(t, err, quant.ErrInvalidCode)
	require.Equal(t, []byte{1, 2}, dst)

	var w tsync.SnapshotWriter
	w.Begin(c, nil, tsync.SnapshotHeader{})
	before := w.Bits()
	require.ErrorIs(t, w.Add(&u), quant.ErrInvalidCode)
	require.Equal(t, before, w.Bits())
	require.Zero(t, w.Updates())
}

// requireInvalidOnWire requires that the decoder refuses u, whose one field has the first code that there is not on an
// axis, if the axis has bits for it. Of several things that are wrong, the first in the stream is reported.
func requireInvalidOnWire(t *testing.T, c *tsync.Codec, u tsync.Update, v quant.Vector, axis int) {
	if bits.Len64(v[axis].MaxCode()+1) != int(v[axis].Bits()) {
		return
	}
	digits := bitString(c, &tsync.Snapshot{ID: 1, Updates: []tsync.Update{{Object: 1}, u}})
	var into tsync.Snapshot
	requireError := func(digits string, want error) {
		require.ErrorIs(t, c.ParseSnapshot(packBits(digits), &into), want)
		requireSnapshot(t, &tsync.Snapshot{}, &into)
	}
	requireError(digits, quant.ErrInvalidCode)
	requireError(digits+strings.Repeat("1", 80), quant.ErrInvalidCode)
	end := len(digits) // of the code
	for _, s := range v[axis+1:] {
		end -= int(s.Bits())
	}
	for n := len(digits) / 8 * 8; n >= len(digits)-int(v.Bits()); n -= 8 {
		if n >= end {
			requireError(digits[:n], quant.ErrInvalidCode)
		} else {
			requireError(digits[:n], bitpack.ErrOverrun)
		}
	}
}

func TestSnapshotLimits(t *testing.T) {
	c := newCodec(t, compactHello())
	most := make([]uint32, math.MaxUint16)
	updates := make([]tsync.Update, math.MaxUint16)
	body, err := c.AppendSnapshot(nil, &tsync.Snapshot{Removed: most, Updates: updates})
	require.NoError(t, err)
	var into tsync.Snapshot
	require.NoError(t, c.ParseSnapshot(body, &into))
	require.Len(t, into.Removed, math.MaxUint16)
	require.Len(t, into.Updates, math.MaxUint16)

	for _, s := range []*tsync.Snapshot{
		{Removed: append(most, 1)},
		{Updates: append(updates, tsync.Update{})},
	} {
		dst, err := c.AppendSnapshot([]byte{1}, s)
		require.ErrorIs(t, err, wire.ErrCount)
		require.Equal(t, []byte{1}, dst)
	}

	var w tsync.SnapshotWriter
	w.Begin(c, nil, tsync.SnapshotHeader{})
	var errs error
	for _, id := range into.Removed {
		errs = errors.Join(errs, w.Remove(id))
	}
	require.ErrorIs(t, w.Remove(1), wire.ErrCount)
	for i := range into.Updates {
		errs = errors.Join(errs, w.Add(&into.Updates[i]))
	}
	require.ErrorIs(t, w.Add(&tsync.Update{}), wire.ErrCount)
	require.NoError(t, errs)
	require.Equal(t, len(updates), w.Updates())
	require.True(t, bytes.Equal(body, w.Bytes()))

	dst, err := c.AppendSnapshot([]byte{1}, &tsync.Snapshot{Updates: []tsync.Update{{Fields: 16}}})
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	require.Equal(t, []byte{1}, dst)
}

func TestSnapshotWriterOrder(t *testing.T) {
	c := newCodec(t, compactHello())
	var w tsync.SnapshotWriter
	w.Begin(c, nil, tsync.SnapshotHeader{ID: 3})
	require.NoError(t, w.Add(&tsync.Update{Object: 1}))
	require.ErrorIs(t, w.Remove(2), wire.ErrCount)
	var got tsync.Snapshot
	require.NoError(t, c.ParseSnapshot(w.Bytes(), &got))
	requireSnapshot(t, &tsync.Snapshot{ID: 3, Updates: []tsync.Update{{Object: 1}}}, &got)
}

// TestSnapshotWriterFits fills a snapshot to the last bit that there is.
func TestSnapshotWriterFits(t *testing.T) {
	c := newCodec(t, compactHello())
	s := crowdSnapshot(t, c, 200, compactFields)
	var w tsync.SnapshotWriter
	for limit := range 400 {
		w.Begin(c, nil, tsync.SnapshotHeader{})
		for w.Fits(compactFields, limit) {
			require.NoError(t, w.Add(&s.Updates[w.Updates()]))
		}
		require.Equal(t, max(0, (limit-tsync.SnapshotHeaderBytes)*8/138), w.Updates(), limit)
		require.LessOrEqual(t, len(w.Bytes()), max(limit, tsync.SnapshotHeaderBytes))
	}
	w.Begin(c, nil, tsync.SnapshotHeader{})
	require.False(t, w.Fits(0, -1))
}

func TestSnapshotHeader(t *testing.T) {
	c := newCodec(t, compactHello())
	s := &tsync.Snapshot{Tick: 1, ID: 2, Base: 3, SendRate: 4, Removed: []uint32{5}, Updates: []tsync.Update{{Object: 6}, {}}}
	body, err := c.AppendSnapshot(nil, s)
	require.NoError(t, err)
	want := tsync.SnapshotHeader{Tick: 1, ID: 2, Base: 3, SendRate: 4, Removed: 1, Updates: 2}
	for _, b := range [][]byte{body, append(body, 1, 2, 3)} {
		h, err := tsync.ParseSnapshotHeader(b)
		require.NoError(t, err)
		require.Equal(t, want, h)
	}
	for n := range body {
		h, err := tsync.ParseSnapshotHeader(body[:n])
		require.ErrorIs(t, err, bitpack.ErrOverrun, n)
		require.Zero(t, h)
	}
}

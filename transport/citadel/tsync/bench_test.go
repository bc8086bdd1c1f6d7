package tsync_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// compactHello is a room of 20 metres without velocities: a full update has 138 bits.
func compactHello() tsync.Hello {
	h := tsync.DefaultHello()
	h.Position = tsync.Bounds{Min: [3]float32{-1000, -1000, -1000}, Max: [3]float32{1000, 1000, 1000}, PerUnit: 100}
	h.Quat = quant.Quat10
	return h
}

func newCodec(t testing.TB, h tsync.Hello) *tsync.Codec {
	c, err := tsync.NewCodec(h)
	require.NoError(t, err)
	return c
}

// crowd returns the states of n objects, all within a metre of the origin's neighbourhood and all different.
func crowd(n int) []tsync.State {
	states := make([]tsync.State, n)
	for i := range states {
		a := float64(i)
		states[i] = tsync.State{
			Position: [3]float32{float32(900 * math.Sin(a)), float32(900 * math.Cos(a)), float32(i)},
			Rotation: [4]float32{0, 0, float32(math.Sin(a / 2)), float32(math.Cos(a / 2))},
			Velocity: [3]float32{float32(500 * math.Cos(a)), float32(-500 * math.Sin(a)), 0},
		}
	}
	return states
}

// crowdSnapshot returns a complete snapshot of n objects with the given fields.
func crowdSnapshot(t testing.TB, c *tsync.Codec, n int, f tsync.Fields) *tsync.Snapshot {
	s := &tsync.Snapshot{Tick: 4711, ID: 17, SendRate: 20}
	for i, state := range crowd(n) {
		u := tsync.Update{Object: uint32(i + 1), Gen: 1, Fields: f}
		require.NoError(t, c.Quantize(&state, f, &u.Codes))
		s.Updates = append(s.Updates, u)
	}
	return s
}

const compactFields = tsync.FieldPosition | tsync.FieldRotation

// BenchmarkAppendSnapshot encodes 64 full updates of 138 bits from codes: 1,121 bytes.
func BenchmarkAppendSnapshot(b *testing.B) {
	c := newCodec(b, compactHello())
	require.Equal(b, uint(138), c.UpdateBits(compactFields))
	s := crowdSnapshot(b, c, 64, compactFields)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = c.AppendSnapshot(dst[:0], s)
	}
	b.SetBytes(int64(len(dst)))
}

// BenchmarkSnapshotWriter is BenchmarkAppendSnapshot piece by piece.
func BenchmarkSnapshotWriter(b *testing.B) {
	c := newCodec(b, compactHello())
	s := crowdSnapshot(b, c, 64, compactFields)
	h := tsync.SnapshotHeader{Tick: s.Tick, ID: s.ID, SendRate: s.SendRate}
	var w tsync.SnapshotWriter
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		w.Begin(c, dst[:0], h)
		for i := range s.Updates {
			if !w.Fits(s.Updates[i].Fields, tsync.MaxSnapshotBytes) {
				break
			}
			_ = w.Add(&s.Updates[i])
		}
		dst = w.Bytes()
	}
	b.SetBytes(int64(len(dst)))
}

// BenchmarkParseSnapshot decodes what BenchmarkAppendSnapshot encodes.
func BenchmarkParseSnapshot(b *testing.B) {
	c := newCodec(b, compactHello())
	body, err := c.AppendSnapshot(nil, crowdSnapshot(b, c, 64, compactFields))
	require.NoError(b, err)
	var into tsync.Snapshot
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		_ = c.ParseSnapshot(body, &into)
	}
}

// BenchmarkQuantizeAppend goes all the way from floats, with the default hello: 64 updates of 207 bits, 1,673 bytes.
func BenchmarkQuantizeAppend(b *testing.B) {
	c := newCodec(b, tsync.DefaultHello())
	states := crowd(64)
	s := crowdSnapshot(b, c, 64, tsync.StateFields)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		for i := range states {
			_ = c.Quantize(&states[i], tsync.StateFields, &s.Updates[i].Codes)
		}
		dst, _ = c.AppendSnapshot(dst[:0], s)
	}
	b.SetBytes(int64(len(dst)))
}

// BenchmarkParseDequantize is the way back of BenchmarkQuantizeAppend.
func BenchmarkParseDequantize(b *testing.B) {
	c := newCodec(b, tsync.DefaultHello())
	body, err := c.AppendSnapshot(nil, crowdSnapshot(b, c, 64, tsync.StateFields))
	require.NoError(b, err)
	states := make([]tsync.State, 64)
	var into tsync.Snapshot
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		_ = c.ParseSnapshot(body, &into)
		for i := range into.Updates {
			c.Dequantize(&into.Updates[i].Codes, into.Updates[i].Fields, &states[i])
		}
	}
}

func eightFrames() *tsync.Input {
	in := &tsync.Input{Acked: 41, LastSeen: 42}
	for i := range uint32(8) {
		f := tsync.InputFrame{
			Seq: 100 + i, SimTick: 900 + i, DT: 1.0 / 60, Object: 7, OwnershipEpoch: 2,
			Move: [3]float32{300, float32(i), 0}, Payload: []byte{1, 2, 3, byte(i)},
		}
		if i == 7 {
			f.Fire, f.Origin, f.Direction = true, [3]float32{10, 20, 150}, [3]float32{1, 0, 0}
		}
		in.Frames = append(in.Frames, f)
	}
	return in
}

func BenchmarkAppendInput(b *testing.B) {
	in := eightFrames()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = tsync.AppendInput(dst[:0], in)
	}
	b.SetBytes(int64(len(dst)))
}

// BenchmarkHandPackedInput is what AppendInput competes with.
func BenchmarkHandPackedInput(b *testing.B) {
	in := eightFrames()
	dst := make([]byte, 0, tsync.InputBytes(in))
	b.ReportAllocs()
	for b.Loop() {
		dst = handPackInput(dst[:0], in)
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkParseInput(b *testing.B) {
	body := tsync.AppendInput(nil, eightFrames())
	var into tsync.Input
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		_ = tsync.ParseInput(body, &into)
	}
}

// handPackInput writes an input as a game would that has nothing but this one frame to write.
func handPackInput(dst []byte, in *tsync.Input) []byte {
	be := binary.BigEndian
	n := 9
	for i := range in.Frames {
		n += 35 + len(in.Frames[i].Payload)
		if in.Frames[i].Fire {
			n += 24
		}
	}
	dst = slices.Grow(dst, n)
	at := len(dst)
	dst = dst[:at+n]
	b := dst[at:]
	be.PutUint32(b, in.Acked)
	be.PutUint32(b[4:], in.LastSeen)
	b[8] = byte(len(in.Frames))
	b = b[9:]
	for i := range in.Frames {
		f := &in.Frames[i]
		_ = b[34]
		be.PutUint32(b, f.Seq)
		be.PutUint32(b[4:], f.SimTick)
		be.PutUint32(b[8:], math.Float32bits(f.DT))
		be.PutUint32(b[12:], f.Object)
		be.PutUint32(b[16:], f.OwnershipEpoch)
		be.PutUint32(b[20:], math.Float32bits(f.Move[0]))
		be.PutUint32(b[24:], math.Float32bits(f.Move[1]))
		be.PutUint32(b[28:], math.Float32bits(f.Move[2]))
		b[32] = 0
		be.PutUint16(b[33:], uint16(len(f.Payload)))
		copy(b[35:], f.Payload)
		end := 35 + len(f.Payload)
		if f.Fire {
			b[32] = 1
			shot := b[end:][:24]
			be.PutUint32(shot, math.Float32bits(f.Origin[0]))
			be.PutUint32(shot[4:], math.Float32bits(f.Origin[1]))
			be.PutUint32(shot[8:], math.Float32bits(f.Origin[2]))
			be.PutUint32(shot[12:], math.Float32bits(f.Direction[0]))
			be.PutUint32(shot[16:], math.Float32bits(f.Direction[1]))
			be.PutUint32(shot[20:], math.Float32bits(f.Direction[2]))
			end += 24
		}
		b = b[end:]
	}
	return dst
}

package bitpack_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

func TestNothingAllocates(t *testing.T) {
	buf := make([]byte, 0, 4096)
	blob := make([]byte, 100)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		var w bitpack.Writer
		w.Reset(buf)
		for i := range uint(65) {
			w.WriteBits(uint64(i), i)
			w.WriteBool(i%2 == 0)
			w.WriteVarint(1 << (i % 64))
		}
		w.WriteBytes(blob)
		if err := w.WriteRun(blob, 799); err != nil {
			panic(err)
		}
		var r bitpack.Reader
		r.Reset(w.Bytes())
		for i := range uint(65) {
			v, err := r.ReadBits(i)
			if err != nil || v != uint64(i) {
				panic("value differs")
			}
			if even, err := r.ReadBool(); err != nil || even != (i%2 == 0) {
				panic("bit differs")
			}
			if v, err := r.ReadVarint(); err != nil || v != 1<<(i%64) {
				panic("varint differs")
			}
		}
		if err := r.ReadBytes(blob); err != nil {
			panic(err)
		}
		if err := r.ReadBytes(blob[:99]); err != nil {
			panic(err)
		}
		r.SeekBit(r.Pos() + 7)
		if err := r.Finish(); err != nil {
			panic(err)
		}
	}))
}

// TestRefusalsAllocateNothing: what a peer sends to be refused costs it more than us.
func TestRefusalsAllocateNothing(t *testing.T) {
	data := []byte{0xff, 0xff, 0xff}
	blob := make([]byte, 100)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		var r bitpack.Reader
		r.Reset(data)
		_, tooLong := r.ReadBits(25)
		_, endless := r.ReadVarint()
		if tooLong == nil || endless == nil || r.ReadBytes(blob) == nil || r.Finish() == nil {
			panic("accepted")
		}
	}))
}

// BenchmarkWriteBits writes fields of all widths up to 32 bits; the comparison with other libraries is in the module
// below bench.
func BenchmarkWriteBits(b *testing.B) {
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		var w bitpack.Writer
		w.Reset(buf)
		for i := range uint(1000) {
			w.WriteBits(uint64(i), 1+i*7%32)
		}
		buf = w.Bytes()[:0]
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/field")
}

func BenchmarkReadBits(b *testing.B) {
	var w bitpack.Writer
	for i := range uint(1000) {
		w.WriteBits(uint64(i), 1+i*7%32)
	}
	data := w.Bytes()
	b.ReportAllocs()
	for b.Loop() {
		var r bitpack.Reader
		r.Reset(data)
		for i := range uint(1000) {
			if _, err := r.ReadBits(1 + i*7%32); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/field")
}

// BenchmarkConstantWidths is what most codecs do: widths that are known when the code is compiled.
func BenchmarkConstantWidths(b *testing.B) {
	const fields = 10 * 100
	buf := make([]byte, 0, 4096)
	write := func(w *bitpack.Writer, v uint64) {
		w.WriteBits(v, 32)
		w.WriteBits(v, 16)
		w.WriteBits(v, 4)
		w.WriteBits(v, 23)
		w.WriteBits(v, 23)
		w.WriteBits(v, 20)
		w.WriteBits(v, 1)
		w.WriteBits(v, 2)
		w.WriteBits(v, 10)
		w.WriteBits(v, 7)
	}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var w bitpack.Writer
			w.Reset(buf)
			for i := range uint64(fields / 10) {
				write(&w, i)
			}
			buf = w.Bytes()[:0]
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/fields, "ns/field")
	})
	b.Run("read", func(b *testing.B) {
		var w bitpack.Writer
		for i := range uint64(fields / 10) {
			write(&w, i)
		}
		data := w.Bytes()
		b.ReportAllocs()
		for b.Loop() {
			var r bitpack.Reader
			r.Reset(data)
			var sum uint64
			for i := range uint64(fields / 10) {
				v0, err := r.ReadBits(32)
				if err != nil || v0 != i {
					b.Fatal("differs")
				}
				v1, _ := r.ReadBits(16)
				v2, _ := r.ReadBits(4)
				v3, _ := r.ReadBits(23)
				v4, _ := r.ReadBits(23)
				v5, _ := r.ReadBits(20)
				v6, _ := r.ReadBits(1)
				v7, _ := r.ReadBits(2)
				v8, _ := r.ReadBits(10)
				v9, _ := r.ReadBits(7)
				sum += v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9
			}
			if sum == 0 {
				b.Fatal("nothing read")
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/fields, "ns/field")
	})
}

func BenchmarkVarint(b *testing.B) {
	var w bitpack.Writer
	w.WriteBits(1, 1)
	for i := range 100 {
		w.WriteVarint(1 << (i % 21))
	}
	data := w.Bytes()
	b.ReportAllocs()
	for b.Loop() {
		var r bitpack.Reader
		r.Reset(data)
		r.SeekBit(1)
		for i := range 100 {
			if v, err := r.ReadVarint(); err != nil || v != 1<<(i%21) {
				b.Fatal(v, err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/varint")
}

package bitpack_test

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

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

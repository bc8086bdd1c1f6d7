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

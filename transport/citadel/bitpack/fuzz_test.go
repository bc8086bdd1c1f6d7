package bitpack_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// FuzzReader runs a script of operations on a reader and on the oracle.
func FuzzReader(f *testing.F) {
	f.Add([]byte{}, uint64(0), false, []byte{5, 0})
	f.Add([]byte{0xc0, 0xb3, 0xc7, 0x43, 0x1f, 0x2b, 0xd9, 0x3f, 0xae}, uint64(0), false, []byte{6, 17, 6, 21, 7, 16, 1, 2, 5, 0})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, uint64(83), true, []byte{0, 0, 2, 0, 3, 0, 12, 9, 6, 64})
	f.Add([]byte{0x80, 0x80, 0x01, 0x80, 0x00, 0xff}, uint64(math.MaxUint64), true, []byte{2, 0, 2, 0, 6, 69, 5, 0, 60, 8, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte, limit uint64, limited bool, script []byte) {
		if len(data) > 1<<12 || len(script) > 1<<10 {
			return // the oracle is slow
		}
		readScript(t, data, limit, limited, script)
	})
}

// FuzzVarint checks that a varint is accepted in one form only, by both decoders alike.
func FuzzVarint(f *testing.F) {
	f.Add([]byte{}, uint8(0))
	f.Add([]byte{0x7f}, uint8(1))
	f.Add([]byte{0x80, 0x00}, uint8(7))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, uint8(3))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00}, uint8(5))
	f.Fuzz(func(t *testing.T, b []byte, shift uint8) {
		shift %= 64
		v, n, err := bitpack.Varint(b)
		var w bitpack.Writer
		w.WriteBits(math.MaxUint64, uint(shift))
		w.WriteBytes(b)
		var r bitpack.Reader
		r.ResetBits(w.Bytes(), uint64(shift)+8*uint64(len(b)))
		r.SeekBit(uint64(shift))
		inBits, errInBits := r.ReadVarint()
		require.Equal(t, err, errInBits)
		require.Equal(t, v, inBits)
		require.Equal(t, uint64(shift)+8*uint64(n), r.Pos())
		if err != nil {
			require.Zero(t, v)
			require.Zero(t, n)
			return
		}
		require.Equal(t, b[:n], bitpack.AppendVarint(nil, v))
		w.Reset(nil)
		w.WriteVarint(v)
		require.Equal(t, b[:n], w.Bytes())
	})
}

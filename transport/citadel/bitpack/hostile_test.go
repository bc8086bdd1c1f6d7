package bitpack_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

func TestWriteRefusesImpossibleWidths(t *testing.T) {
	for before := range uint(65) {
		for _, n := range []uint{65, 66, 127, 128, 1 << 31, math.MaxUint - 64, math.MaxUint - 63, math.MaxUint - 1, math.MaxUint} {
			var w bitpack.Writer
			w.WriteBits(math.MaxUint64, before)
			w.WriteBits(math.MaxUint64, n)
			require.ErrorIs(t, w.Err(), bitpack.ErrTooManyBits)
			require.Equal(t, uint64(before), w.Len())
			w.WriteBits(0, 3)
			require.ErrorIs(t, w.Err(), bitpack.ErrTooManyBits, "the writer does not forget")
			var want oracle
			want.write(math.MaxUint64, before)
			want.write(0, 3)
			require.Equal(t, want.bytes(), w.Bytes())
			w.Reset(nil)
			require.NoError(t, w.Err())
		}
	}
}

func TestReadRefusesImpossibleWidths(t *testing.T) {
	data := make([]byte, 40)
	for pos := range uint64(130) {
		for _, n := range []uint{65, 66, 127, 128, 1 << 31, math.MaxUint - 64, math.MaxUint - 63, math.MaxUint - 1, math.MaxUint} {
			var r bitpack.Reader
			r.Reset(data)
			r.SeekBit(pos)
			_, err := r.ReadBits(n)
			require.ErrorIs(t, err, bitpack.ErrTooManyBits)
			require.Equal(t, pos, r.Pos())
		}
	}
}

// TestDeclaredLengths is about lengths that a peer announces and that reach further than the data.
func TestDeclaredLengths(t *testing.T) {
	run := make([]byte, 9)
	for have := range uint64(72) {
		for _, n := range []uint64{73, 80, 1 << 31, 1<<31 + have, 1 << 32, 1 << 63, math.MaxUint64 - 7, math.MaxUint64} {
			var w bitpack.Writer
			w.WriteBits(1, 1)
			require.ErrorIs(t, w.WriteRun(run, n), bitpack.ErrShortRun)
			require.ErrorIs(t, w.WriteRun(run[:have/8], have/8*8+1), bitpack.ErrShortRun)
			require.Equal(t, uint64(1), w.Len())

			var r bitpack.Reader
			r.Reset(run)
			r.SeekBit(n)
			require.Equal(t, uint64(72), r.Pos(), "there is no bit %d", n)
			r.SeekBit(have)
			require.Equal(t, have, r.Pos())
			remaining := r.Remaining() / 8
			require.ErrorIs(t, r.ReadBytes(make([]byte, remaining+1)), bitpack.ErrOverrun)
			require.Equal(t, have, r.Pos())
			require.NoError(t, r.ReadBytes(make([]byte, remaining)))

			r.ResetBits(run, n)
			require.Equal(t, uint64(72), r.Remaining(), "a limit above what there is")
		}
	}
}

// TestEveryBitLength reads one sequence of fields from every prefix of it. A field that is cut is refused, and then
// what is left of it can still be read.
func TestEveryBitLength(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var widths []uint
	var values []uint64
	var w bitpack.Writer
	for n := range uint(65) {
		v := rng.Uint64() & (1<<n - 1)
		widths, values = append(widths, n), append(values, v)
		w.WriteBits(v, n)
	}
	total := w.Len()
	data := w.Bytes()
	for limit := range total + 1 {
		var r bitpack.Reader
		r.ResetBits(data, limit)
		for i, n := range widths {
			pos := r.Pos()
			v, err := r.ReadBits(n)
			if pos+uint64(n) <= limit {
				if err != nil || v != values[i] {
					require.Fail(t, "field differs", "field %d of %d bits: %x, %v", i, limit, v, err)
				}
				continue
			}
			require.ErrorIs(t, err, bitpack.ErrOverrun)
			require.Equal(t, pos, r.Pos())
			left := uint(r.Remaining())
			require.Equal(t, limit-pos, uint64(left))
			v, err = r.ReadBits(left)
			require.NoError(t, err)
			require.Equal(t, values[i]>>(n-left), v)
			break
		}
		require.Zero(t, r.Remaining())
		require.NoError(t, r.Finish())
		_, err := r.ReadBits(1)
		require.ErrorIs(t, err, bitpack.ErrOverrun)
	}
}

func TestFinish(t *testing.T) {
	for _, c := range []struct {
		data []byte
		pos  uint64
		ok   bool
	}{
		{nil, 0, true},
		{[]byte{0}, 0, false}, // a whole byte, though it is zero
		{[]byte{0}, 1, true},
		{[]byte{0x80}, 1, true},
		{[]byte{0x81}, 1, false},
		{[]byte{0xff}, 8, true},
		{[]byte{0xff, 0}, 8, false},
		{[]byte{0xff, 0x01}, 15, false},
		{[]byte{0, 0, 0, 0, 0, 0, 0, 0, 0x40}, 66, true},
		{[]byte{0, 0, 0, 0, 0, 0, 0, 0, 0x40}, 65, false},
	} {
		var r bitpack.Reader
		r.Reset(c.data)
		r.SeekBit(c.pos)
		if c.ok {
			require.NoError(t, r.Finish(), "%x from %d", c.data, c.pos)
		} else {
			require.ErrorIs(t, r.Finish(), bitpack.ErrPadding, "%x from %d", c.data, c.pos)
		}
		require.Equal(t, c.pos, r.Pos(), "it moves nothing")
	}
}

// TestReaderBorrows reads what the slice holds at the time of the read, and writes nothing to it.
func TestReaderBorrows(t *testing.T) {
	data := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	same := append([]byte{}, data...)
	for limit := range uint64(len(data)) * 8 {
		var r bitpack.Reader
		r.ResetBits(data, limit)
		for r.Remaining() > 0 {
			_, err := r.ReadBits(uint(min(7, r.Remaining())))
			require.NoError(t, err)
		}
		require.NoError(t, r.ReadBytes(nil))
	}
	require.Equal(t, same, data)
}

func TestVarintForms(t *testing.T) {
	for _, c := range []struct {
		name string
		form []byte
		want uint64
		err  error
	}{
		{"zero", []byte{0}, 0, nil},
		{"one group", []byte{0x7f}, 127, nil},
		{"two groups", []byte{0x80, 0x01}, 128, nil},
		{"the largest", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, math.MaxUint64, nil},
		{"2^63", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 1 << 63, nil},
		{"nothing", nil, 0, bitpack.ErrOverrun},
		{"a group that never comes", []byte{0x80}, 0, bitpack.ErrOverrun},
		{"zero in two groups", []byte{0x80, 0x00}, 0, bitpack.ErrVarintOverlong},
		{"one in three groups", []byte{0x81, 0x80, 0x00}, 0, bitpack.ErrVarintOverlong},
		{"a tenth group of zero", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}, 0, bitpack.ErrVarintOverlong},
		{"2^64", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, 0, bitpack.ErrVarintOverflow},
		{"a full tenth group", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, 0, bitpack.ErrVarintOverflow},
		{"eleven groups", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 0, bitpack.ErrVarintLong},
		{"eleven groups, the tenth of one", []byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81, 0x01}, 0, bitpack.ErrVarintLong},
		// The value is too large whatever follows.
		{"eleven groups, the tenth too large", []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 0, bitpack.ErrVarintOverflow},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, n, err := bitpack.Varint(c.form)
			require.Equal(t, c.err, err)
			require.Equal(t, c.want, v)
			if err == nil {
				require.Equal(t, len(c.form), n)
				require.Equal(t, c.form, bitpack.AppendVarint(nil, v))
			}
			for shift := range uint(9) {
				var w bitpack.Writer
				w.WriteBits(math.MaxUint64, shift)
				w.WriteBytes(c.form)
				var r bitpack.Reader
				r.ResetBits(w.Bytes(), uint64(shift)+8*uint64(len(c.form)))
				r.SeekBit(uint64(shift))
				got, err := r.ReadVarint()
				require.Equal(t, c.err, err)
				require.Equal(t, c.want, got)
				if err != nil {
					require.Equal(t, uint64(shift), r.Pos())
				}
			}
		})
	}
}

func TestVarint32(t *testing.T) {
	for _, v := range []uint64{0, 1, 1<<31 - 1, 1 << 31, math.MaxUint32, 1 << 32, 1<<32 + 1, 1 << 35, math.MaxUint64} {
		var w bitpack.Writer
		w.WriteVarint(v)
		var r bitpack.Reader
		r.Reset(w.Bytes())
		got, err := r.ReadVarint32()
		if v <= math.MaxUint32 {
			require.NoError(t, err)
			require.Equal(t, v, uint64(got))
			continue
		}
		require.ErrorIs(t, err, bitpack.ErrVarintOverflow)
		require.Zero(t, r.Pos())
	}
}

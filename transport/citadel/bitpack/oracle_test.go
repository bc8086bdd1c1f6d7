package bitpack_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// oracle is a bit stream in the most obvious form.
type oracle []bool

func (o *oracle) write(v uint64, n uint) {
	for i := n; i > 0; i-- {
		*o = append(*o, v>>(i-1)&1 == 1)
	}
}

// bytes packs the stream, with zeros at the end.
func (o oracle) bytes() []byte {
	b := make([]byte, (len(o)+7)/8)
	for i, bit := range o {
		if bit {
			b[i/8] |= 0x80 >> (i % 8)
		}
	}
	return b
}

// value returns the bits as a number.
func (o oracle) value() (v uint64) {
	for _, bit := range o {
		v <<= 1
		if bit {
			v |= 1
		}
	}
	return v
}

// bitsOf returns the first n bits of b.
func bitsOf(b []byte, n uint64) (o oracle) {
	for _, c := range b {
		o.write(uint64(c), 8)
	}
	return o[:n]
}

// cursor is a reader of an oracle.
type cursor struct {
	bits oracle
	pos  uint64
}

func (c *cursor) left() uint64 { return uint64(len(c.bits)) - c.pos }

func (c *cursor) read(n uint64) (oracle, error) {
	if n > c.left() {
		return nil, bitpack.ErrOverrun
	}
	c.pos += n
	return c.bits[c.pos-n : c.pos], nil
}

func (c *cursor) readBits(n uint) (uint64, error) {
	if n > 64 {
		return 0, bitpack.ErrTooManyBits
	}
	bits, err := c.read(uint64(n))
	return bits.value(), err
}

// readBytes returns nil if there are not n bytes.
func (c *cursor) readBytes(n uint64) ([]byte, error) {
	bits, err := c.read(8 * n)
	return bits.bytes(), err
}

func (c *cursor) readVarint() (uint64, error) {
	start := c.pos
	var groups []byte
	for {
		group, err := c.readBytes(1)
		if err != nil {
			c.pos = start
			return 0, err
		}
		groups = append(groups, group...)
		v, err := varint(groups)
		if err == nil {
			return v, nil
		}
		if !errors.Is(err, bitpack.ErrOverrun) {
			c.pos = start
			return 0, err
		}
	}
}

// varint reads a varint that groups hold nothing but. ErrOverrun says that it goes on.
func varint(groups []byte) (uint64, error) {
	last := len(groups) - 1
	switch {
	case last == 9 && groups[9]&0x7f > 1:
		return 0, bitpack.ErrVarintOverflow
	case last == 9 && groups[9] >= 0x80:
		return 0, bitpack.ErrVarintLong
	case last > 0 && groups[last] == 0:
		return 0, bitpack.ErrVarintOverlong
	case groups[last] >= 0x80:
		return 0, bitpack.ErrOverrun
	}
	var v uint64
	for i := last; i >= 0; i-- {
		v = v<<7 | uint64(groups[i]&0x7f)
	}
	return v, nil
}

func (c *cursor) finish() error {
	rest := c.bits[c.pos:]
	if len(rest) >= 8 || slices.Contains(rest, true) {
		return bitpack.ErrPadding
	}
	return nil
}

// randomBits returns a value whose top bits may be set whatever the width: most magnitudes are as likely as others.
func randomBits(rng *rand.Rand) uint64 { return rng.Uint64() >> rng.IntN(64) }

func TestWriterAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var w bitpack.Writer
	for range 800 {
		prefix := make([]byte, rng.IntN(5))
		w.Reset(slices.Clone(prefix))
		var want oracle
		for range rng.IntN(40) {
			switch rng.IntN(6) {
			case 0:
				bit := rng.IntN(2) == 1
				w.WriteBool(bit)
				want = append(want, bit)
			case 1:
				p := make([]byte, rng.IntN(30))
				for i := range p {
					p[i] = byte(rng.Uint32())
				}
				w.WriteBytes(p)
				want = append(want, bitsOf(p, 8*uint64(len(p)))...)
			case 2:
				p := make([]byte, rng.IntN(30))
				for i := range p {
					p[i] = byte(rng.Uint32())
				}
				n := rng.Uint64N(8*uint64(len(p)) + 1)
				require.NoError(t, w.WriteRun(p, n))
				want = append(want, bitsOf(p, n)...)
			case 3:
				v := randomBits(rng)
				w.WriteVarint(v)
				p := bitpack.AppendVarint(nil, v)
				want = append(want, bitsOf(p, 8*uint64(len(p)))...)
			default:
				v, n := randomBits(rng), uint(rng.IntN(65))
				w.WriteBits(v, n)
				want.write(v, n)
			}
			require.Equal(t, uint64(len(want)), w.Len())
		}
		require.NoError(t, w.Err())
		require.Equal(t, append(prefix, want.bytes()...), append([]byte{}, w.Bytes()...))
		require.Equal(t, append(prefix, want.bytes()...), append([]byte{}, w.Bytes()...), "asking twice changes nothing")
		w.WriteBits(5, 3)
		require.Equal(t, append(append(prefix, want.bytes()...), 5<<5), w.Bytes(), "what comes later goes behind the padding")
	}
}

// readScript lets a reader and an oracle do the same, and compares them after each step. The script's bytes are the
// operations.
func readScript(t *testing.T, data []byte, limit uint64, limited bool, script []byte) {
	var r bitpack.Reader
	want := cursor{bits: bitsOf(data, uint64(len(data))*8)}
	if limited {
		r.ResetBits(data, limit)
		want.bits = want.bits[:min(limit, uint64(len(want.bits)))]
	} else {
		r.Reset(data)
	}
	for len(script) >= 2 {
		op, arg := script[0], script[1]
		script = script[2:]
		switch op % 8 {
		case 0:
			got, err := r.ReadBool()
			v, wantErr := want.readBits(1)
			require.Equal(t, wantErr, err)
			require.Equal(t, v == 1, got)
		case 1:
			got := make([]byte, arg%40)
			untouched := slices.Clone(got)
			err := r.ReadBytes(got)
			p, wantErr := want.readBytes(uint64(len(got)))
			require.Equal(t, wantErr, err)
			if err != nil {
				p = untouched
			}
			require.Equal(t, p, got)
		case 2:
			got, err := r.ReadVarint()
			v, wantErr := want.readVarint()
			require.Equal(t, wantErr, err)
			require.Equal(t, v, got)
		case 3:
			got, err := r.ReadVarint32()
			before := want.pos
			v, wantErr := want.readVarint()
			if wantErr == nil && v>>32 != 0 {
				v, wantErr, want.pos = 0, bitpack.ErrVarintOverflow, before
			}
			require.Equal(t, wantErr, err)
			require.Equal(t, v, uint64(got))
		case 4:
			pos := uint64(arg) * uint64(op/8)
			r.SeekBit(pos)
			want.pos = min(pos, uint64(len(want.bits)))
		case 5:
			require.Equal(t, want.finish(), r.Finish())
		default:
			n := uint(arg) % 70
			got, err := r.ReadBits(n)
			v, wantErr := want.readBits(n)
			require.Equal(t, wantErr, err)
			require.Equal(t, v, got)
		}
		require.Equal(t, want.pos, r.Pos())
		require.Equal(t, want.left(), r.Remaining())
	}
}

func TestReaderAgainstOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 1500 {
		data := make([]byte, rng.IntN(40))
		for i := range data {
			// Many continuation bits and many zeros: else there are no varints to speak of.
			data[i] = byte(rng.Uint32()) | byte(rng.IntN(2)<<7)
			if rng.IntN(4) == 0 {
				data[i] = 0
			}
		}
		script := make([]byte, 60)
		for i := range script {
			script[i] = byte(rng.Uint32())
		}
		readScript(t, data, rng.Uint64N(8*uint64(len(data))+3), rng.IntN(2) == 0, script)
	}
}

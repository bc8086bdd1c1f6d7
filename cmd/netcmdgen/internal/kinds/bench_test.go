package kinds

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"
	"github.com/ariadne-netcode/ariadne/registry/payload"
)

// The same payloads with codecs as a careful person writes them.

type handNumbers Numbers

func (h *handNumbers) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, h.ID)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(h.Pos.X))
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(h.Pos.Y))
	for _, v := range h.Cost {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return append(b, byte(h.Turn)), nil
}

func (h *handNumbers) UnmarshalBinary(p []byte) error {
	if len(p) != 25 {
		return payload.Size("Numbers", len(p), 25)
	}
	h.ID = binary.LittleEndian.Uint64(p)
	h.Pos.X = math.Float32frombits(binary.LittleEndian.Uint32(p[8:]))
	h.Pos.Y = math.Float32frombits(binary.LittleEndian.Uint32(p[12:]))
	for i := range h.Cost {
		h.Cost[i] = binary.LittleEndian.Uint16(p[16+2*i:])
	}
	h.Turn = geom.Turn(p[24])
	return nil
}

type handStep Step

func (h *handStep) AppendBinary(b []byte) ([]byte, error) {
	if h.Dir > West {
		return b, payload.Range("Step", "Dir", h.Dir)
	}
	return append(b, byte(h.Dir)), nil
}

func (h *handStep) UnmarshalBinary(p []byte) error {
	if len(p) != 1 {
		return payload.Size("Step", len(p), 1)
	}
	if Dir(p[0]) > West {
		return payload.Range("Step", "Dir", p[0])
	}
	h.Dir = Dir(p[0])
	return nil
}

type handGrid Grid

func (h *handGrid) AppendBinary(b []byte) ([]byte, error) {
	for i := range h {
		for j := range h[i] {
			open := byte(0)
			if h[i][j].Open {
				open = 1
			}
			b = append(b, h[i][j].X, h[i][j].Y, open)
		}
	}
	return b, nil
}

func (h *handGrid) UnmarshalBinary(p []byte) error {
	if len(p) != 18 {
		return payload.Size("Grid", len(p), 18)
	}
	for n := 2; n < len(p); n += 3 {
		if p[n] > 1 {
			return payload.Range("Grid", "", p[n])
		}
	}
	for i := range h {
		for j := range h[i] {
			h[i][j] = Cell{X: p[0], Y: p[1], Open: p[2] != 0}
			p = p[3:]
		}
	}
	return nil
}

type handSay Say

func (h *handSay) AppendBinary(b []byte) ([]byte, error) {
	if len(h.Text) > 200 {
		return b, payload.Length("Say", "Text", len(h.Text), 200)
	}
	b = binary.LittleEndian.AppendUint32(b, h.To)
	b = append(b, byte(len(h.Text)))
	return append(b, h.Text...), nil
}

func (h *handSay) UnmarshalBinary(p []byte) error {
	if len(p) < 5 || len(p) != 5+int(p[4]) || p[4] > 200 {
		return payload.Trailing("Say", len(p))
	}
	h.To = binary.LittleEndian.Uint32(p)
	h.Text = string(p[5:])
	return nil
}

// pairs are commands beside what is written by hand for them.
func pairs(r *rand.Rand) []struct {
	name            string
	generated, hand codec
} {
	var n Numbers
	var s Step
	var g Grid
	fill(r, valueOf(&n), "", true)
	fill(r, valueOf(&s), "", true)
	fill(r, valueOf(&g), "", true)
	say := Say{To: 7, Text: "meet me at the old mill at midnight"}
	return []struct {
		name            string
		generated, hand codec
	}{
		{"Numbers", &n, new(handNumbers(n))},
		{"Step", &s, new(handStep(s))},
		{"Grid", &g, new(handGrid(g))},
		{"Say", &say, new(handSay(say))},
	}
}

// The benchmark compares like with like.
func TestHandWrittenIsTheSame(t *testing.T) {
	for seed := range uint64(20) {
		for _, p := range pairs(rand.New(rand.NewPCG(10, seed))) {
			b := appended(t, p.generated)
			require.Equal(t, b, appended(t, p.hand))
			require.NoError(t, p.hand.UnmarshalBinary(slices.Clone(b)))
			require.Error(t, p.hand.UnmarshalBinary(append(b, 1)))
			require.Equal(t, b, appended(t, p.hand))
		}
	}
}

func BenchmarkCodec(b *testing.B) {
	for _, p := range pairs(rand.New(rand.NewPCG(10, 11))) {
		buf := make([]byte, 0, 256)
		encoded := appended(b, p.generated)
		for _, by := range []struct {
			name  string
			codec codec
		}{{"generated", p.generated}, {"hand", p.hand}} {
			b.Run(p.name+"/append/"+by.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := by.codec.AppendBinary(buf); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(p.name+"/decode/"+by.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := by.codec.UnmarshalBinary(encoded); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

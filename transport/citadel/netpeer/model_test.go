package netpeer_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// A slow model of the format: bunches of plain numbers, written as text of zeros and ones. It shares no code with
// the package, apart from the quantisation of package quant.

type modelField struct {
	kind     netpeer.Kind
	min, max int64
	scalar   quant.Scalar
	vector   quant.Vector
	step     float64 // of scalar and vector
	bound    float32 // of scalar and vector, both ways
	mode     quant.QuatMode
	limit    uint32
	item     *modelField
}

func (f *modelField) field() netpeer.Field {
	switch f.kind {
	case netpeer.KindBool:
		return netpeer.Bool()
	case netpeer.KindInt:
		return netpeer.Int(f.min, f.max)
	case netpeer.KindScalar:
		return netpeer.Scalar(f.scalar)
	case netpeer.KindVector:
		return netpeer.Vector(f.vector)
	case netpeer.KindQuat:
		return netpeer.Quat(f.mode)
	case netpeer.KindBytes:
		return netpeer.Bytes(f.limit)
	}
	return netpeer.Collection(f.item.field(), f.limit)
}

type modelValue struct {
	truth bool
	whole int64
	real  float32
	point [3]float32
	turn  [4]float32
	bytes []byte
	lists [3][]modelElement // removed, added, changed
}

type modelElement struct {
	id    netpeer.ElementID
	key   uint64
	value modelValue
}

type modelBunch struct {
	header netpeer.Header
	id     schema.Identity
	fields []modelField
	values map[int]modelValue
}

func randomInt64(r *rand.Rand) int64 { return int64(r.Uint64()) >> r.IntN(64) }

func randomToken(r *rand.Rand) uint64 { return max(1, r.Uint64()>>r.IntN(64)) }

func randomField(r *rand.Rand, plain bool) modelField {
	kinds := 7
	if plain {
		kinds = 6
	}
	f := modelField{kind: netpeer.KindBool + netpeer.Kind(r.IntN(kinds))}
	switch f.kind {
	case netpeer.KindInt:
		a, b := randomInt64(r), randomInt64(r)
		f.min, f.max = min(a, b), max(a, b)
	case netpeer.KindScalar, netpeer.KindVector:
		// A whole number of steps, so that the bounds have codes.
		per := uint32(1 + r.IntN(100))
		f.bound = float32(1 + r.IntN(1000))
		f.step = 1 / float64(per)
		f.scalar = must(quant.NewScalar(-f.bound, f.bound, per))
		b := f.bound
		f.vector = must(quant.NewVector([3]float32{-b, -b, -b}, [3]float32{b, b, b}, per))
	case netpeer.KindQuat:
		f.mode = []quant.QuatMode{quant.Quat9, quant.Quat10, quant.Quat15}[r.IntN(3)]
	case netpeer.KindBytes:
		f.limit = uint32(r.IntN(40))
	case netpeer.KindCollection:
		f.limit = uint32(r.IntN(12))
		item := randomField(r, true)
		f.item = &item
	}
	return f
}

func (f *modelField) randomValue(r *rand.Rand) (v modelValue) {
	number := func() float32 { return (r.Float32()*2.2 - 1.1) * f.bound } // also beyond the bounds
	switch f.kind {
	case netpeer.KindBool:
		v.truth = r.IntN(2) == 0
	case netpeer.KindInt:
		v.whole = randomInt64(r)
	case netpeer.KindScalar:
		v.real = number()
	case netpeer.KindVector:
		v.point = [3]float32{number(), number(), number()}
	case netpeer.KindQuat:
		norm := 0.0
		for i := range v.turn {
			v.turn[i] = float32(r.NormFloat64())
			norm += float64(v.turn[i]) * float64(v.turn[i])
		}
		for i := range v.turn {
			v.turn[i] = float32(float64(v.turn[i]) / math.Sqrt(norm))
		}
	case netpeer.KindBytes:
		v.bytes = randomBytes(r, r.IntN(int(f.limit)+1))
	case netpeer.KindCollection:
		seen := map[netpeer.ElementID]bool{}
		for i := range v.lists {
			for range r.IntN(int(f.limit) + 1) {
				e := modelElement{id: netpeer.ElementID{Index: r.Uint32() >> r.IntN(32), Generation: r.Uint32() >> r.IntN(32)}}
				if seen[e.id] {
					continue
				}
				seen[e.id] = true
				if i > 0 {
					e.key, e.value = r.Uint64()>>r.IntN(64), f.item.randomValue(r)
				}
				v.lists[i] = append(v.lists[i], e)
			}
		}
	}
	return v
}

func randomBytes(r *rand.Rand, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

// randomModel returns a bunch of a class of so many fields.
func randomModel(r *rand.Rand, fields int) *modelBunch {
	m := &modelBunch{values: map[int]modelValue{}}
	for i := range m.id.Hash {
		m.id.Hash[i] = byte(r.Uint32())
	}
	m.id.Version = r.Uint32()
	m.header = netpeer.Header{Object: r.Uint32(), Full: r.IntN(2) == 0, Result: randomToken(r), Base: randomToken(r)}
	share := r.Float64()
	for i := range fields {
		m.fields = append(m.fields, randomField(r, false))
		if r.Float64() < share {
			m.values[i] = m.fields[i].randomValue(r)
		}
	}
	return m
}

func (m *modelBunch) schema() *netpeer.Schema {
	var fields []netpeer.Field
	for i := range m.fields {
		fields = append(fields, m.fields[i].field())
	}
	return must(netpeer.NewSchema(m.id, fields...))
}

// value makes a value with the package.
func (f *modelField) value(to *netpeer.Field, v modelValue) (netpeer.Value, error) {
	switch f.kind {
	case netpeer.KindBool:
		return to.Bool(v.truth)
	case netpeer.KindInt:
		return to.Int(v.whole)
	case netpeer.KindScalar:
		return to.Scalar(v.real)
	case netpeer.KindVector:
		return to.Vector(v.point)
	case netpeer.KindQuat:
		return to.Quat(v.turn)
	case netpeer.KindBytes:
		return to.Bytes(v.bytes)
	}
	d := &netpeer.CollectionDelta{}
	for _, e := range v.lists[0] {
		d.Removed = append(d.Removed, e.id)
	}
	for i, list := range []*[]netpeer.Element{&d.Added, &d.Changed} {
		for _, e := range v.lists[i+1] {
			*list = append(*list, netpeer.Element{ID: e.id, Key: e.key, Value: must(f.item.value(to.Item(), e.value))})
		}
	}
	return to.Collection(d)
}

func (m *modelBunch) bunch(s *netpeer.Schema) *netpeer.Bunch {
	b := &netpeer.Bunch{Header: m.header}
	for i := range m.fields {
		if v, ok := m.values[i]; ok {
			b.Changes = append(b.Changes, netpeer.Change{Field: i, Value: must(m.fields[i].value(s.Field(i), v))})
		}
	}
	return b
}

// bitText is a bit stream in digits.
type bitText struct{ strings.Builder }

func (b *bitText) bits(v uint64, n int) {
	if n > 0 {
		fmt.Fprintf(b, "%0*b", n, v)
	}
}

func (b *bitText) varint(v uint64) {
	for ; v >= 128; v /= 128 {
		b.bits(128+v%128, 8)
	}
	b.bits(v, 8)
}

func (b *bitText) value(f *modelField, v modelValue) {
	switch f.kind {
	case netpeer.KindBool:
		if v.truth {
			b.WriteString("1")
		} else {
			b.WriteString("0")
		}
	case netpeer.KindInt:
		b.bits(uint64(min(max(v.whole, f.min), f.max))-uint64(f.min), bits.Len64(uint64(f.max)-uint64(f.min)))
	case netpeer.KindScalar:
		b.bits(must(f.scalar.Encode(v.real)), int(f.scalar.Bits()))
	case netpeer.KindVector:
		for i, x := range v.point {
			b.bits(must(f.vector[i].Encode(x)), int(f.vector[i].Bits()))
		}
	case netpeer.KindQuat:
		index, codes := f.mode.EncodeComponents(v.turn)
		b.bits(uint64(index), 2)
		for _, c := range codes {
			b.bits(uint64(c), int(f.mode))
		}
	case netpeer.KindBytes:
		b.varint(uint64(len(v.bytes)))
		for _, c := range v.bytes {
			b.bits(uint64(c), 8)
		}
	case netpeer.KindCollection:
		for i, list := range v.lists {
			b.varint(uint64(len(list)))
			for _, e := range list {
				b.varint(uint64(e.id.Index))
				b.varint(uint64(e.id.Generation))
				if i > 0 {
					b.varint(e.key)
					b.value(f.item, e.value)
				}
			}
		}
	}
}

// encode returns the body and its length in bits.
func (m *modelBunch) encode() (body []byte, bitLen int) {
	var b bitText
	b.bits(uint64(m.header.Object), 32)
	if m.header.Full {
		b.bits(1, 1)
		b.varint(m.header.Result)
		for _, c := range m.id.Hash {
			b.bits(uint64(c), 8)
		}
		b.bits(uint64(m.id.Version), 32)
	} else {
		b.bits(0, 1)
		b.varint(m.header.Result)
		b.varint(m.header.Base)
	}
	for i := range m.fields {
		_, ok := m.values[i]
		b.bits(uint64(map[bool]int{true: 1}[ok]), 1)
	}
	for i := range m.fields {
		if v, ok := m.values[i]; ok {
			b.value(&m.fields[i], v)
		}
	}
	text := b.String()
	return packText(text), len(text)
}

func packText(text string) []byte {
	p := make([]byte, (len(text)+7)/8)
	for i, c := range text {
		if c == '1' {
			p[i/8] |= 0x80 >> (i % 8)
		}
	}
	return p
}

// requireNear checks a decoded value against the number that it was made of.
func (f *modelField) requireNear(t *testing.T, want modelValue, from *netpeer.Field, got *netpeer.Value) {
	near := func(x, y float32) {
		x = min(max(x, -f.bound), f.bound)
		require.InDelta(t, float64(x), float64(y), f.step/2+1e-4, "f32 has no more digits than that")
	}
	switch f.kind {
	case netpeer.KindBool:
		require.Equal(t, want.truth, must(got.Bool()))
	case netpeer.KindInt:
		require.Equal(t, min(max(want.whole, f.min), f.max), must(got.Int(from)))
	case netpeer.KindScalar:
		near(want.real, must(got.Scalar(from)))
	case netpeer.KindVector:
		p := must(got.Vector(from))
		for i := range p {
			near(want.point[i], p[i])
		}
	case netpeer.KindQuat:
		q, dot := must(got.Quat(from)), 0.0
		for i := range q {
			dot += float64(q[i]) * float64(want.turn[i])
		}
		require.Greater(t, math.Abs(dot), 1-1e-4, "the same rotation, to within 1.6 degrees")
	case netpeer.KindBytes:
		require.Equal(t, string(want.bytes), string(must(got.Bytes())))
	case netpeer.KindCollection:
		d := must(got.Collection())
		require.Len(t, d.Removed, len(want.lists[0]))
		for i, e := range want.lists[0] {
			require.Equal(t, e.id, d.Removed[i])
		}
		for i, list := range [][]netpeer.Element{d.Added, d.Changed} {
			require.Len(t, list, len(want.lists[i+1]))
			for j, e := range want.lists[i+1] {
				require.Equal(t, e.id, list[j].ID)
				require.Equal(t, e.key, list[j].Key)
				f.item.requireNear(t, e.value, from.Item(), &list[j].Value)
			}
		}
	}
}

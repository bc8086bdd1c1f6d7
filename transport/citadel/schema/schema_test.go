package schema_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// The examples that were published together with the rules of hashing.
func TestPublishedShapes(t *testing.T) {
	for _, c := range []struct {
		name             string
		bounds           schema.Bounds
		key, raw, folded uint64
	}{
		{"health", schema.IntRange(0, 100), 0x7f69d4b5288ba9cf, 0x01dc2273d758f7c1, 0x2274df58bde525e0},
		{"emote", schema.ScalarRange(0, 1, 1024), 0x2485b0b424545363, 0x020066d3d1ec3ff4, 0xc0fd28d706f7d927},
		{"name", schema.MaxLen(32), 0xc4bcadba8e631b86, 0x03cff574d71681d5, 0x026be681da35a1ca},
		{"inventory", schema.MaxCardinality(16), 0x1de86446633071df, 0x04d037050129dd05, 0x275428f65a2277ad},
		{"alive", schema.NoBounds, 0x50d1febb65dbf0e6, 0, 0x9bfe3fe273c98d9f},
	} {
		p := schema.Property{Name: c.name, Bounds: c.bounds}
		require.Equal(t, c.key, schema.NameKey(c.name))
		require.Equal(t, c.raw, c.bounds.Shape())
		require.Equal(t, c.folded, p.Shape())
	}
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		bounds schema.Bounds
		kind   schema.BoundsKind
		text   string
	}{
		{schema.NoBounds, schema.BoundsNone, "no bounds"},
		{schema.IntRange(math.MinInt64, math.MaxInt64), schema.BoundsIntRange, "int range -9223372036854775808 to 9223372036854775807"},
		{schema.ScalarRange(-1.5, 2, 8), schema.BoundsScalarRange, "scalar range -1.5 to 2 at 8 per unit"},
		{schema.MaxLen(math.MaxUint32), schema.BoundsMaxLen, "at most 4294967295 bytes"},
		{schema.MaxCardinality(7), schema.BoundsMaxCardinality, "at most 7 elements"},
	} {
		require.Equal(t, c.kind, c.bounds.Kind())
		require.Equal(t, c.text, c.bounds.String())
		require.Equal(t, uint64(c.kind), c.bounds.Shape()>>56)

		// What goes in comes out, of one method and as zero of the others.
		least, greatest, isInt := c.bounds.IntRange()
		from, to, perUnit, isScalar := c.bounds.ScalarRange()
		length, isLen := c.bounds.MaxLen()
		items, isItems := c.bounds.MaxCardinality()
		require.Equal(t, []bool{
			c.kind == schema.BoundsIntRange, c.kind == schema.BoundsScalarRange,
			c.kind == schema.BoundsMaxLen, c.kind == schema.BoundsMaxCardinality,
		}, []bool{isInt, isScalar, isLen, isItems})
		var again schema.Bounds
		switch c.kind {
		case schema.BoundsIntRange:
			again, least, greatest = schema.IntRange(least, greatest), 0, 0
		case schema.BoundsScalarRange:
			again, from, to, perUnit = schema.ScalarRange(from, to, perUnit), 0, 0, 0
		case schema.BoundsMaxLen:
			again, length = schema.MaxLen(length), 0
		case schema.BoundsMaxCardinality:
			again, items = schema.MaxCardinality(items), 0
		}
		require.Equal(t, c.bounds, again)
		require.Equal(t, []any{int64(0), int64(0), float32(0), float32(0), uint32(0), uint32(0), uint32(0)},
			[]any{least, greatest, from, to, perUnit, length, items})
	}

	nan := float32(math.NaN())
	require.True(t, schema.ScalarRange(nan, 1, 1) == schema.ScalarRange(nan, 1, 1))
	require.False(t, schema.ScalarRange(0, 1, 1) == schema.ScalarRange(float32(math.Copysign(0, -1)), 1, 1))
}

func TestNames(t *testing.T) {
	require.Equal(t, "type 0", schema.Type(0).String())
	require.Equal(t, "type 10", schema.Type(10).String())
	require.Equal(t, "condition 8", schema.Condition(8).String())
	require.Equal(t, "authority 2", schema.Authority(2).String())
	require.Equal(t, "bounds 5", schema.BoundsKind(5).String())
	hash := schema.Hash{0x01, 15: 0xfe}
	require.Equal(t, "010000000000000000000000000000fe", hash.String())
	require.Equal(t, "v3/010000000000000000000000000000fe", schema.Identity{Hash: hash, Version: 3}.String())
}

// TestEveryFieldCounts changes one thing at a time in a layout and expects another identity, except for the two
// things that are no part of it.
func TestEveryFieldCounts(t *testing.T) {
	base := func() schema.Layout {
		return schema.Layout{Class: 1, Version: 1, Properties: []schema.Property{
			{Name: "hp", Type: schema.Int, Codec: schema.CodecScalar, Bounds: schema.IntRange(0, 100)},
			{Name: "at", Type: schema.Vector3, Codec: schema.CodecVector3, Bounds: schema.ScalarRange(-10, 10, 8)},
		}}
	}
	hash := func(l schema.Layout) schema.Hash {
		h, err := l.Hash()
		require.NoError(t, err)
		return h
	}
	seen := map[schema.Hash]int{hash(base()): -1}
	for i, change := range []func(l *schema.Layout){
		func(l *schema.Layout) { l.Version = 2 },
		func(l *schema.Layout) { l.Properties = l.Properties[:1] },
		func(l *schema.Layout) { l.Properties = nil },
		func(l *schema.Layout) { l.Properties[0].Name = "HP" },
		func(l *schema.Layout) { l.Properties[0].Type = schema.Uint },
		func(l *schema.Layout) { l.Properties[0].Codec = schema.CodecNone },
		func(l *schema.Layout) { l.Properties[0].Condition = schema.Never },
		func(l *schema.Layout) { l.Properties[0].Authority = schema.ClientOwned },
		func(l *schema.Layout) { l.Properties[0].Bounds = schema.IntRange(0, 101) },
		func(l *schema.Layout) { l.Properties[0].Bounds = schema.IntRange(-1, 100) },
		func(l *schema.Layout) { l.Properties[0].Bounds = schema.NoBounds },
		func(l *schema.Layout) { l.Properties[1].Bounds = schema.ScalarRange(-10, 10, 9) },
		func(l *schema.Layout) { l.Properties[1].Bounds = schema.ScalarRange(-10, 11, 8) },
		func(l *schema.Layout) { l.Properties[1].Bounds = schema.MaxLen(8) },
		func(l *schema.Layout) { l.Properties[1].Bounds = schema.MaxCardinality(8) },
		func(l *schema.Layout) {
			l.Properties[0].Bounds, l.Properties[1].Bounds = l.Properties[1].Bounds, l.Properties[0].Bounds
		},
		func(l *schema.Layout) { l.Properties[0], l.Properties[1] = l.Properties[1], l.Properties[0] },
	} {
		l := base()
		change(&l)
		h := hash(l)
		require.NotContains(t, seen, h, "change %d", i)
		seen[h] = i
	}
	l := base()
	l.Class, l.Properties[1].Push = 9, true
	require.Equal(t, hash(base()), hash(l))
}

func TestHashRefuses(t *testing.T) {
	many := make([]schema.Field, schema.MaxFields+1)
	for i := range many {
		many[i].ID = uint16(i)
	}
	_, err := schema.HashFields(1, many[:schema.MaxFields])
	require.NoError(t, err)
	_, err = schema.HashFields(1, many)
	require.ErrorIs(t, err, schema.ErrTooManyFields)
	_, err = schema.HashFields(1, []schema.Field{{ID: 4}, {ID: 4}})
	require.ErrorIs(t, err, schema.ErrFieldOrder)
	_, err = schema.HashFields(1, []schema.Field{{ID: 0}, {ID: 4}, {ID: 3}})
	require.ErrorIs(t, err, schema.ErrFieldOrder)

	l := schema.Layout{Properties: make([]schema.Property, schema.MaxFields+1)}
	_, err = l.Hash()
	require.ErrorIs(t, err, schema.ErrTooManyFields)
	_, err = l.Identity()
	require.ErrorIs(t, err, schema.ErrTooManyFields)
	require.ErrorIs(t, l.Validate(), schema.ErrTooManyFields)
	kept := []schema.Field{{ID: 1}}
	got, err := l.AppendFields(kept)
	require.ErrorIs(t, err, schema.ErrTooManyFields)
	require.Equal(t, kept, got)
}

func TestValidate(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	least, most := float32(-math.MaxFloat32), float32(math.MaxFloat32)
	for _, p := range []schema.Property{
		{Type: schema.Bool},
		{Type: schema.Bool, Codec: schema.CodecBool},
		{Type: schema.Int, Codec: schema.CodecScalar, Bounds: schema.IntRange(-5, -5)},
		{Type: schema.Int, Bounds: schema.IntRange(math.MinInt64, math.MaxInt64)},
		{Type: schema.Uint, Bounds: schema.IntRange(0, 7)},
		{Type: schema.Enum, Bounds: schema.IntRange(0, 0), Condition: schema.Never, Authority: schema.ClientOwned},
		{Type: schema.Scalar, Codec: schema.CodecScalar, Bounds: schema.ScalarRange(0, 1e-9, 1)},
		{Type: schema.Scalar, Bounds: schema.ScalarRange(0, 1<<40, 1<<23)},
		{Type: schema.Scalar},
		{Type: schema.Vector3, Codec: schema.CodecVector3},
		{Type: schema.Vector3, Codec: schema.CodecVector3, Bounds: schema.ScalarRange(-1, 1, 1)},
		{Type: schema.Quat, Codec: schema.CodecQuat15},
		{Type: schema.Quat, Codec: 1000},
		{Type: schema.Bytes, Bounds: schema.MaxLen(1)},
		{Type: schema.Collection, Codec: schema.CodecQuat9, Bounds: schema.MaxCardinality(1)},
		{Type: schema.Collection, Codec: schema.CodecBool},
	} {
		p.Name = "ü"
		require.NoError(t, schema.Layout{Properties: []schema.Property{p}}.Validate(), "%+v", p)
	}

	for _, c := range []struct {
		reason string
		p      schema.Property
	}{
		{"no name", schema.Property{Type: schema.Bool}},
		{"UTF-8", schema.Property{Name: "a\xff", Type: schema.Bool}},
		{"no such type 0", schema.Property{Name: "a"}},
		{"no such type 10", schema.Property{Name: "a", Type: schema.Collection + 1}},
		{"no such condition 8", schema.Property{Name: "a", Type: schema.Bool, Condition: schema.Never + 1}},
		{"no such authority 2", schema.Property{Name: "a", Type: schema.Bool, Authority: schema.ClientOwned + 1}},
		{"codec 2 is not for bool", schema.Property{Name: "a", Type: schema.Bool, Codec: schema.CodecScalar}},
		{"codec 1 is not for int", schema.Property{Name: "a", Type: schema.Int, Codec: schema.CodecBool}},
		{"codec 2 is not for vector3", schema.Property{Name: "a", Type: schema.Vector3, Codec: schema.CodecScalar}},
		{"codec 3 is not for quat", schema.Property{Name: "a", Type: schema.Quat, Codec: schema.CodecVector3}},
		{"codec 4 is not for scalar", schema.Property{Name: "a", Type: schema.Scalar, Codec: schema.CodecQuat9}},
		{"codec 2 is not for bytes", schema.Property{Name: "a", Type: schema.Bytes, Codec: schema.CodecScalar}},
		{"needs a range", schema.Property{Name: "a", Type: schema.Scalar, Codec: schema.CodecScalar}},
		{"not for bool", schema.Property{Name: "a", Type: schema.Bool, Bounds: schema.IntRange(0, 1)}},
		{"not for quat", schema.Property{Name: "a", Type: schema.Quat, Bounds: schema.ScalarRange(0, 1, 1)}},
		{"not for int", schema.Property{Name: "a", Type: schema.Int, Bounds: schema.ScalarRange(0, 1, 1)}},
		{"not for uint", schema.Property{Name: "a", Type: schema.Uint, Bounds: schema.IntRange(-1, 1)}},
		{"not for enum", schema.Property{Name: "a", Type: schema.Enum, Bounds: schema.MaxLen(1)}},
		{"not for scalar", schema.Property{Name: "a", Type: schema.Scalar, Bounds: schema.IntRange(0, 1)}},
		{"not for bytes", schema.Property{Name: "a", Type: schema.Bytes, Bounds: schema.MaxCardinality(1)}},
		{"not for collection", schema.Property{Name: "a", Type: schema.Collection, Bounds: schema.MaxLen(1)}},
		{"admits nothing", schema.Property{Name: "a", Type: schema.Int, Bounds: schema.IntRange(1, 0)}},
		{"admits nothing", schema.Property{Name: "a", Type: schema.Bytes, Bounds: schema.MaxLen(0)}},
		{"admits nothing", schema.Property{Name: "a", Type: schema.Collection, Bounds: schema.MaxCardinality(0)}},
	} {
		checkInvalid(t, c.reason, c.p)
	}

	// A range makes sense exactly if values can be quantised in it.
	limits := []float32{-inf, least, -1, float32(math.Copysign(0, -1)), 0, 1e-45, 1, 1 << 40, 1 << 41, most, inf, nan}
	for _, from := range limits {
		for _, to := range limits {
			for _, perUnit := range []uint32{0, 1, 1 << 23, math.MaxUint32} {
				p := schema.Property{Name: "a", Type: schema.Scalar, Bounds: schema.ScalarRange(from, to, perUnit)}
				if _, err := quant.NewScalar(from, to, perUnit); err != nil {
					checkInvalid(t, "admits nothing", p)
				} else {
					require.NoError(t, schema.Layout{Properties: []schema.Property{p}}.Validate(), "%v", p.Bounds)
				}
			}
		}
	}
}

// checkInvalid puts a senseless property behind sensible ones.
func checkInvalid(t *testing.T, reason string, p schema.Property) {
	t.Helper()
	err := schema.Layout{Properties: []schema.Property{{Name: "b", Type: schema.Bool}, p}}.Validate()
	require.ErrorIs(t, err, schema.ErrInvalidLayout, "%+v", p)
	var pe *schema.PropertyError
	require.ErrorAs(t, err, &pe)
	require.Equal(t, 1, pe.Index)
	require.Equal(t, p.Name, pe.Name)
	require.Contains(t, pe.Reason, reason)
	require.Contains(t, err.Error(), reason)
}

func TestValidateRepeatedName(t *testing.T) {
	err := schema.Layout{Properties: []schema.Property{
		{Name: "a", Type: schema.Bool}, {Name: "b", Type: schema.Bool}, {Name: "a", Type: schema.Quat},
	}}.Validate()
	var pe *schema.PropertyError
	require.ErrorAs(t, err, &pe)
	require.Equal(t, 2, pe.Index)
	require.Contains(t, pe.Reason, "property 0")
}

func TestAllocations(t *testing.T) {
	p := schema.Property{Name: strings.Repeat("name", 20), Bounds: schema.ScalarRange(0, 1, 2)}
	l := schema.Layout{Properties: []schema.Property{p, p, p, p}}
	fields := make([]schema.Field, 0, 4)
	image := make([]byte, 0, 256)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		fields, _ = l.AppendFields(fields[:0])
		image, _ = schema.AppendPreimage(image[:0], 1, fields)
	}))
	require.Len(t, image, 17+4+4+4*16)
	require.True(t, bytes.HasPrefix(image, []byte("citadel.schema.v1")))
}

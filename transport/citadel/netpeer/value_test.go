package netpeer_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// kinds returns a field of each kind, with a value.
func kinds() (fields []netpeer.Field, values []netpeer.Value) {
	s := sampleState()
	b := s.bunch(deltaHeader)
	for i := range b.Changes {
		fields = append(fields, *avatar.Field(i))
		values = append(values, b.Changes[i].Value)
	}
	return fields, values
}

func TestInvalidSchemas(t *testing.T) {
	for name, f := range map[string]netpeer.Field{
		"the zero field":             {},
		"an empty range":             netpeer.Int(1, 0),
		"a quaternion of 11 bits":    netpeer.Quat(11),
		"a scalar without bounds":    netpeer.Scalar(quant.Scalar{}),
		"a vector with a flat axis":  netpeer.Vector(quant.Vector{heatCodec, heatCodec}),
		"a collection in one":        netpeer.Collection(netpeer.Collection(netpeer.Bool(), 1), 1),
		"a collection of no kind":    netpeer.Collection(netpeer.Field{}, 1),
		"a collection of bad ranges": netpeer.Collection(netpeer.Int(math.MaxInt64, math.MinInt64), 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := netpeer.NewSchema(schema.Identity{}, netpeer.Bool(), f)
			require.ErrorIs(t, err, netpeer.ErrInvalidSchema)
			require.ErrorContains(t, err, "field 1")
			_, err = f.Int(0)
			require.Error(t, err, "a field that cannot be has no values")
		})
	}
	_, err := netpeer.NewSchema(schema.Identity{}, netpeer.Quat(11))
	require.ErrorIs(t, err, quant.ErrInvalidSpec)
	_, err = netpeer.NewSchema(schema.Identity{}, make([]netpeer.Field, netpeer.MaxFields+1)...)
	require.ErrorIs(t, err, netpeer.ErrInvalidSchema)
}

// A schema is as it was made, whatever becomes of the slice that it was made of.
func TestSchemaIsAValue(t *testing.T) {
	fields := []netpeer.Field{netpeer.Bool()}
	s := must(netpeer.NewSchema(avatarID, fields...))
	fields[0] = netpeer.Int(0, 5)
	require.Equal(t, netpeer.KindBool, s.Field(0).Kind())
	require.Equal(t, 1, s.Len())
	require.Equal(t, avatarID, s.Identity())
	require.Panics(t, func() { s.Field(1) })
}

func TestIntSaturates(t *testing.T) {
	for _, c := range []struct {
		min, max int64
		bits     uint
	}{
		{-10, 10, 5}, {3, 3, 0}, {0, 1, 1}, {math.MinInt64, math.MaxInt64, 64}, {math.MinInt64, math.MinInt64, 0},
		{math.MaxInt64, math.MaxInt64, 0}, {math.MinInt64, 0, 64}, {-1, math.MaxInt64, 64}, {0, math.MaxInt64, 63},
	} {
		f := netpeer.Int(c.min, c.max)
		require.Equal(t, c.bits, f.Bits())
		for _, v := range []int64{math.MinInt64, -11, -10, -1, 0, 1, 2, 3, 4, 10, 11, math.MaxInt64 - 1, math.MaxInt64} {
			got := must(f.Int(v))
			require.Equal(t, min(max(v, c.min), c.max), must(got.Int(&f)))
		}
	}
}

// Only a field of a value's kind makes it and reads it.
func TestKindsDoNotMix(t *testing.T) {
	fields, values := kinds()
	nan := float32(math.NaN())
	for i := range fields {
		f := &fields[i]
		_, errs := make([]netpeer.Value, 0), map[netpeer.Kind]error{}
		_, errs[netpeer.KindBool] = f.Bool(true)
		_, errs[netpeer.KindInt] = f.Int(1)
		_, errs[netpeer.KindScalar] = f.Scalar(1)
		_, errs[netpeer.KindVector] = f.Vector([3]float32{})
		_, errs[netpeer.KindQuat] = f.Quat([4]float32{})
		_, errs[netpeer.KindBytes] = f.Bytes(nil)
		_, errs[netpeer.KindCollection] = f.Collection(nil)
		for kind, err := range errs {
			if kind == f.Kind() {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, netpeer.ErrKind, "%v of %v", kind, f.Kind())
			}
		}
		for j := range values {
			v, errs := &values[j], map[netpeer.Kind]error{}
			_, errs[netpeer.KindBool] = v.Bool()
			_, errs[netpeer.KindInt] = v.Int(f)
			_, errs[netpeer.KindScalar] = v.Scalar(f)
			_, errs[netpeer.KindVector] = v.Vector(f)
			_, errs[netpeer.KindQuat] = v.Quat(f)
			_, errs[netpeer.KindBytes] = v.Bytes()
			_, errs[netpeer.KindCollection] = v.Collection()
			alone := map[netpeer.Kind]bool{netpeer.KindBool: true, netpeer.KindBytes: true, netpeer.KindCollection: true}
			for kind, err := range errs {
				if kind == v.Kind() && (kind == f.Kind() || alone[kind]) {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, netpeer.ErrKind, "%v as %v with %v", v.Kind(), kind, f.Kind())
				}
			}
			require.Equal(t, i == j, v.Equal(&values[i]))
		}
		require.Equal(t, f.Kind() == netpeer.KindCollection, f.Item() != nil)
	}
	_, err := fields[fieldHeat].Scalar(nan)
	require.ErrorIs(t, err, quant.ErrNotANumber)
	_, err = fields[fieldPosition].Vector([3]float32{0, nan, 0})
	require.ErrorIs(t, err, quant.ErrNotANumber)
	_, err = fields[fieldName].Bytes(make([]byte, 33))
	require.ErrorIs(t, err, netpeer.ErrBytesTooLong)
	require.Equal(t, "collection", netpeer.KindCollection.String())
	require.Equal(t, "kind(8)", netpeer.Kind(8).String())
}

// A value knows its kind but not its field: a code that the field does not have is found when it is used.
func TestValueOfAnotherField(t *testing.T) {
	wide := []netpeer.Field{netpeer.Int(0, 1000), netpeer.Scalar(must(quant.NewScalar(0, 1000, 1))),
		netpeer.Vector(must(quant.NewVector([3]float32{}, [3]float32{1000, 1000, 1000}, 1))), netpeer.Quat(quant.Quat15), netpeer.Bytes(10)}
	narrow := []netpeer.Field{netpeer.Int(0, 4), netpeer.Scalar(must(quant.NewScalar(0, 4, 1))),
		netpeer.Vector(must(quant.NewVector([3]float32{}, [3]float32{1000, 4, 1000}, 1))), netpeer.Quat(quant.Quat9), netpeer.Bytes(4)}
	values := []netpeer.Value{must(wide[0].Int(5)), must(wide[1].Scalar(5)), must(wide[2].Vector([3]float32{5, 5, 5})),
		must(wide[3].Quat([4]float32{1, 0, 0, 0})), must(wide[4].Bytes([]byte("12345")))}
	for i := range values {
		want := quant.ErrInvalidCode
		if values[i].Kind() == netpeer.KindBytes {
			want = netpeer.ErrBytesTooLong
		}
		s := schemaOf(narrow[i], netpeer.Collection(narrow[i], 5))
		var d netpeer.CollectionDelta
		d.Added = append(d.Added, netpeer.Element{Value: values[i]})
		for _, c := range []netpeer.Change{{Field: 0, Value: values[i]}, {Field: 1, Value: must(s.Field(1).Collection(&d))}} {
			out, err := s.AppendBunch([]byte("kept"), &netpeer.Bunch{Header: deltaHeader, Changes: []netpeer.Change{c}})
			require.ErrorIs(t, err, want)
			require.Equal(t, "kept", string(out))
			out, _, err = s.Prepare([]byte("kept"), c.Field, &c.Value)
			require.ErrorIs(t, err, want)
			require.Equal(t, "kept", string(out))
			var e netpeer.Encoder
			e.Begin([]byte("kept"), s, deltaHeader)
			e.Value(c.Field, &c.Value)
			out, err = e.End()
			require.ErrorIs(t, err, want)
			require.Equal(t, "kept", string(out))
		}
		var err error
		switch v := &values[i]; v.Kind() {
		case netpeer.KindInt:
			_, err = v.Int(&narrow[i])
		case netpeer.KindScalar:
			_, err = v.Scalar(&narrow[i])
		case netpeer.KindVector:
			_, err = v.Vector(&narrow[i])
		case netpeer.KindQuat:
			_, err = v.Quat(&narrow[i])
		default:
			err = want
		}
		require.ErrorIs(t, err, want)
	}
}

// Values compare by what is sent.
func TestEqualComparesCodes(t *testing.T) {
	f := netpeer.Scalar(heatCodec)
	a, b, c := must(f.Scalar(36.61)), must(f.Scalar(36.59)), must(f.Scalar(36.7))
	require.True(t, a.Equal(&b), "a tenth is the step")
	require.False(t, a.Equal(&c))
	g := netpeer.Collection(netpeer.Bytes(4), 9)
	item := g.Item()
	delta := func(names ...string) *netpeer.Value {
		var d netpeer.CollectionDelta
		for i, name := range names {
			e := netpeer.Element{ID: netpeer.ElementID{Index: uint32(i)}, Value: must(item.Bytes([]byte(name)))}
			d.Added = append(d.Added, e)
		}
		v := must(g.Collection(&d))
		return &v
	}
	require.True(t, delta("a", "b").Equal(delta("a", "b")))
	require.False(t, delta("a", "b").Equal(delta("a", "c")))
	require.False(t, delta("a", "b").Equal(delta("a")))
	none := must(g.Collection(nil))
	require.True(t, none.Equal(delta()))
	require.False(t, none.Equal(delta("a")))
	require.True(t, none.Equal(&none))
}

func TestCloneSharesNothing(t *testing.T) {
	s := sampleState()
	s.Slots.Added[0].Value = netpeer.Value{}
	list := netpeer.Collection(netpeer.Bytes(8), 4)
	name := []byte("thread")
	d := netpeer.CollectionDelta{
		Removed: []netpeer.ElementID{{Index: 1}},
		Changed: []netpeer.Element{{Value: must(list.Item().Bytes(name))}},
	}
	v := must(list.Collection(&d))
	c := v.Clone()
	require.True(t, v.Equal(&c))
	name[0] = 'b'
	d.Removed[0].Index = 2
	got := must(c.Collection())
	require.Equal(t, uint32(1), got.Removed[0].Index)
	require.Equal(t, "thread", string(must(got.Changed[0].Value.Bytes())))

	plain := netpeer.Bytes(8)
	v = must(plain.Bytes(name))
	c = v.Clone()
	name[1] = 'r'
	require.Equal(t, "bhread", string(must(c.Bytes())))
}

func TestBudget(t *testing.T) {
	for limit, want := range map[int]int{-5: 0, 0: 0, 1: 1, netpeer.MaxAlloc: netpeer.MaxAlloc, math.MaxInt32: netpeer.MaxAlloc} {
		b := netpeer.NewBudget(limit)
		require.Equal(t, want, b.Left(), fmt.Sprint(limit))
	}
	var whole netpeer.Budget
	require.Equal(t, netpeer.MaxAlloc, whole.Left())

	// The avatar's name has 7 bytes and its slots 3 elements. A decoder is charged like the parser, and so is one
	// that skips everything.
	s := sampleState()
	body := must(avatar.AppendBunch(nil, s.bunch(fullHeader)))
	for limit := range 12 {
		budget := netpeer.NewBudget(limit)
		var b netpeer.Bunch
		err := netpeer.ParseBunch(body, avatar, &budget, &b)
		d := netpeer.Decoder{Budget: netpeer.NewBudget(limit)}
		var into state
		streamed := into.decode(&d, body)
		skipping := netpeer.Decoder{Budget: netpeer.NewBudget(limit)}
		require.NoError(t, skipping.Begin(body))
		require.NoError(t, skipping.Open(avatar))
		skipped := skipping.End()
		if limit < 10 {
			require.ErrorIs(t, err, netpeer.ErrBudget)
			require.ErrorIs(t, streamed, netpeer.ErrBudget)
			require.ErrorIs(t, skipped, netpeer.ErrBudget)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, streamed)
		require.NoError(t, skipped)
		require.Equal(t, limit-10, budget.Left())
		require.Equal(t, limit-10, d.Budget.Left())
		require.Equal(t, limit-10, skipping.Budget.Left())
	}
}

// Fields are the same if values of one can be read as those of the other.
func TestSameFields(t *testing.T) {
	scalar := func(least, greatest float32, perUnit uint32) netpeer.Field {
		return netpeer.Scalar(must(quant.NewScalar(least, greatest, perUnit)))
	}
	all := func() []netpeer.Field {
		return []netpeer.Field{
			netpeer.Bool(), netpeer.Int(0, 100), netpeer.Int(1, 101), netpeer.Int(0, 101), scalar(0, 1, 10), scalar(1, 2, 10), scalar(0, 1, 20),
			netpeer.Quat(quant.Quat9), netpeer.Quat(quant.Quat10), netpeer.Bytes(4), netpeer.Bytes(5),
			netpeer.Vector(quant.Vector{heatCodec, heatCodec, heatCodec}),
			netpeer.Collection(netpeer.Int(0, 100), 4), netpeer.Collection(netpeer.Int(1, 101), 4), netpeer.Collection(netpeer.Int(0, 100), 5),
		}
	}
	again := all()
	for i, f := range all() {
		for j := range again {
			require.Equal(t, i == j, f.Same(&again[j]), "%d and %d", i, j)
		}
	}
	var none *netpeer.Field
	require.True(t, none.Same(nil))
	require.False(t, none.Same(&again[0]))
	require.False(t, again[0].Same(nil))
}

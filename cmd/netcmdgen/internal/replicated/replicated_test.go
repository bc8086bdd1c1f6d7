package replicated

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// The constants are what the layouts hash to today, name fold and all, and the layouts make sense.
func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		id, version uint32
		hash        string
		class       *replica.Class
		history     []*replica.Class
		versions    []uint32
	}{
		{AvatarClassID, AvatarVersion, AvatarLayoutHash, AvatarClass(), AvatarHistory(), []uint32{3}},
		{EverythingClassID, EverythingVersion, EverythingLayoutHash, EverythingClass(), EverythingHistory(), []uint32{1}},
		{GrownClassID, GrownVersion, GrownLayoutHash, GrownClass(), GrownHistory(), []uint32{4, 3, 2}},
		{ManyClassID, ManyVersion, ManyLayoutHash, ManyClass(), ManyHistory(), []uint32{3, 2, 1}},
		{ShelfClassID, ShelfVersion, ShelfLayoutHash, ShelfClass(), ShelfHistory(), []uint32{1}},
	} {
		hash, err := c.class.Layout().Hash()
		require.NoError(t, err)
		require.Equal(t, c.hash, hash.String())
		require.Equal(t, schema.Identity{Hash: hash, Version: c.version}, c.class.Identity())
		require.Equal(t, c.id, c.class.ID())
		var versions []uint32
		var layouts []schema.Layout
		for _, h := range c.history {
			require.NoError(t, h.Layout().Validate())
			require.Equal(t, c.id, h.ID())
			require.Equal(t, h.Len(), len(h.Layout().Properties))
			versions, layouts = append(versions, h.Identity().Version), append(layouts, h.Layout())
		}
		require.Equal(t, c.versions, versions)
		_, err = schema.NewHistory(versions[len(versions)-1], layouts[0], layouts[1:]...)
		require.NoError(t, err)
	}
	require.Equal(t, []*replica.Class{AvatarClass(), EverythingClass(), GrownClass(), ManyClass(), ShelfClass()}, ReplicatedClasses())
	c := AvatarHistory()
	c[0] = nil
	require.NotNil(t, AvatarClass(), "the list is the caller's")
}

// The layout is the one that somebody would write down for the same class, and hashes like it.
func TestLayoutByHand(t *testing.T) {
	byHand := schema.Layout{Class: 1, Version: 3, Properties: []schema.Property{
		{Name: "Alive", Type: schema.Bool, Codec: schema.CodecBool},
		{Name: "Health", Type: schema.Int, Bounds: schema.IntRange(-10, 10)},
		{Name: "Heat", Type: schema.Scalar, Codec: schema.CodecScalar, Bounds: schema.ScalarRange(-100, 100, 10)},
		{Name: "Position", Type: schema.Vector3, Codec: schema.CodecVector3, Bounds: schema.ScalarRange(-100, 100, 10)},
		{Name: "Rotation", Type: schema.Quat, Codec: schema.CodecQuat10},
		{Name: "Name", Type: schema.Bytes, Bounds: schema.MaxLen(32)},
		{Name: "Slots", Type: schema.Collection, Bounds: schema.MaxCardinality(4)},
	}}
	hash, err := byHand.Hash()
	require.NoError(t, err)
	require.Equal(t, AvatarLayoutHash, hash.String())
	byHand.Properties[1].Name = "Wealth"
	hash, err = byHand.Hash()
	require.NoError(t, err)
	require.NotEqual(t, AvatarLayoutHash, hash.String(), "names are part of it")
}

// fields returns a set of fields of Everything.
func fields(list ...int) replica.Fields {
	f := replica.NewFields(EverythingClass().Len())
	for _, i := range list {
		f.Add(i)
	}
	return f
}

func allFields() replica.Fields {
	f := fields()
	f.AddAll(EverythingClass().Len())
	return f
}

// setters are those of Everything, by field.
func setters(r *EverythingReplica) map[int]any {
	return map[int]any{
		EverythingBoolField: r.SetBool, EverythingFlagField: r.SetFlag, EverythingI8Field: r.SetI8,
		EverythingI16Field: r.SetI16, EverythingI32Field: r.SetI32, EverythingI64Field: r.SetI64,
		EverythingU8Field: r.SetU8, EverythingU16Field: r.SetU16, EverythingU32Field: r.SetU32,
		EverythingU64Field: r.SetU64, EverythingTeamField: r.SetTeam, EverythingOtherField: r.SetOther,
		EverythingScalarField: r.SetScalar, EverythingHeatField: r.SetHeat, EverythingFineField: r.SetFine,
		EverythingVectorField: r.SetVector, EverythingPointField: r.SetPoint, EverythingWideField: r.SetWide,
		EverythingQuat9Field: r.SetQuat9, EverythingQuat10Field: r.SetQuat10, EverythingQuat15Field: r.SetQuat15,
		EverythingStringField: r.SetString, EverythingNameField: r.SetName, EverythingBytesField: r.SetBytes,
		EverythingBlobField: r.SetBlob, EverythingHiddenField: r.setHidden, EverythingValueField: r.setValue,
	}
}

// getters are the accessors of Everything, by field.
func getters(r *EverythingReplica) map[int]any {
	return map[int]any{
		EverythingBoolField: r.Bool, EverythingFlagField: r.Flag, EverythingI8Field: r.I8,
		EverythingI16Field: r.I16, EverythingI32Field: r.I32, EverythingI64Field: r.I64,
		EverythingU8Field: r.U8, EverythingU16Field: r.U16, EverythingU32Field: r.U32,
		EverythingU64Field: r.U64, EverythingTeamField: r.Team, EverythingOtherField: r.Other,
		EverythingScalarField: r.Scalar, EverythingHeatField: r.Heat, EverythingFineField: r.Fine,
		EverythingVectorField: r.Vector, EverythingPointField: r.Point, EverythingWideField: r.Wide,
		EverythingQuat9Field: r.Quat9, EverythingQuat10Field: r.Quat10, EverythingQuat15Field: r.Quat15,
		EverythingStringField: r.String, EverythingNameField: r.Name, EverythingBytesField: r.Bytes,
		EverythingBlobField: r.Blob, EverythingHiddenField: r.hidden, EverythingValueField: r.value,
	}
}

// random returns a value of a type, often at an edge and often out of bounds, never NaN.
func random(rng *rand.Rand, t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 1)
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(rng.Uint64()) >> rng.IntN(64) << (64 - t.Bits()) >> (64 - t.Bits()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rng.Uint64() >> rng.IntN(64) << (64 - t.Bits()) >> (64 - t.Bits()))
	case reflect.Float32:
		edges := []float64{0, 1, -1, math.Copysign(0, -1), 512.5, 1e6, -1e6, 3e38, math.Inf(1), math.Inf(-1)}
		if v.SetFloat(rng.NormFloat64() * math.Pow(10, float64(rng.IntN(7)-1))); rng.IntN(4) == 0 {
			v.SetFloat(edges[rng.IntN(len(edges))])
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(random(rng, t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(random(rng, t.Field(i).Type))
		}
	case reflect.String:
		v.SetString("x"[:rng.IntN(2)])
	case reflect.Slice:
		v.SetBytes([]byte("abcdefgh")[:rng.IntN(9)])
	default:
		panic(t)
	}
	return v
}

// wanted returns the value that a field has on the wire for a value in Go, by the long way.
func wanted(t testing.TB, f *netpeer.Field, v reflect.Value) netpeer.Value {
	t.Helper()
	var floats [4]float32
	n := 0
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			floats[i] = float32(v.Index(i).Float())
			n++
		}
	case reflect.Struct:
		for i := range v.NumField() {
			floats[i] = float32(v.Field(i).Float())
			n++
		}
	}
	var out netpeer.Value
	var err error
	switch {
	case v.Kind() == reflect.Bool:
		out, err = f.Bool(v.Bool())
	case v.CanInt():
		out, err = f.Int(v.Int())
	case v.CanUint() && v.Uint() > math.MaxInt64:
		out, err = f.Int(math.MaxInt64)
	case v.CanUint():
		out, err = f.Int(int64(v.Uint()))
	case v.CanFloat():
		out, err = f.Scalar(float32(v.Float()))
	case v.Kind() == reflect.String:
		out, err = f.Bytes([]byte(v.String()))
	case v.Kind() == reflect.Slice:
		out, err = f.Bytes(v.Bytes())
	case n == 3:
		out, err = f.Vector([3]float32(floats[:3]))
	default:
		out, err = f.Quat(floats)
	}
	require.NoError(t, err)
	return out
}

// Every setter marks its own field, and only if the value is another one.
func TestSettersMark(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var r EverythingReplica
	f := fields()
	r.TakeDirty(f)
	require.Equal(t, allFields(), f, "a new one is dirty all over")
	require.NoError(t, r.WriteReplica(replica.NewState(EverythingClass()), f))
	f.Clear()
	r.TakeDirty(f)
	require.True(t, f.Empty())

	changes := 0
	get := getters(&r)
	set := setters(&r)
	require.Len(t, set, EverythingClass().Len()-9, "all but the collections")
	for _, field := range slices.Sorted(maps.Keys(set)) {
		call := reflect.ValueOf(set[field])
		for range 50 {
			was := reflect.ValueOf(clone(reflect.ValueOf(get[field]).Call(nil)[0].Interface()))
			v := random(rng, call.Type().In(0))
			call.Call([]reflect.Value{v})
			f.Clear()
			r.TakeDirty(f)
			if same(was, v) {
				require.True(t, f.Empty(), field)
			} else {
				require.Equal(t, fields(field), f, field)
				changes++
			}
			require.True(t, same(v, reflect.ValueOf(get[field]).Call(nil)[0]), field)
		}
		r.MarkDirty(field)
		f.Clear()
		r.TakeDirty(f)
		require.Equal(t, fields(field), f)
	}
	require.Greater(t, changes, 500)
}

// same compares as the language does, and byte strings by their bytes.
func same(a, b reflect.Value) bool {
	if a.Kind() == reflect.Slice {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	return a.Equal(b)
}

// clone copies a byte string.
func clone(v any) any {
	switch v := v.(type) {
	case []byte:
		return bytes.Clone(v)
	case Blob:
		return bytes.Clone(v)
	}
	return v
}

// A collection marks itself until it is written.
func TestCollectionsMark(t *testing.T) {
	var r EverythingReplica
	s := replica.NewState(EverythingClass())
	require.NoError(t, r.WriteReplica(s, allFields()))
	f := fields()
	r.TakeDirty(f)
	f.Clear()
	id := r.Names().Add("ann")
	r.Uints().Add(5)
	r.TakeDirty(f)
	require.Equal(t, fields(EverythingNamesField, EverythingUintsField), f)
	require.NoError(t, r.WriteReplica(s, fields(EverythingNamesField)))
	f.Clear()
	r.TakeDirty(f)
	require.Equal(t, fields(EverythingUintsField), f)
	require.Len(t, s.Items(EverythingNamesField), 1)
	require.True(t, r.Names().Remove(id))
	f.Clear()
	r.TakeDirty(f)
	require.Equal(t, fields(EverythingNamesField, EverythingUintsField), f)
}

// What arrives at the other end is what was set, to within the codes, for every kind of field, and it has the same
// codes again when it is sent on.
func TestReplicaRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var r, copied EverythingReplica
	s, again := replica.NewState(EverythingClass()), replica.NewState(EverythingClass())
	wire := EverythingClass().Schema()
	for range 300 {
		set := setters(&r)
		for _, field := range slices.Sorted(maps.Keys(set)) {
			if call := reflect.ValueOf(set[field]); rng.IntN(3) > 0 {
				call.Call([]reflect.Value{random(rng, call.Type().In(0))})
			}
		}
		randomItems(rng, &r)
		dirty := fields()
		r.TakeDirty(dirty)
		require.NoError(t, r.WriteReplica(s, dirty))
		for field, getter := range getters(&r) {
			want := wanted(t, wire.Field(field), reflect.ValueOf(getter).Call(nil)[0])
			got := s.Value(field)
			require.True(t, want.Equal(&got), "field %d", field)
		}

		copied.ReadReplica(s, dirty)
		require.NoError(t, copied.WriteReplica(again, dirty))
		for i := range EverythingClass().Len() {
			want, got := s.Value(i), again.Value(i)
			switch wire.Field(i).Kind() {
			case netpeer.KindQuat: // dequantising and quantising again may end at a neighbour
				a, err := want.Quat(wire.Field(i))
				require.NoError(t, err)
				b, err := got.Quat(wire.Field(i))
				require.NoError(t, err)
				dot := a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3]
				require.InDelta(t, 1, math.Abs(float64(dot)), 1e-4)
			case netpeer.KindCollection:
			default:
				if i != EverythingFineField && i != EverythingHeatField { // which have more codes than floats
					require.True(t, want.Equal(&got), "field %d", i)
				}
			}
		}
		requireSameItems(t, r.Bools(), copied.Bools())
		requireSameItems(t, r.Uints(), copied.Uints())
		requireSameItems(t, r.Teams(), copied.Teams())
		requireSameItems(t, r.Names(), copied.Names())
		requireSameItems(t, r.Blobs(), copied.Blobs())
		requireSameItems(t, r.Ints(), copied.Ints())
		for id, v := range r.Vectors().All() {
			got, ok := copied.Vectors().At(id)
			require.True(t, ok)
			require.InDelta(t, min(max(v.Y, 0), 1), got.Y, 0.051)
		}
		for id, v := range r.Scalars().All() {
			got, ok := copied.Scalars().At(id)
			require.True(t, ok)
			require.InDelta(t, float64(min(max(v, 0), 1)), float64(got), 0.051)
		}
		require.Equal(t, r.Quats().Len(), copied.Quats().Len())
	}
	require.Positive(t, copied.Uints().Len())
}

// randomItems changes each collection a little, within its bounds.
func randomItems(rng *rand.Rand, r *EverythingReplica) {
	change(rng, r.Bools(), rng.IntN(2) == 1)
	change(rng, r.Ints(), Level(rng.IntN(11)-5))
	change(rng, r.Uints(), Count(rng.IntN(1001)))
	change(rng, r.Teams(), Team(rng.IntN(3)))
	change(rng, r.Scalars(), Heat(rng.Float32()*2-0.5))
	change(rng, r.Vectors(), Vec{rng.Float32(), rng.Float32() * 2, -rng.Float32()})
	change(rng, r.Quats(), Turn{rng.Float32(), rng.Float32(), rng.Float32(), 1})
	change(rng, r.Names(), []string{"", "ann", "bobby"}[rng.IntN(3)])
	change(rng, r.Blobs(), Blob("12345")[:rng.IntN(6)])
}

func change[T any](rng *rand.Rand, items *replica.Items[T], v T) {
	switch {
	case items.Len() < 2 || items.Len() < 10 && rng.IntN(3) == 0:
		items.Add(v)
	default:
		skip := rng.IntN(items.Len())
		for id := range items.All() {
			if skip--; skip >= 0 {
				continue
			}
			if rng.IntN(3) == 0 {
				items.Remove(id)
			} else {
				items.Set(id, v)
			}
			break
		}
	}
}

func requireSameItems[T any](t *testing.T, a, b *replica.Items[T]) {
	t.Helper()
	list := func(items *replica.Items[T]) (s string) {
		for id, v := range items.All() {
			s += fmt.Sprint(id, v, " ")
		}
		return s
	}
	require.Equal(t, list(a), list(b))
}

// What cannot be replicated is an error and not another value.
func TestRefused(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		set   func(r *EverythingReplica)
		field int
		want  error
	}{
		"scalar":    {func(r *EverythingReplica) { r.SetScalar(nan) }, EverythingScalarField, quant.ErrNotANumber},
		"vector":    {func(r *EverythingReplica) { r.SetWide(geom.Vec3{Y: nan}) }, EverythingWideField, quant.ErrNotANumber},
		"quat":      {func(r *EverythingReplica) { r.SetQuat9(Turn{W: nan}) }, EverythingQuat9Field, quant.ErrNotANumber},
		"string":    {func(r *EverythingReplica) { r.SetString(strings.Repeat("x", 41)) }, EverythingStringField, netpeer.ErrBytesTooLong},
		"bytes":     {func(r *EverythingReplica) { r.SetBlob(make(Blob, 9)) }, EverythingBlobField, netpeer.ErrBytesTooLong},
		"item":      {func(r *EverythingReplica) { r.Names().Add("123456") }, EverythingNamesField, netpeer.ErrBytesTooLong},
		"many":      {func(r *EverythingReplica) { addMany(r, 11) }, EverythingUintsField, replica.ErrTooManyItems},
		"item, NaN": {func(r *EverythingReplica) { r.Vectors().Add(Vec{X: nan}) }, EverythingVectorsField, quant.ErrNotANumber},
	} {
		var r EverythingReplica
		s := replica.NewState(EverythingClass())
		require.NoError(t, r.WriteReplica(s, allFields()), name)
		c.set(&r)
		require.ErrorIs(t, r.WriteReplica(s, fields(c.field)), c.want, name)
	}
	var r EverythingReplica
	require.ErrorIs(t, r.WriteReplica(replica.NewState(AvatarClass()), allFields()), netpeer.ErrKind, "of another class")
}

func addMany(r *EverythingReplica, n int) {
	for range n {
		r.Uints().Add(1)
	}
}

// A field that the receiver does not have reads as zero.
func TestReadWithoutValue(t *testing.T) {
	var r GrownReplica
	r.SetA(3)
	r.SetD(Vec{1, 1, 1})
	r.SetE(true)
	f := replica.NewFields(GrownClass().Len())
	f.AddAll(GrownClass().Len())
	old := replica.NewState(GrownHistory()[2])
	require.NoError(t, old.SetInt(GrownAField, 7))
	require.NoError(t, old.SetBool(GrownBField, true))
	r.ReadReplica(old, f)
	require.Equal(t, Grown{A: 7, B: true}, *r.Value())
}

// Nothing allocates once memory has grown, except for byte strings and collections that change, which are kept.
func TestReplicaDoesNotAllocate(t *testing.T) {
	var r, copied EverythingReplica
	s, f := replica.NewState(EverythingClass()), allFields()
	rng := rand.New(rand.NewPCG(5, 6))
	randomItems(rng, &r)
	r.SetString("hello")
	r.SetBytes([]byte("world"))
	require.NoError(t, r.WriteReplica(s, f))
	plain := allFields()
	for _, i := range []int{EverythingNamesField, EverythingBlobsField} { // whose elements are copies
		plain.Remove(i)
	}
	copied.ReadReplica(s, f)
	n := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n++
		r.SetI64(int64(n))
		r.SetFine(float32(n))
		r.SetVector(Vec{X: float32(n)})
		r.SetQuat10([4]float32{1, float32(n), 0, 1})
		r.SetString([]string{"hello", "hello"}[n%2])
		f.Clear()
		r.TakeDirty(f)
		if err := r.WriteReplica(s, f); err != nil || f.Empty() {
			t.Fatal(err)
		}
		r.MarkDirty(EverythingStringField)
		r.TakeDirty(f)
		if err := r.WriteReplica(s, f); err != nil {
			t.Fatal(err)
		}
		copied.ReadReplica(s, plain)
	}))
	require.Equal(t, r.Vector().Y, copied.Vector().Y)
}

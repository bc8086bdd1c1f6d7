package replicated

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// randomChanges fills the fields of a set of changes, which is behind a pointer, and returns its values as a bunch of
// the schema, made by the long way.
func randomChanges(t testing.TB, rng *rand.Rand, s *netpeer.Schema, h netpeer.Header, into any) *netpeer.Bunch {
	bunch := &netpeer.Bunch{Header: h}
	c := reflect.ValueOf(into).Elem()
	set := c.Field(0)
	for i := range set.Len() {
		set.Index(i).SetUint(0)
	}
	for i := range s.Len() {
		field := c.Field(i + 1)
		field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem() // also if it is not exported
		if rng.IntN(3) == 0 {
			continue
		}
		word := set.Index(i / 64)
		word.SetUint(word.Uint() | 1<<(i%64))
		f := s.Field(i)
		var v netpeer.Value
		if f.Kind() == netpeer.KindCollection {
			d := field.Addr().Interface().(*netpeer.CollectionDelta)
			randomDelta(t, rng, f.Item(), min(int(f.Limit()), 6), d)
			var err error
			v, err = f.Collection(d)
			require.NoError(t, err)
		} else {
			field.Set(random(rng, field.Type()))
			if field.Kind() == reflect.Slice {
				field.SetBytes(field.Bytes()[:min(field.Len(), int(f.Limit()))])
			}
			v = wanted(t, f, field)
		}
		bunch.Changes = append(bunch.Changes, netpeer.Change{Field: i, Value: v})
	}
	return bunch
}

// randomDelta fills a delta with items of distinct ids.
func randomDelta(t testing.TB, rng *rand.Rand, item *netpeer.Field, limit int, d *netpeer.CollectionDelta) {
	d.Reset()
	next := uint32(0)
	id := func() netpeer.ElementID {
		next += 1 + rng.Uint32()>>rng.IntN(32)/64
		return netpeer.ElementID{Index: next, Generation: rng.Uint32() >> rng.IntN(32)}
	}
	element := func() netpeer.Element {
		x := rng.Float32()
		var v reflect.Value
		switch item.Kind() {
		case netpeer.KindBool:
			v = reflect.ValueOf(x < 0.5)
		case netpeer.KindInt:
			v = reflect.ValueOf(int64(rng.IntN(30) - 10))
		case netpeer.KindScalar:
			v = reflect.ValueOf(x)
		case netpeer.KindVector:
			v = reflect.ValueOf([3]float32{x, 1 - x, 0})
		case netpeer.KindQuat:
			v = reflect.ValueOf([4]float32{x, 1, 0, x})
		case netpeer.KindBytes:
			v = reflect.ValueOf([]byte("12345")[:rng.IntN(6)])
		}
		return netpeer.Element{ID: id(), Key: rng.Uint64() >> rng.IntN(64), Value: wanted(t, item, v)}
	}
	for range rng.IntN(limit + 1) {
		d.Removed = append(d.Removed, id())
	}
	for range rng.IntN(limit + 1) {
		d.Added = append(d.Added, element())
	}
	for range rng.IntN(limit + 1) {
		d.Changed = append(d.Changed, element())
	}
}

// codec is what all sets of changes can do.
type codec interface {
	AppendFields(*netpeer.Encoder)
	AppendBunch([]byte, *netpeer.Schema, netpeer.Header) ([]byte, error)
	ParseBunch([]byte, *netpeer.Schema, *netpeer.Budget) (netpeer.Header, error)
}

// For every class, version and set of fields, what the generated code writes is what package netpeer writes, and what
// it reads it can write again.
func TestChangesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct {
		history   []*replica.Class
		one, same codec
	}{
		{AvatarHistory(), new(AvatarChanges), new(AvatarChanges)},
		{EverythingHistory(), new(EverythingChanges), new(EverythingChanges)},
		{GrownHistory(), new(GrownChanges), new(GrownChanges)},
		{ManyHistory(), new(ManyChanges), new(ManyChanges)},
		{ShelfHistory(), new(ShelfChanges), new(ShelfChanges)},
	} {
		for _, class := range c.history {
			s := class.Schema()
			for n := range 200 {
				h := netpeer.Header{Object: rng.Uint32(), Result: rng.Uint64()>>rng.IntN(64) | 1, Full: n%2 == 0}
				if !h.Full {
					h.Base = rng.Uint64()>>rng.IntN(64) | 1
				}
				bunch := randomChanges(t, rng, s, h, c.one)
				want, err := s.AppendBunch([]byte("front"), bunch)
				require.NoError(t, err)
				got, err := c.one.AppendBunch([]byte("front"), s, h)
				require.NoError(t, err)
				require.Equal(t, want, got)
				var e netpeer.Encoder
				e.Begin([]byte("front"), s, h)
				c.one.AppendFields(&e)
				got, err = e.End()
				require.NoError(t, err)
				require.Equal(t, want, got)

				body := want[len("front"):]
				got, err = readAgain(c.same, body, s)
				require.NoError(t, err)
				set := reflect.ValueOf(c.one).Elem().Field(0).Interface()
				require.Equal(t, set, reflect.ValueOf(c.same).Elem().Field(0).Interface())
				requireAlike(t, s, body, got)
			}
		}
	}
}

// requireAlike compares what two bodies say. Of a number that has more codes than there are floats, and of a rotation,
// it takes the neighbour for the same.
func requireAlike(t *testing.T, s *netpeer.Schema, a, b []byte) {
	t.Helper()
	var one, other netpeer.Bunch
	require.NoError(t, netpeer.ParseBunch(a, s, nil, &one))
	require.NoError(t, netpeer.ParseBunch(b, s, nil, &other))
	require.Equal(t, one.Header, other.Header)
	require.Equal(t, len(one.Changes), len(other.Changes))
	for i := range one.Changes {
		x, y := &one.Changes[i], &other.Changes[i]
		require.Equal(t, x.Field, y.Field)
		f := s.Field(x.Field)
		switch {
		case f.Kind() == netpeer.KindQuat:
			p, err := x.Value.Quat(f)
			require.NoError(t, err)
			q, err := y.Value.Quat(f)
			require.NoError(t, err)
			require.InDelta(t, 1, math.Abs(float64(p[0]*q[0]+p[1]*q[1]+p[2]*q[2]+p[3]*q[3])), 1e-4)
		case f.Kind() == netpeer.KindScalar && f.Bits() > 24:
			p, err := x.Value.Scalar(f)
			require.NoError(t, err)
			q, err := y.Value.Scalar(f)
			require.NoError(t, err)
			require.InEpsilon(t, 1+math.Abs(float64(p)), 1+math.Abs(float64(q)), 1e-6)
		case f.Kind() == netpeer.KindVector && f.Bits() > 72:
			p, err := x.Value.Vector(f)
			require.NoError(t, err)
			q, err := y.Value.Vector(f)
			require.NoError(t, err)
			require.InEpsilon(t, 1+math.Abs(float64(p[1])), 1+math.Abs(float64(q[1])), 1e-6)
		default:
			require.True(t, x.Value.Equal(&y.Value), "field %d", x.Field)
		}
	}
}

// readAgain parses a body and encodes what was read.
func readAgain(c codec, body []byte, s *netpeer.Schema) ([]byte, error) {
	h, err := c.ParseBunch(body, s, nil)
	if err != nil {
		return nil, err
	}
	return c.AppendBunch(nil, s, h)
}

// What cannot be sent is refused with nothing appended, and says which field it is.
func TestChangesRefuseToEncode(t *testing.T) {
	nan := float32(math.NaN())
	s, dst := AvatarClass().Schema(), []byte("front")
	twice := []netpeer.ElementID{{Index: 1}, {Index: 1}}
	for name, c := range map[string]struct {
		changes AvatarChanges
		want    error
		text    string
	}{
		"scalar":     {AvatarChanges{Set: [1]uint64{1 << AvatarHeatField}, Heat: nan}, quant.ErrNotANumber, "Heat: "},
		"vector, x":  {AvatarChanges{Set: [1]uint64{1 << AvatarPositionField}, Position: [3]float32{0: nan}}, quant.ErrNotANumber, "Position: "},
		"vector, y":  {AvatarChanges{Set: [1]uint64{1 << AvatarPositionField}, Position: [3]float32{1: nan}}, quant.ErrNotANumber, "Position: "},
		"vector, z":  {AvatarChanges{Set: [1]uint64{1 << AvatarPositionField}, Position: [3]float32{2: nan}}, quant.ErrNotANumber, "Position: "},
		"bytes":      {AvatarChanges{Set: [1]uint64{1 << AvatarNameField}, Name: make([]byte, 33)}, netpeer.ErrBytesTooLong, "Name: "},
		"collection": {AvatarChanges{Set: [1]uint64{1 << AvatarSlotsField}, Slots: netpeer.CollectionDelta{Removed: twice}}, netpeer.ErrDuplicateID, "Slots: "},
		"mask":       {AvatarChanges{Set: [1]uint64{1 << 7}}, netpeer.ErrField, ""},
	} {
		got, err := c.changes.AppendBunch(dst, s, fullHeader)
		require.ErrorIs(t, err, c.want, name)
		require.Contains(t, err.Error(), c.text, name)
		require.Equal(t, dst, got, name)
	}
	var c AvatarChanges
	_, err := c.AppendBunch(dst, s, netpeer.Header{Full: true})
	require.ErrorIs(t, err, netpeer.ErrZeroToken)
	_, err = c.AppendBunch(dst, GrownClass().Schema(), fullHeader)
	require.ErrorIs(t, err, netpeer.ErrSchemaMismatch)

	grown := GrownChanges{Set: [1]uint64{1<<GrownBField | 1<<GrownCField}}
	_, err = grown.AppendBunch(dst, GrownHistory()[1].Schema(), fullHeader)
	require.NoError(t, err)
	_, err = grown.AppendBunch(dst, GrownHistory()[2].Schema(), fullHeader)
	require.ErrorIs(t, err, netpeer.ErrField, "version 2 has no such field")
}

// A body that is refused leaves no field behind, wherever it ends, and a body of another version or class is refused.
func TestChangesRefuseToDecode(t *testing.T) {
	s := AvatarClass().Schema()
	body, err := sampleChanges(all).AppendBunch(nil, s, fullHeader)
	require.NoError(t, err)
	var c AvatarChanges
	h, err := c.ParseBunch(body, s, nil)
	require.NoError(t, err)
	require.Equal(t, netpeer.Header{Object: 42, Full: true, Result: 9, Identity: s.Identity()}, h)
	require.Equal(t, [1]uint64{all}, c.Set)
	for n := range body {
		_, err := c.ParseBunch(body[:n], s, nil)
		require.Error(t, err, n)
		require.Zero(t, c.Set, n)
	}
	_, err = c.ParseBunch(append(slices.Clone(body), 0), s, nil)
	require.ErrorIs(t, err, bitpack.ErrPadding)
	budget := netpeer.NewBudget(3)
	_, err = c.ParseBunch(body, s, &budget)
	require.ErrorIs(t, err, netpeer.ErrBudget)
	_, err = c.ParseBunch(body, GrownClass().Schema(), nil)
	require.ErrorIs(t, err, netpeer.ErrSchemaMismatch)

	old, err := new(GrownChanges).AppendBunch(nil, GrownHistory()[1].Schema(), fullHeader)
	require.NoError(t, err)
	_, err = new(GrownChanges).ParseBunch(old, GrownClass().Schema(), nil)
	require.ErrorIs(t, err, netpeer.ErrSchemaMismatch)
	_, err = new(GrownChanges).ParseBunch(old, GrownHistory()[1].Schema(), nil)
	require.NoError(t, err)
}

// The draft of an author takes what a set of changes holds.
func TestChangesAsDraft(t *testing.T) {
	a := replica.NewAuthor(GrownClass(), 5, 0)
	c := GrownChanges{Set: [1]uint64{1<<GrownAField | 1<<GrownEField}, A: 9, E: true}
	c.AppendFields(a.Begin(nil))
	body, err := a.End()
	require.NoError(t, err)
	var read GrownChanges
	h, err := read.ParseBunch(body, GrownClass().Schema(), nil)
	require.NoError(t, err)
	require.Equal(t, c, read)
	require.Equal(t, uint32(5), h.Object)
}

// Neither direction allocates once memory has grown.
func TestChangesDoNotAllocate(t *testing.T) {
	s, c := AvatarClass().Schema(), sampleChanges(all)
	var read AvatarChanges
	dst := make([]byte, 0, 256)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		body, err := c.AppendBunch(dst, s, fullHeader)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read.ParseBunch(body, s, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := read.ParseBunch(body[:len(body)-1], s, nil); err == nil {
			t.Fatal("half of a body")
		}
	}))
	require.Equal(t, c.Health, read.Health)
}

// The codec by hand, which the generated one is measured against, does the same.
func TestHandAgrees(t *testing.T) {
	for _, m := range cases {
		c := sampleChanges(m.set)
		want, err := c.AppendBunch(nil, AvatarClass().Schema(), m.header)
		require.NoError(t, err)
		got, err := appendByHand(nil, c, m.header)
		require.NoError(t, err)
		require.Equal(t, want, got)
		var byHand, generated AvatarChanges
		h, err := parseByHand(want, &byHand)
		require.NoError(t, err)
		header, err := generated.ParseBunch(want, AvatarClass().Schema(), nil)
		require.NoError(t, err)
		require.Equal(t, header, h)
		require.Equal(t, generated.Set, byHand.Set)
		again, err := appendByHand(nil, &byHand, m.header)
		require.NoError(t, err)
		same, err := generated.AppendBunch(nil, AvatarClass().Schema(), m.header)
		require.NoError(t, err)
		require.Equal(t, again, same)
	}
}

// The generated decoder accepts what package netpeer accepts, and nothing else, and both see the same fields.
func FuzzChanges(f *testing.F) {
	rng := rand.New(rand.NewPCG(9, 10))
	all := []*replica.Class{AvatarClass(), EverythingClass(), GrownHistory()[1], ManyHistory()[1]}
	into := []codec{new(AvatarChanges), new(EverythingChanges), new(GrownChanges), new(ManyChanges)}
	for i, class := range all {
		h := netpeer.Header{Object: 1, Result: 300, Base: 200, Full: i%2 == 0}
		randomChanges(f, rng, class.Schema(), h, into[i])
		body, err := into[i].AppendBunch(nil, class.Schema(), h)
		require.NoError(f, err)
		f.Add(uint8(i), body)
	}
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		i := int(which) % len(all)
		s := all[i].Schema()
		var bunch netpeer.Bunch
		want := netpeer.ParseBunch(body, s, nil, &bunch)
		h, err := into[i].ParseBunch(body, s, nil)
		set := reflect.ValueOf(into[i]).Elem().Field(0)
		if want != nil {
			require.Error(t, err)
			require.True(t, set.IsZero())
			return
		}
		require.NoError(t, err)
		require.Equal(t, bunch.Header, h)
		got := replica.NewFields(s.Len())
		for w := range set.Len() {
			if w < len(got) {
				got[w] = set.Index(w).Uint()
			}
		}
		marked := replica.NewFields(s.Len())
		for _, c := range bunch.Changes {
			marked.Add(c.Field)
		}
		require.Equal(t, marked, got)
		again, err := into[i].AppendBunch(nil, s, h)
		require.NoError(t, err)
		requireAlike(t, s, body, again)
	})
}

package replica

import (
	"errors"
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// What changing a state refuses, besides [netpeer.ErrKind], [netpeer.ErrField], [netpeer.ErrBytesTooLong] and
// [quant.ErrNotANumber].
var (
	ErrTooManyItems = errors.New("replica: collection has its maximum of elements")
	ErrNoItem       = errors.New("replica: collection has no such element")
)

// State is the values of the fields of an object, as codes: what a receiver would see, whatever the numbers were
// that it was made from. Setting a number that has the code which is there already is no change.
//
// A field that was never set has no value; it reads as zero and is left out of full bunches. A collection always
// has a value, possibly without elements. Numbers, vectors and rotations never allocate. A byte string or a
// collection does when it changes after it was sent, because what was sent is kept.
type State struct {
	class   *Class
	values  []netpeer.Value
	version uint64 // goes up with every change
	own     Fields // collections whose elements nothing else refers to
	exact   []exact
	merger  merger
}

// exact is the numbers that a value was made from, which only the format's reference compares. Zero and negative
// zero are the same here.
type exact [4]uint64

// NewState returns a state of a class without values.
func NewState(c *Class) *State {
	return &State{class: c, values: c.blank(nil), own: NewFields(c.Len())}
}

// blank appends, to a slice that is emptied, the values of a state without any: collections have no elements.
func (c *Class) blank(values []netpeer.Value) []netpeer.Value {
	values = slices.Grow(values[:0], c.Len())[:c.Len()]
	clear(values)
	for _, i := range c.lists {
		values[i], _ = c.wire.Field(i).Collection(&noItems)
	}
	return values
}

// Class returns the class.
func (s *State) Class() *Class { return s.class }

// Version returns a number that goes up whenever something changes.
func (s *State) Version() uint64 { return s.version }

// Has reports whether a field has a value.
func (s *State) Has(i int) bool {
	return uint(i) < uint(len(s.values)) && s.values[i].Kind() != netpeer.KindNone
}

// Value returns the value of a field, which is of no kind if the field has none. It borrows from the state and is
// valid for good: states replace values and do not change them, except that the elements of a collection are valid
// until the state changes.
func (s *State) Value(i int) netpeer.Value {
	if !s.Has(i) {
		return netpeer.Value{}
	}
	return s.values[i]
}

// SetBool sets a field of that kind.
func (s *State) SetBool(i int, v bool) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	value, err := f.Bool(v)
	return s.put(i, value, exact{boolBits(v)}, err)
}

// SetInt sets an integer, saturated to the range of the codec.
func (s *State) SetInt(i int, v int64) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	value, err := f.Int(v)
	return s.put(i, value, exact{uint64(v)}, err)
}

// SetScalar sets a number, saturated to the bounds of the codec. It refuses NaN.
func (s *State) SetScalar(i int, v float32) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	value, err := f.Scalar(v)
	return s.put(i, value, exact{floatBits(v)}, err)
}

// SetVector sets a point, saturated to the box of the codec. It refuses NaN.
func (s *State) SetVector(i int, p [3]float32) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	value, err := f.Vector(p)
	return s.put(i, value, exact{floatBits(p[0]), floatBits(p[1]), floatBits(p[2])}, err)
}

// SetQuat sets a rotation x, y, z, w. It refuses NaN.
func (s *State) SetQuat(i int, q [4]float32) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	for _, c := range q {
		if c != c {
			return quant.ErrNotANumber
		}
	}
	value, err := f.Quat(q)
	return s.put(i, value, exact{floatBits(q[0]), floatBits(q[1]), floatBits(q[2]), floatBits(q[3])}, err)
}

// SetBytes sets a byte string, which it copies if it is not the one that is there.
func (s *State) SetBytes(i int, p []byte) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	value, err := f.Bytes(p)
	if err != nil || s.values[i].Equal(&value) {
		return err
	}
	s.values[i] = value.Clone()
	s.version++
	return nil
}

// SetValue sets a field other than a collection to a value that was made for it, which it copies.
func (s *State) SetValue(i int, v *netpeer.Value) error {
	f, err := s.field(i)
	if err != nil {
		return err
	}
	if v.Kind() != f.Kind() || v.Kind() == netpeer.KindCollection {
		return netpeer.ErrKind
	}
	if v.Kind() == netpeer.KindBytes {
		p, _ := v.Bytes()
		return s.SetBytes(i, p)
	}
	return s.put(i, *v, exactOf(f, v), nil)
}

// put sets a field to a value that owns no memory.
func (s *State) put(i int, v netpeer.Value, e exact, err error) error {
	if err != nil {
		return err
	}
	if s.exact != nil && s.exact[i] != e {
		s.exact[i] = e
		s.version++
	}
	if old := &s.values[i]; !old.Equal(&v) {
		*old = v
		s.version++
	}
	return nil
}

func (s *State) field(i int) (*netpeer.Field, error) {
	if uint(i) >= uint(len(s.values)) {
		return nil, netpeer.ErrField
	}
	return s.class.wire.Field(i), nil
}

// Bool returns the value of a field of that kind, or false.
func (s *State) Bool(i int) bool {
	v := s.Value(i)
	b, _ := v.Bool()
	return b
}

// Int returns the value of an integer, or 0.
func (s *State) Int(i int) int64 {
	if !s.Has(i) {
		return 0
	}
	n, _ := s.values[i].Int(s.class.wire.Field(i))
	return n
}

// Scalar returns the value of a number, or 0.
func (s *State) Scalar(i int) float32 {
	if !s.Has(i) {
		return 0
	}
	n, _ := s.values[i].Scalar(s.class.wire.Field(i))
	return n
}

// Vector returns the value of a point, or zero.
func (s *State) Vector(i int) [3]float32 {
	if !s.Has(i) {
		return [3]float32{}
	}
	p, _ := s.values[i].Vector(s.class.wire.Field(i))
	return p
}

// Quat returns the value of a rotation, or the identity.
func (s *State) Quat(i int) [4]float32 {
	if s.Has(i) {
		if q, err := s.values[i].Quat(s.class.wire.Field(i)); err == nil {
			return q
		}
	}
	return [4]float32{3: 1}
}

// Bytes returns the value of a byte string, or nil. It must not be changed, and is valid for good.
func (s *State) Bytes(i int) []byte {
	v := s.Value(i)
	p, _ := v.Bytes()
	return p
}

// Items returns the elements of a collection in ascending order of their ids. They must not be changed, and are
// valid until the state changes. The values are for the collection's [netpeer.Field.Item].
func (s *State) Items(i int) []netpeer.Element {
	v := s.Value(i)
	if d, _ := v.Collection(); d != nil {
		return d.Added
	}
	return nil
}

// Item returns an element of a collection.
func (s *State) Item(i int, id netpeer.ElementID) (netpeer.Element, bool) {
	list := s.Items(i)
	at, ok := slices.BinarySearchFunc(list, id, compareID)
	if !ok {
		return netpeer.Element{}, false
	}
	return list[at], true
}

// PutItem adds an element to a collection, or replaces the one that has its id. The value is copied. It returns
// [ErrTooManyItems] if there are as many as the codec allows.
func (s *State) PutItem(i int, e netpeer.Element) error {
	f, err := s.field(i)
	switch {
	case err != nil:
		return err
	case f.Kind() != netpeer.KindCollection || e.Value.Kind() != f.Item().Kind():
		return netpeer.ErrKind
	}
	list := s.Items(i)
	at, found := slices.BinarySearchFunc(list, e.ID, compareID)
	switch {
	case found && list[at].Key == e.Key && list[at].Value.Equal(&e.Value):
		return nil
	case !found && uint64(len(list)) >= uint64(f.Limit()):
		return ErrTooManyItems
	}
	if e.Value.Kind() == netpeer.KindBytes {
		e.Value = e.Value.Clone()
	}
	d := s.ownList(i)
	if found {
		d.Added[at] = e
	} else {
		d.Added = slices.Insert(d.Added, at, e)
	}
	s.version++
	return nil
}

// RemoveItem takes an element out of a collection. It returns [ErrNoItem] if it is not there.
func (s *State) RemoveItem(i int, id netpeer.ElementID) error {
	f, err := s.field(i)
	switch {
	case err != nil:
		return err
	case f.Kind() != netpeer.KindCollection:
		return netpeer.ErrKind
	}
	at, found := slices.BinarySearchFunc(s.Items(i), id, compareID)
	if !found {
		return ErrNoItem
	}
	d := s.ownList(i)
	d.Added = slices.Delete(d.Added, at, at+1)
	s.version++
	return nil
}

// ApplyItems makes changes to a collection, all of them or, if it returns an error, none. That is [ErrInconsistent] if
// elements are removed or changed that are not there, or added that are, or there would be more than the codec
// allows. Any number of changes takes as long as looking at all elements once.
func (s *State) ApplyItems(i int, d *netpeer.CollectionDelta) error {
	f, err := s.field(i)
	switch {
	case err != nil:
		return err
	case f.Kind() != netpeer.KindCollection:
		return netpeer.ErrKind
	}
	for _, list := range [...][]netpeer.Element{d.Added, d.Changed} {
		for j := range list {
			if list[j].Value.Kind() != f.Item().Kind() {
				return netpeer.ErrKind
			}
		}
	}
	list, err := s.merger.merge(s.Items(i), d, f.Limit())
	if err != nil {
		return err
	}
	s.setList(i, &netpeer.CollectionDelta{Added: list})
	s.version++
	return nil
}

// ownList returns the elements of a collection to be changed: a copy, if they are shared.
func (s *State) ownList(i int) *netpeer.CollectionDelta {
	d, _ := s.values[i].Collection()
	if s.own.Has(i) {
		return d
	}
	d = &netpeer.CollectionDelta{Added: slices.Clone(d.Added)}
	s.setList(i, d)
	return d
}

// setList makes d, which nothing else refers to, the elements of a collection.
func (s *State) setList(i int, d *netpeer.CollectionDelta) {
	s.values[i], _ = s.class.wire.Field(i).Collection(d)
	s.own.Add(i)
}

func compareID(e netpeer.Element, id netpeer.ElementID) int {
	switch a, b := order(e.ID), order(id); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// order maps ids to numbers that ascend as they do: by slot, then by generation.
func order(id netpeer.ElementID) uint64 { return uint64(id.Index)<<32 | uint64(id.Generation) }

func boolBits(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func floatBits(v float32) uint64 {
	if v == 0 {
		return 0
	}
	return uint64(math.Float32bits(v))
}

// exactOf returns the numbers that a value stands for.
func exactOf(f *netpeer.Field, v *netpeer.Value) exact {
	switch v.Kind() {
	case netpeer.KindBool:
		b, _ := v.Bool()
		return exact{boolBits(b)}
	case netpeer.KindInt:
		n, _ := v.Int(f)
		return exact{uint64(n)}
	case netpeer.KindScalar:
		x, _ := v.Scalar(f)
		return exact{floatBits(x)}
	case netpeer.KindVector:
		p, _ := v.Vector(f)
		return exact{floatBits(p[0]), floatBits(p[1]), floatBits(p[2])}
	case netpeer.KindQuat:
		q, _ := v.Quat(f)
		return exact{floatBits(q[0]), floatBits(q[1]), floatBits(q[2]), floatBits(q[3])}
	}
	return exact{}
}

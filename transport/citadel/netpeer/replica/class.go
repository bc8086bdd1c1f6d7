package replica

import (
	"errors"
	"fmt"
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// What [NewClass] refuses, besides the errors of netpeer.NewSchema and schema.Layout.Identity.
var (
	ErrClass  = errors.New("replica: layout and codecs do not fit together")
	ErrBounds = errors.New("replica: bounds admit no value")
)

// Class is what both ends know about the objects of one kind: which fields they have, which codec each field is
// sent with, who receives it and who may write it. It does not change; goroutines may share it.
//
// A class is made once, from a property table and one codec for each property. Generated code does so in a package
// variable, with [MustClass]:
//
//	var playerClass = replica.MustClass(schema.Layout{Class: 42, Version: 3, Properties: []schema.Property{
//		{Name: "health", Type: schema.Int, Authority: schema.ClientOwned, Bounds: schema.IntRange(0, 100)},
//		...
//	}}, netpeer.Int(0, 100), ...)
//
// and gives the struct that was marked the four methods of [Object].
type Class struct {
	layout schema.Layout
	wire   *netpeer.Schema
	views  [views]view
	custom Fields // those whose condition is schema.Custom; nil if there are none
	lists  []int  // the collections, in order
}

// NewClass returns the class of a property table, which it retains, and the codecs of the properties. Its identity
// is that of the table.
//
// It returns [ErrClass] unless there is one codec to a property and, for every property that is a collection, the
// codec is one too and has the maximum that the property's bounds have; [ErrBounds] for an integer or scalar range
// that is empty or not finite; and the errors of [netpeer.NewSchema] and [schema.Layout.Identity]. A codec may be
// wider than the bounds, and then the bounds are what an authority enforces. A property whose codec is of another
// kind than its type is accepted, but no client can ever write it. Whether the table makes sense beyond that is for
// [schema.Layout.Validate] to say.
func NewClass(layout schema.Layout, codecs ...netpeer.Field) (*Class, error) {
	if len(codecs) != len(layout.Properties) {
		return nil, fmt.Errorf("%w: %d properties, %d codecs", ErrClass, len(layout.Properties), len(codecs))
	}
	id, err := layout.Identity()
	if err != nil {
		return nil, err
	}
	wire, err := netpeer.NewSchema(id, codecs...)
	if err != nil {
		return nil, err
	}
	c := &Class{layout: layout, wire: wire}
	for i := range layout.Properties {
		p := &layout.Properties[i]
		if err := checkProperty(p, wire.Field(i)); err != nil {
			return nil, fmt.Errorf("property %d, %q: %w", i, p.Name, err)
		}
		if wire.Field(i).Kind() == netpeer.KindCollection {
			c.lists = append(c.lists, i)
		}
		if p.Condition == schema.Custom {
			if c.custom == nil {
				c.custom = NewFields(len(codecs))
			}
			c.custom.Add(i)
		}
	}
	for role := range c.views {
		c.views[role] = newView(Role(role), layout.Properties)
	}
	return c, nil
}

// MustClass is [NewClass] for tables that are written down in a program: it panics where that returns an error.
func MustClass(layout schema.Layout, codecs ...netpeer.Field) *Class {
	c, err := NewClass(layout, codecs...)
	if err != nil {
		panic(err)
	}
	return c
}

func checkProperty(p *schema.Property, codec *netpeer.Field) error {
	if min, max, ok := p.Bounds.IntRange(); ok && min > max {
		return fmt.Errorf("%w: integers from %d to %d", ErrBounds, min, max)
	}
	if min, max, _, ok := p.Bounds.ScalarRange(); ok && !(finite(min) && finite(max) && min <= max) {
		return fmt.Errorf("%w: numbers from %v to %v", ErrBounds, min, max)
	}
	isList := codec.Kind() == netpeer.KindCollection
	switch max, bounded := p.Bounds.MaxCardinality(); {
	case !isList && p.Type != schema.Collection:
		return nil
	case !isList || p.Type != schema.Collection || !bounded:
		return fmt.Errorf("%w: a collection needs a maximum and the codec of a collection", ErrClass)
	case max != codec.Limit():
		return fmt.Errorf("%w: at most %d elements, but %d on the wire", ErrClass, max, codec.Limit())
	}
	return nil
}

func finite(v float32) bool { return !math.IsInf(float64(v), 0) && v == v }

// ID returns the number of the class.
func (c *Class) ID() uint32 { return c.layout.Class }

// Layout returns the property table, which must not be changed.
func (c *Class) Layout() schema.Layout { return c.layout }

// Schema returns the codecs.
func (c *Class) Schema() *netpeer.Schema { return c.wire }

// Identity returns what full bunches carry.
func (c *Class) Identity() schema.Identity { return c.wire.Identity() }

// Len returns the number of fields.
func (c *Class) Len() int { return c.wire.Len() }

// TableEntry returns the entry of the class in a table of schemas.
func (c *Class) TableEntry() netpeer.TableEntry {
	return netpeer.TableEntry{Class: c.ID(), Identity: c.Identity()}
}

// Object is a value of the game that is kept equal to a [State] on the side that owns the truth, and is kept equal
// to received states on the other. netcmdgen writes these methods for a marked struct; tools and tests may write
// them by hand, or have no Object at all and use the methods of [State].
//
// What generated code provides, for a struct P of class c:
//
//   - setters for the fields (SetHealth) that change the value and mark the field as dirty, in a fixed array of
//     (fields+63)/64 words: Fields(p.dirty[:]).Add(0). A new P has all its fields marked, so that its first state
//     is complete. A field without a setter, which the game changes directly, is always reported as dirty: writing
//     it costs a comparison of codes and sends nothing if they are equal;
//   - a collection is an [Items] of the element's Go type, which marks its own changes; the field is dirty if
//     Items.Dirty says so;
//   - the methods of this interface, which do not allocate.
type Object interface {
	// ReplicaClass returns the class of the object, the same for all objects of a Go type.
	ReplicaClass() *Class

	// TakeDirty adds to fields, which has room for those of the class, what has changed since it was last called,
	// and forgets it.
	TakeDirty(fields Fields)

	// WriteReplica writes the given fields into s, with [State.SetBool], [State.SetInt], [State.SetScalar],
	// [State.SetVector], [State.SetQuat], [State.SetBytes] and [Items.Write]. It returns the first error, and may
	// leave the fields after that unwritten.
	WriteReplica(s *State, fields Fields) error

	// ReadReplica takes the given fields from s, with [State.Bool] and so on, and [Items.Read]. A field that s does
	// not have, because it is hidden from this receiver, reads as zero. ReadReplica does not mark what it takes as
	// dirty and does not retain memory of s, except for what [State.Bytes] allows.
	ReadReplica(s *State, fields Fields)
}

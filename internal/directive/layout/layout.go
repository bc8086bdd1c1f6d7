package layout

import (
	"fmt"
	"go/token"
	"go/types"

	"github.com/ariadne-netcode/ariadne/internal/directive"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// Class is a struct whose objects are replicated.
type Class struct {
	Options directive.Class
	Type    *types.Named
	Fields  []Field // the replicated ones; the place is the field id
}

// Field is a replicated field of a struct.
type Field struct {
	Var   *types.Var
	Since uint32 // the version that brought it
	Value        // of a collection, its elements

	// MaxItems is the greatest number of elements of a collection, and zero for other fields.
	MaxItems uint32

	Property schema.Property
}

// Value is how one value is held and sent.
type Value struct {
	Kind schema.Type // any but a collection
	Type types.Type  // in Go

	Min, Max  int64          // of an int, a uint or an enum
	Low, High float32        // of a scalar, or of each coordinate of a vector3
	Per       uint32         // codes to the unit of these
	Mode      quant.QuatMode // of a quat
	MaxLen    uint32         // of bytes

	// Named are the constants that the limits were taken from, if the package that holds the class can name them.
	Named []*types.Const
}

// Collection reports whether the field is one.
func (f *Field) Collection() bool { return f.MaxItems > 0 }

// Layout returns the layout of a version.
func (c *Class) Layout(version uint32) schema.Layout {
	l := schema.Layout{Class: c.Options.Number, Version: version}
	for i := range c.Fields {
		if c.Fields[i].Since <= version {
			l.Properties = append(l.Properties, c.Fields[i].Property)
		}
	}
	return l
}

// Problem is a reason why a struct cannot be replicated.
type Problem struct {
	Pos     token.Pos // of the field or the option that it is about, or invalid if it is about the type
	Message string
	Option  bool // whether Pos comes from the options of the directive, which may be of another file set
}

// Config is what [Of] needs to know besides the type.
type Config struct {
	// Explain returns what the type checker says about a place where it found no type.
	Explain func(token.Pos) string
}

// MaxVersions is how many layouts a class may have at once.
const MaxVersions = 64

// Of returns the class that a marked struct is, or what stands against it.
func Of(obj *types.TypeName, options directive.Class, cfg Config) (*Class, []Problem) {
	r := reader{pkg: obj.Pkg(), cfg: cfg, class: Class{Options: options}}
	named, s, complaint := plainStruct(obj)
	if complaint != "" {
		return nil, []Problem{{Message: obj.Name() + " " + complaint}}
	}
	r.class.Type = named
	r.fields(s)
	if len(r.problems) == 0 {
		r.whole(obj.Name())
	}
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return &r.class, nil
}

// plainStruct returns the struct behind a type that can be a class, or why it cannot.
func plainStruct(obj *types.TypeName) (*types.Named, *types.Struct, string) {
	if obj.IsAlias() {
		return nil, nil, "is an alias: mark the type that it stands for"
	}
	named, ok := obj.Type().(*types.Named)
	if !ok {
		return nil, nil, "is no type of its own: declare a struct"
	}
	if named.TypeParams().Len() > 0 {
		return nil, nil, "is generic, and a class has one layout: declare a struct without type parameters"
	}
	s, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil, nil, "is no struct, and a class is made of the fields of one"
	}
	return named, s, ""
}

// reader reads the fields of one class.
type reader struct {
	pkg      *types.Package
	cfg      Config
	class    Class
	problems []Problem
}

func (r *reader) say(pos token.Pos, format string, args ...any) {
	r.problems = append(r.problems, Problem{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// fields reads the tags of a struct.
func (r *reader) fields(s *types.Struct) {
	for i := range s.NumFields() {
		v := s.Field(i)
		tag, ok, complaint := parseTag(s.Tag(i))
		switch {
		case complaint != "":
			r.say(v.Pos(), "%s %s", v.Name(), complaint)
		case !ok:
		case v.Name() == "_":
			r.say(v.Pos(), "a field without a name cannot be replicated: name it, or take its rep tag away")
		default:
			if f, complaint := r.field(v, tag); complaint != "" {
				r.say(v.Pos(), "%s %s", v.Name(), complaint)
			} else {
				r.class.Fields = append(r.class.Fields, f)
			}
		}
	}
}

// whole checks what concerns the fields together.
func (r *reader) whole(name string) {
	c := &r.class
	if len(c.Fields) == 0 {
		r.say(token.NoPos, "%s has no replicated field: give a field a tag such as `rep:\"bool\"`", name)
		return
	}
	r.evolution()
	if len(r.problems) > 0 {
		return
	}
	if err := c.Layout(c.Options.Version).Validate(); err != nil {
		pos := token.NoPos
		if p, ok := asPropertyError(err); ok {
			pos = c.Fields[p.Index].Var.Pos()
		}
		r.say(pos, "%s makes no layout: %v", name, err)
		return
	}
	r.pins(name)
}

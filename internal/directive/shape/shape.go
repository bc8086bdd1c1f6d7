package shape

import (
	"fmt"
	"go/constant"
	"go/types"
	"strings"
)

// Kind says what a [Shape] is made of.
type Kind uint8

// The kinds of shapes.
const (
	_      Kind = iota
	Bool        // one byte, 0 or 1
	Int         // Bits wide, perhaps Signed, perhaps with Limits
	Float       // Bits wide
	String      // a length and up to Cap bytes
	Bytes       // the same, in Go a slice of bytes
	Array       // Len elements
	Slice       // a length and up to Cap elements
	Struct      // its fields
	Custom      // what the type's own methods write; behind a length of up to Cap, except for a whole payload
)

// Shape is the form of a type, or of a field with its tag, on the wire.
type Shape struct {
	Kind Kind
	Type types.Type // never an alias

	Bits   int     // Int, Float
	Signed bool    // Int
	Limits *Limits // Int; nil if every value of the type is allowed
	Len    int64   // Array
	Cap    int64   // String, Bytes, Slice, Custom
	Elem   *Shape  // Array, Slice
	Fields []Field // Struct

	// Fixed says that all values have the same size, which is Min and Max then. Otherwise these are bounds,
	// except that Max is 0 for a payload that is Custom as a whole.
	Fixed    bool
	Min, Max int64
}

// Field is a field of a struct. Blank fields are among them, without a shape: they are not sent.
type Field struct {
	Var   *types.Var
	Tag   string // all of it, as Go has it
	Shape *Shape
}

// Limits are the values that an integer may have.
type Limits struct {
	Min, Max constant.Value
	Values   []constant.Value // in ascending order, if not all between Min and Max
	Named    []*types.Const   // the constants that this was taken from, as far as they can be named here
}

// PrefixBytes returns the width of the length in front of something with this cap.
func PrefixBytes(cap int64) int64 {
	switch {
	case cap <= 0xFF:
		return 1
	case cap <= 0xFFFF:
		return 2
	}
	return 4
}

// IsByte reports whether s is a plain byte, which can be copied in bulk.
func (s *Shape) IsByte() bool {
	return s.Kind == Int && s.Limits == nil && types.Identical(s.Type, types.Typ[types.Uint8])
}

// String returns a description that two shapes share only if they mean the same bytes and the same fields.
func (s *Shape) String() string {
	switch s.Kind {
	case Bool:
		return "bool"
	case Int:
		name := fmt.Sprintf("int%d", s.Bits)
		if !s.Signed {
			name = "u" + name
		}
		if s.Limits != nil {
			name += " " + s.Limits.String()
		}
		return name
	case Float:
		return fmt.Sprintf("float%d", s.Bits)
	case String:
		return fmt.Sprintf("string<=%d", s.Cap)
	case Bytes:
		return fmt.Sprintf("bytes<=%d", s.Cap)
	case Array:
		return fmt.Sprintf("[%d]%v", s.Len, s.Elem)
	case Slice:
		return fmt.Sprintf("[<=%d]%v", s.Cap, s.Elem)
	case Struct:
		var fields []string
		for _, f := range s.Fields {
			if f.Shape != nil {
				fields = append(fields, f.Var.Name()+" "+f.Shape.String())
			}
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case Custom:
		if s.Cap == 0 {
			return "custom"
		}
		return fmt.Sprintf("custom<=%d", s.Cap)
	}
	return "?"
}

// String returns the limits as "0..5", or as "0|2|5".
func (l *Limits) String() string {
	if l.Values == nil {
		return l.Min.ExactString() + ".." + l.Max.ExactString()
	}
	var s []string
	for _, v := range l.Values {
		s = append(s, v.ExactString())
	}
	return strings.Join(s, "|")
}

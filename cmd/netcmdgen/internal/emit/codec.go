package emit

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// codec writes the methods of a command, unless it has them.
func (g *generator) codec(c Command) {
	if c.custom() {
		encoding := g.use("encoding", "encoding")
		g.line("")
		g.comment("%s has a codec of its own.", c.GoName())
		g.line("var (")
		g.line("\t_ %s.BinaryAppender = (*%s)(nil)", encoding, c.GoName())
		g.line("\t_ %s.BinaryUnmarshaler = (*%s)(nil)", encoding, c.GoName())
		g.line(")")
		return
	}
	g.line("")
	if c.Shape.Fixed {
		g.comment("%s is the size of every encoded %s, in bytes.", c.sizeName(), c.GoName())
	} else {
		g.comment("%s is the size of the largest encoded %s, in bytes.", c.sizeName(), c.GoName())
	}
	g.line("const %s = %d", c.sizeName(), c.Shape.Max)
	g.size(c)
	g.appendMethod(c)
	g.decodeMethod(c)
}

// layout writes down what the encoding of a command is.
func (g *generator) layout(c Command) {
	if c.Shape.Max == 0 {
		return
	}
	g.line("//")
	if c.Shape.Kind != shape.Struct {
		g.line("//\t%v", c.Shape)
		return
	}
	width := 0
	for _, f := range c.Shape.Fields {
		if f.Shape != nil {
			width = max(width, len([]rune(f.Var.Name())))
		}
	}
	for _, f := range c.Shape.Fields {
		if f.Shape != nil {
			g.line("//\t%-*s  %v", width, f.Var.Name(), f.Shape)
		}
	}
}

// item is a value to be encoded or decoded: a Go expression for it, the path by which errors call it, and its
// shape.
type item struct {
	expr, path string
	shape      *shape.Shape
}

// whole is the item of a command behind a variable, which is a pointer if the shape is no struct.
func whole(variable string, pointer bool, s *shape.Shape) item {
	if pointer && s.Kind != shape.Struct && s.Kind != shape.Array {
		return item{"*" + variable, "", s}
	}
	return item{variable, "", s}
}

// flat returns what an item consists of: the fields of structs, without those that take no bytes.
func flat(it item) []item {
	if it.shape.Max == 0 {
		return nil
	}
	if it.shape.Kind != shape.Struct {
		return []item{it}
	}
	var items []item
	for _, f := range it.shape.Fields {
		if f.Shape == nil {
			continue
		}
		path := f.Var.Name()
		if it.path != "" {
			path = it.path + "." + path
		}
		items = append(items, flat(item{it.expr + "." + f.Var.Name(), path, f.Shape})...)
	}
	return items
}

// element returns the item of an array's or slice's element.
func element(it item, index string) item {
	return item{fmt.Sprintf("%s[%s]", it.expr, index), it.path + "[]", it.shape.Elem}
}

// index returns the name of a loop variable, by the number of loops around it.
func (g *generator) index(depth int) string {
	if depth < 3 {
		return g.local("ijk"[depth : depth+1])
	}
	return g.local(fmt.Sprintf("i%d", depth))
}

// numbered returns a name for use at some depth of loops.
func (g *generator) numbered(name string, depth int) string {
	if depth > 0 {
		name += fmt.Sprint(depth + 1)
	}
	return g.local(name)
}

// is reports whether t is a predeclared type, so that no conversion is needed.
func is(t types.Type, kind types.BasicKind) bool { return types.Identical(t, types.Typ[kind]) }

// unsigned returns the kind and name of the unsigned type with some bits.
func unsigned(bits int) (types.BasicKind, string) {
	switch bits {
	case 8:
		return types.Uint8, "byte"
	case 16:
		return types.Uint16, "uint16"
	case 32:
		return types.Uint32, "uint32"
	}
	return types.Uint64, "uint64"
}

// violation returns a condition that is true if expr breaks the limits of s, or "" if it cannot.
func violation(expr string, s *shape.Shape) string {
	if s.Limits == nil || s.Limits.Values != nil {
		return ""
	}
	if constant.Compare(s.Limits.Min, token.EQL, s.Limits.Max) {
		return expr + " != " + s.Limits.Min.ExactString()
	}
	low, high := s.Bounds()
	var parts []string
	if constant.Compare(s.Limits.Min, token.GTR, low) {
		parts = append(parts, expr+" < "+s.Limits.Min.ExactString())
	}
	if constant.Compare(s.Limits.Max, token.LSS, high) {
		parts = append(parts, expr+" > "+s.Limits.Max.ExactString())
	}
	return strings.Join(parts, " || ")
}

// checked reports whether not every value of the type of s is allowed.
func checked(s *shape.Shape) bool {
	return s.Limits != nil && (s.Limits.Values != nil || violation("", s) != "")
}

// check writes the test of a limited integer. The statement returns fail if it does not pass.
func (g *generator) check(it item, fail string) {
	if it.shape.Limits.Values == nil {
		g.line("if %s {", violation(it.expr, it.shape))
		g.line("%s", fail)
		g.line("}")
		return
	}
	var values []string
	for _, v := range it.shape.Limits.Values {
		values = append(values, v.ExactString())
	}
	g.line("switch %s {", it.expr)
	g.line("case %s:", strings.Join(values, ", "))
	g.line("default:")
	g.line("%s", fail)
	g.line("}")
}

// has reports whether s or something in it satisfies f.
func has(s *shape.Shape, f func(*shape.Shape) bool) bool {
	if s == nil {
		return false
	}
	if f(s) || has(s.Elem, f) {
		return true
	}
	for _, field := range s.Fields {
		if has(field.Shape, f) {
			return true
		}
	}
	return false
}

// sizable reports whether the size of a value can be told without encoding it.
func sizable(s *shape.Shape) bool {
	return !has(s, func(s *shape.Shape) bool { return s.Kind == shape.Custom })
}

// canFailToEncode reports whether there are values of the type that have no encoding.
func canFailToEncode(s *shape.Shape) bool {
	return has(s, func(s *shape.Shape) bool { return checked(s) || s.Cap > 0 })
}

// canFailToDecode reports whether there are bytes of a possible length that are no encoding.
func canFailToDecode(s *shape.Shape) bool {
	return has(s, func(s *shape.Shape) bool { return checked(s) || s.Cap > 0 || s.Kind == shape.Bool })
}

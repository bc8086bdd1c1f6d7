package shape

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// tag is what a field's tag says about its shape.
type tag struct {
	max        int64
	hasMax     bool
	span       string // what was written behind "range="
	hasRange   bool
	enum       bool
	usedMax    bool
	usedLimits bool
	pkg        *types.Package // in which constants are looked up
}

// maxCap keeps every length, and the size of a payload, well within an int of 32 bits.
const maxCap = 1 << 30

// parseTag reads the part of a tag that is ours. It returns an empty complaint if all is well.
func parseTag(raw string, pkg *types.Package) (t tag, complaint string) {
	t.pkg = pkg
	text, ok := reflect.StructTag(raw).Lookup("netcode")
	if !ok {
		if strings.Contains(raw, "netcode:") {
			return t, fmt.Sprintf("has a malformed tag: write `netcode:%q`", "max=64")
		}
		return t, ""
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		return t, "has an empty netcode tag"
	}
	for _, w := range words {
		key, value, hasValue := strings.Cut(w, "=")
		twice := fmt.Sprintf("has %s twice in its tag", key)
		switch key {
		case "max":
			if t.hasMax {
				return t, twice
			}
			n, ok := constant.Int64Val(Literal(value))
			if !ok || n < 1 || n > maxCap {
				return t, fmt.Sprintf("has max=%s in its tag: it must be a number from 1 to %d", value, maxCap)
			}
			t.max, t.hasMax = n, true
		case "range":
			if t.hasRange {
				return t, twice
			}
			if low, high, ok := strings.Cut(value, ".."); !ok || low == "" || high == "" {
				return t, fmt.Sprintf("has range=%s in its tag: write both ends, such as range=0..5 or range=North..West", value)
			}
			t.span, t.hasRange = value, true
		case "enum":
			if hasValue {
				return t, "has a value for enum in its tag: it takes none"
			}
			if t.enum {
				return t, twice
			}
			t.enum = true
		default:
			return t, fmt.Sprintf("has %q in its tag: the options are max=, range=low..high and enum, with spaces between them", w)
		}
	}
	if t.hasRange && t.enum {
		return t, "has both range and enum in its tag"
	}
	return t, ""
}

// Literal returns the integer that s writes down, or something that is none.
func Literal(s string) constant.Value {
	negative := strings.HasPrefix(s, "-")
	v := constant.MakeFromLiteral(strings.TrimPrefix(s, "-"), token.INT, 0)
	if negative && v.Kind() == constant.Int {
		v = constant.UnaryOp(token.SUB, v, 0)
	}
	return v
}

// limits returns the limits that t sets for integers of type typ, whose underlying type is basic.
func (t *tag) limits(typ types.Type, basic *types.Basic, from *types.Package) (l *Limits, complaint string) {
	if t == nil || !t.hasRange && !t.enum {
		return nil, ""
	}
	t.usedLimits = true
	if t.enum {
		return EnumLimits(typ, from)
	}
	low, high, _ := strings.Cut(t.span, "..")
	l = new(Limits)
	var bounds [2]constant.Value
	for i, end := range []string{low, high} {
		v := Literal(end)
		if v.Kind() != constant.Int {
			c, ok := t.pkg.Scope().Lookup(end).(*types.Const)
			if !ok {
				return nil, fmt.Sprintf("has range=%s in its tag, and %s is neither a number nor a constant of package %s", t.span, end, t.pkg.Name())
			}
			if v = constant.ToInt(c.Val()); v.Kind() != constant.Int {
				return nil, fmt.Sprintf("has range=%s in its tag, and %s is not an integer", t.span, end)
			}
			if c.Pkg() == from || c.Exported() {
				l.Named = append(l.Named, c)
			}
		}
		if !Representable(v, basic) {
			return nil, fmt.Sprintf("has range=%s in its tag, and %s does not fit into %s", t.span, end, basic.Name())
		}
		bounds[i] = v
	}
	if constant.Compare(bounds[0], token.GTR, bounds[1]) {
		return nil, fmt.Sprintf("has range=%s in its tag, which is empty", t.span)
	}
	l.Min, l.Max = bounds[0], bounds[1]
	return l, ""
}

// Representable reports whether a sized integer type has a value.
func Representable(v constant.Value, basic *types.Basic) bool {
	low, high := bounds(basic)
	return constant.Compare(low, token.LEQ, v) && constant.Compare(v, token.LEQ, high)
}

// bounds returns the least and the greatest value of a sized integer type.
func bounds(basic *types.Basic) (low, high constant.Value) {
	bits, signed := width(basic.Kind())
	one := constant.MakeInt64(1)
	if !signed {
		return constant.MakeInt64(0), constant.BinaryOp(constant.Shift(one, token.SHL, uint(bits)), token.SUB, one)
	}
	half := constant.Shift(one, token.SHL, uint(bits-1))
	return constant.UnaryOp(token.SUB, half, 0), constant.BinaryOp(half, token.SUB, one)
}

// Bounds returns the least and the greatest value that the type of an integer shape can hold.
func (s *Shape) Bounds() (low, high constant.Value) {
	return bounds(s.Type.Underlying().(*types.Basic))
}

// EnumLimits returns the limits of a type of integers whose values are the constants that its package declares, as they
// are seen from a package, or why it has none.
func EnumLimits(typ types.Type, from *types.Package) (*Limits, string) {
	named, ok := typ.(*types.Named)
	if !ok {
		return nil, fmt.Sprintf("has enum in its tag, but %s has no constants: declare a type for it, or write range=low..high", typ)
	}
	home := named.Obj().Pkg()
	var exported, all []*types.Const
	for _, name := range home.Scope().Names() {
		c, ok := home.Scope().Lookup(name).(*types.Const)
		if !ok || !types.Identical(c.Type(), typ) {
			continue
		}
		all = append(all, c)
		if c.Exported() {
			exported = append(exported, c)
		}
	}
	use := exported
	if len(use) == 0 && home == from {
		use = all
	}
	if len(use) == 0 {
		return nil, fmt.Sprintf("has enum in its tag, but package %s has no constants of type %s", home.Name(), named.Obj().Name())
	}
	compare := func(a, b *types.Const) int {
		switch {
		case constant.Compare(a.Val(), token.LSS, b.Val()):
			return -1
		case constant.Compare(a.Val(), token.GTR, b.Val()):
			return 1
		}
		return 0
	}
	slices.SortStableFunc(use, compare) // of equal ones, by name
	l := &Limits{Named: use, Min: use[0].Val(), Max: use[len(use)-1].Val()}
	values := []constant.Value{l.Min}
	dense := true
	for i, c := range use[1:] {
		if compare(use[i], c) == 0 {
			continue
		}
		step := constant.BinaryOp(c.Val(), token.SUB, use[i].Val())
		dense = dense && constant.Compare(step, token.EQL, constant.MakeInt64(1))
		values = append(values, c.Val())
	}
	if !dense {
		l.Values = values
	}
	return l, ""
}

package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// decoder writes the body of an UnmarshalBinary.
type decoder struct {
	*generator
	command string
	p       string // what is left of the payload
	n       string // the variable for lengths
	scopes  []bool // for each scope that is open, whether it declares n
}

func (g *generator) decodeMethod(c Command) {
	d := &decoder{generator: g, command: c.GoName(), p: g.local("p"), n: g.local("n"), scopes: []bool{false}}
	recv := g.local("c")
	direct := c.Shape.Fixed && !canFailToDecode(c.Shape)
	g.line("")
	if c.Shape.Max == 0 {
		g.comment("UnmarshalBinary accepts an empty %s only. The error is a [*%s.Error].", d.p, g.payload())
		g.line("func (*%s) UnmarshalBinary(%s []byte) error {", c.GoName(), d.p)
		g.line("if len(%s) != 0 {", d.p)
		g.line("return %s.Trailing(%q, len(%s))", g.payload(), c.GoName(), d.p)
		g.line("}")
		g.line("return nil")
		g.line("}")
		return
	}
	g.comment("UnmarshalBinary sets %s to what %s encodes and does not retain %[2]s. It refuses what AppendBinary would not have written: the error is a [*%[3]s.Error], and %[1]s is as it was.", recv, d.p, g.payload())
	g.line("func (%s *%s) UnmarshalBinary(%s []byte) error {", recv, c.GoName(), d.p)
	if c.Shape.Fixed {
		g.line("if len(%s) != %s {", d.p, c.sizeName())
		g.line("return %s.Size(%q, len(%s), %s)", g.payload(), c.GoName(), d.p, c.sizeName())
		g.line("}")
	}
	target := whole(recv, true, c.Shape)
	if !direct {
		v := g.local("v")
		g.line("var %s %s", v, c.GoName())
		target = whole(v, false, c.Shape)
	}
	if c.Shape.Fixed {
		pos := position{buf: d.p}
		for _, it := range flat(target) {
			d.fixed(it, pos, 0)
			pos.off += it.shape.Max
		}
	} else {
		items := flat(target)
		d.sequence(items, 0)
		if last := items[len(items)-1].shape; !last.Fixed && !simple(last) {
			g.line("if len(%s) != 0 {", d.p)
			g.line("return %s.Trailing(%q, len(%s))", g.payload(), c.GoName(), d.p)
			g.line("}")
		}
	}
	if !direct {
		g.line("*%s = %s", recv, target.expr)
	}
	g.line("return nil")
	g.line("}")
}

// position is a place in the payload: an offset into a slice, which may depend on loop variables.
type position struct {
	buf   string
	off   int64
	terms []string
}

func (p position) offset() string {
	terms := p.terms
	if p.off > 0 || len(terms) == 0 {
		terms = append([]string{fmt.Sprint(p.off)}, terms...)
	}
	return strings.Join(terms, "+")
}

// index is the byte at the position.
func (p position) index() string { return fmt.Sprintf("%s[%s]", p.buf, p.offset()) }

// slice is what begins at the position.
func (p position) slice() string {
	if p.offset() == "0" {
		return p.buf
	}
	return fmt.Sprintf("%s[%s:]", p.buf, p.offset())
}

// step is the position of an element of an array that begins at p.
func (p position) step(size int64, index string) position {
	term := index
	if size != 1 {
		term = fmt.Sprintf("%d*%s", size, index)
	}
	p.terms = append(p.terms[:len(p.terms):len(p.terms)], term)
	return p
}

// fixed writes the decoding of a value of fixed size. The bytes are known to be there.
func (d *decoder) fixed(it item, at position, depth int) {
	s := it.shape
	switch s.Kind {
	case shape.Int:
		d.line("%s = %s", it.expr, d.integer(s, at))
		if checked(s) {
			d.check(it, fmt.Sprintf("return %s.Range(%q, %q, %s)", d.payload(), d.command, it.path, it.expr))
		}
	case shape.Bool:
		d.line("if %s > 1 {", at.index())
		d.line("return %s.Range(%q, %q, %s)", d.payload(), d.command, it.path, at.index())
		d.line("}")
		d.line("%s = %s == 1", it.expr, at.index())
	case shape.Float:
		value := fmt.Sprintf("%s.Float%dfrombits(%s.Uint%[2]d(%[4]s))", d.math(), s.Bits, d.little(), at.slice())
		if kind := map[int]types.BasicKind{32: types.Float32, 64: types.Float64}[s.Bits]; !is(s.Type, kind) {
			value = fmt.Sprintf("%s(%s)", d.typ(s.Type), value)
		}
		d.line("%s = %s", it.expr, value)
	case shape.Array:
		if s.Elem.IsByte() {
			d.line("copy(%s[:], %s)", it.expr, at.slice())
			return
		}
		i := d.index(depth)
		d.line("for %s := range %s {", i, it.expr)
		elem := element(it, i)
		d.element(elem, at.step(elem.shape.Max, i), depth)
		d.line("}")
	default:
		panic(fmt.Sprintf("shape %v is not both flat and fixed", s))
	}
}

// element writes the decoding of an array's element of fixed size.
func (d *decoder) element(elem item, at position, depth int) {
	if elem.shape.Kind != shape.Struct {
		d.fixed(elem, at, depth+1)
		return
	}
	e, q := d.numbered("e", depth), d.numbered("q", depth)
	d.line("%s, %s := &%s, %s[:%d]", e, q, elem.expr, at.slice(), elem.shape.Max)
	elem.expr = e
	at = position{buf: q}
	for _, it := range flat(elem) {
		d.fixed(it, at, depth+1)
		at.off += it.shape.Max
	}
}

func (d *decoder) integer(s *shape.Shape, at position) string {
	kind, _ := unsigned(s.Bits)
	value := at.index()
	if s.Bits > 8 {
		value = fmt.Sprintf("%s.Uint%d(%s)", d.little(), s.Bits, at.slice())
	}
	if !is(s.Type, kind) {
		value = fmt.Sprintf("%s(%s)", d.typ(s.Type), value)
	}
	return value
}

// sequence writes the decoding of items from the beginning of the payload, and leaves there what follows them. Values
// of fixed size that stand together, and the length behind them, are checked for together.
func (d *decoder) sequence(items []item, depth int) {
	for len(items) > 0 {
		n := 0
		need := int64(0)
		for n < len(items) && items[n].shape.Fixed {
			need += items[n].shape.Max
			n++
		}
		run := items[:n]
		items = items[n:]
		prefix := int64(0)
		if len(items) > 0 && items[0].shape.Cap > 0 {
			prefix = shape.PrefixBytes(items[0].shape.Cap)
			need += prefix
		}
		end := depth == 0 && len(items) == 0
		if need > 0 {
			d.have(append(run[:n:n], items...)[0], fmt.Sprint(need), end)
		}
		at := position{buf: d.p}
		for _, it := range run {
			d.fixed(it, at, depth)
			at.off += it.shape.Max
		}
		if prefix > 0 {
			d.length(items[0], at)
		}
		if need > 0 {
			d.skip(fmt.Sprint(need), end)
		}
		if len(items) > 0 {
			d.variable(items[0], depth, depth == 0 && len(items) == 1)
			items = items[1:]
		}
	}
}

// simple reports whether the length of something says how many bytes it takes. If such a thing is the last one, its
// length is all that has to be checked.
func simple(s *shape.Shape) bool {
	return s.Kind == shape.String || s.Kind == shape.Bytes || s.Kind == shape.Slice && s.Elem.Fixed
}

// length writes the decoding of a length into the variable n, and its check.
func (d *decoder) length(it item, at position) {
	width := shape.PrefixBytes(it.shape.Cap)
	value, most := "", int64(0)
	switch width {
	case 1:
		value, most = fmt.Sprintf("int(%s)", at.index()), 0xFF
	case 2:
		value, most = fmt.Sprintf("int(%s.Uint16(%s))", d.little(), at.slice()), 0xFFFF
	case 4: // an int may be too narrow
		value = fmt.Sprintf("int(min(%s.Uint32(%s), %s.MaxInt32))", d.little(), at.slice(), d.math())
	}
	d.line("%s %s %s", d.n, d.declare(), value)
	if it.shape.Cap != most {
		d.line("if %s > %d {", d.n, it.shape.Cap)
		d.line("return %s.Length(%q, %q, %s, %d)", d.payload(), d.command, it.path, d.n, it.shape.Cap)
		d.line("}")
	}
}

// declare returns the operator that gives n a value, and declares n if no scope has done that.
func (d *decoder) declare() string {
	for _, declares := range d.scopes {
		if declares {
			return "="
		}
	}
	d.scopes[len(d.scopes)-1] = true
	return ":="
}

// variable writes the decoding of a value that has n bytes or elements, and whether nothing may follow it.
func (d *decoder) variable(it item, depth int, last bool) {
	s := it.shape
	switch s.Kind {
	case shape.String:
		d.have(it, d.n, last)
		d.line("%s = %s(%s)", it.expr, d.typ(s.Type), d.taken(last))
		d.skip(d.n, last)
	case shape.Bytes:
		d.have(it, d.n, last)
		d.line("%s = append(%[1]s, %s...)", it.expr, d.taken(last))
		d.skip(d.n, last)
	case shape.Custom:
		err := d.local("err")
		d.have(it, d.n, false)
		d.line("if %s := %s.UnmarshalBinary(%s); %[1]s != nil {", err, it.expr, d.taken(false))
		d.line("return %s.Field(%q, %q, %s)", d.payload(), d.command, it.path, err)
		d.line("}")
		d.skip(d.n, false)
	case shape.Slice:
		d.slice(it, depth, last)
	case shape.Array:
		d.loop(it, depth)
	default:
		panic(fmt.Sprintf("shape %v is fixed", s))
	}
}

// have writes the check that there are as many bytes as an expression says, and no more if they are the last ones.
func (d *decoder) have(it item, want string, last bool) {
	operator, function := "<", "Short"
	if last {
		operator, function = "!=", "Rest"
	}
	d.line("if len(%s) %s %s {", d.p, operator, want)
	d.line("return %s.%s(%q, %q, len(%s), %s)", d.payload(), function, d.command, it.path, d.p, want)
	d.line("}")
}

// taken is the n bytes in front.
func (d *decoder) taken(last bool) string {
	if last {
		return d.p
	}
	return fmt.Sprintf("%s[:%s]", d.p, d.n)
}

// skip writes the step over as many bytes as an expression says, unless they were the last ones.
func (d *decoder) skip(n string, last bool) {
	if !last {
		d.line("%s = %[1]s[%s:]", d.p, n)
	}
}

func (d *decoder) slice(it item, depth int, last bool) {
	elem := it.shape.Elem
	last = last && elem.Fixed
	least := d.n
	if elem.Min != 1 {
		least = fmt.Sprintf("%d*%s", elem.Min, d.n)
	}
	d.have(it, least, last) // before any memory is taken
	d.line("if %s > 0 {", d.n)
	d.line("%s = make(%s, %s)", it.expr, d.typ(it.shape.Type), d.n)
	d.line("}")
	if !elem.Fixed {
		d.loop(it, depth)
		return
	}
	i := d.index(depth)
	d.line("for %s := range %s {", i, it.expr)
	d.element(element(it, i), position{buf: d.p}.step(elem.Max, i), depth)
	d.line("}")
	d.skip(least, last)
}

// loop writes the decoding of elements whose size varies, one after the other.
func (d *decoder) loop(it item, depth int) {
	i := d.index(depth)
	d.line("for %s := range %s {", i, it.expr)
	d.scopes = append(d.scopes, false)
	elem := element(it, i)
	if elem.shape.Kind == shape.Struct {
		e := d.numbered("e", depth)
		d.line("%s := &%s", e, elem.expr)
		elem.expr = e
	}
	d.sequence(flat(elem), depth+1)
	d.scopes = d.scopes[:len(d.scopes)-1]
	d.line("}")
}

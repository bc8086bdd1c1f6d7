package emit

import (
	"bytes"
	"fmt"
	"go/types"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// appender writes the body of an AppendBinary.
type appender struct {
	*generator
	command  string
	b, start string   // the slice appended to, and the variable that has its original length
	bytes    []string // single bytes that are yet to be appended
	appended bool     // whether b may have grown already
	rewinds  bool     // whether start is used
}

func (g *generator) appendMethod(c Command) {
	a := &appender{generator: g, command: c.GoName(), b: g.local("b"), start: g.local("start")}
	recv := g.local("c")
	g.line("")
	failure := "The error is always nil."
	if canFailToEncode(c.Shape) {
		failure = fmt.Sprintf("The error is a [*%s.Error], and %s is returned as it was.", g.payload(), a.b)
	}
	g.comment("AppendBinary appends the encoding of %s to %s and returns the extended slice. It retains neither. %s", recv, a.b, failure)
	g.layout(c)
	if c.Shape.Max == 0 {
		recv = ""
	}
	g.line("func (%s *%s) AppendBinary(%s []byte) ([]byte, error) {", recv, c.GoName(), a.b)
	before := g.out
	g.out = bytes.Buffer{}
	a.items(flat(whole(recv, true, c.Shape)), 0)
	a.flush()
	body := g.out
	g.out = before
	if a.rewinds {
		g.line("%s := len(%s)", a.start, a.b)
	}
	g.out.Write(body.Bytes())
	g.line("return %s, nil", a.b)
	g.line("}")
}

func (a *appender) items(items []item, depth int) {
	for _, it := range items {
		a.item(it, depth)
	}
}

// item writes the appending of one value. Single bytes are saved up, to be appended together.
func (a *appender) item(it item, depth int) {
	s := it.shape
	switch s.Kind {
	case shape.Int:
		if checked(s) {
			a.check(it, a.returns("%s.Range(%q, %q, %s)", a.payload(), a.command, it.path, it.expr))
		}
		kind, name := unsigned(s.Bits)
		value := it.expr
		if !is(s.Type, kind) {
			value = fmt.Sprintf("%s(%s)", name, value)
		}
		a.number(s.Bits, value)
	case shape.Bool:
		value := it.expr
		if !is(s.Type, types.Bool) {
			value = fmt.Sprintf("bool(%s)", value)
		}
		a.number(8, fmt.Sprintf("%s.Bool(%s)", a.payload(), value))
	case shape.Float:
		value := it.expr
		kind := types.Float32
		if s.Bits == 64 {
			kind = types.Float64
		}
		if !is(s.Type, kind) {
			value = fmt.Sprintf("float%d(%s)", s.Bits, value)
		}
		a.number(s.Bits, fmt.Sprintf("%s.Float%dbits(%s)", a.math(), s.Bits, value))
	case shape.String, shape.Bytes:
		a.length(it)
		a.flush()
		a.append("append(%s, %s...)", a.b, it.expr)
	case shape.Array:
		if s.Elem.IsByte() {
			a.flush()
			a.append("append(%s, %s[:]...)", a.b, it.expr)
			return
		}
		a.loop(it, depth)
	case shape.Slice:
		a.length(it)
		a.loop(it, depth)
	case shape.Custom:
		a.flush()
		a.custom(it)
	default:
		panic(fmt.Sprintf("shape %v is not flat", s))
	}
}

func (a *appender) number(bits int, value string) {
	if bits == 8 {
		a.bytes = append(a.bytes, value)
		return
	}
	a.flush()
	a.append("%s.AppendUint%d(%s, %s)", a.little(), bits, a.b, value)
}

// flush writes the appending of the bytes saved up, on lines of a reasonable length.
func (a *appender) flush() {
	for len(a.bytes) > 0 {
		n, width := 0, 0
		for n < len(a.bytes) && (n == 0 || width+len(a.bytes[n]) < 90) {
			width += len(a.bytes[n]) + 2
			n++
		}
		a.append("append(%s, %s)", a.b, strings.Join(a.bytes[:n], ", "))
		a.bytes = a.bytes[n:]
	}
	a.bytes = nil
}

// returns is the statement that ends the method with an error.
func (a *appender) returns(format string, args ...any) string {
	b := a.b
	if a.appended {
		b = fmt.Sprintf("%s[:%s]", a.b, a.start)
		a.rewinds = true
	}
	return fmt.Sprintf("return %s, %s", b, fmt.Sprintf(format, args...))
}

// append writes an assignment to b.
func (a *appender) append(format string, args ...any) {
	a.appended = true
	a.line("%s = %s", a.b, fmt.Sprintf(format, args...))
}

// length writes the check of a length and the appending of it.
func (a *appender) length(it item) {
	s := it.shape
	a.line("if len(%s) > %d {", it.expr, s.Cap)
	a.line("%s", a.returns("%s.Length(%q, %q, len(%s), %d)", a.payload(), a.command, it.path, it.expr, s.Cap))
	a.line("}")
	bits := int(8 * shape.PrefixBytes(s.Cap))
	_, name := unsigned(bits)
	a.number(bits, fmt.Sprintf("%s(len(%s))", name, it.expr))
}

func (a *appender) loop(it item, depth int) {
	a.flush()
	i := a.index(depth)
	a.line("for %s := range %s {", i, it.expr)
	a.appended = true // by an earlier round
	elem := element(it, i)
	if elem.shape.Kind == shape.Struct {
		e := a.numbered("e", depth)
		a.line("%s := &%s", e, elem.expr)
		elem.expr = e
	}
	a.items(flat(elem), depth+1)
	a.flush()
	a.line("}")
}

// custom writes the appending of a value by its own method, behind its length.
func (a *appender) custom(it item) {
	width := shape.PrefixBytes(it.shape.Cap)
	out, err, n := a.local("out"), a.local("err"), a.local("n")
	a.line("{")
	zeros := strings.TrimSuffix(strings.Repeat("0, ", int(width)), ", ")
	a.line("%s, %s := %s.AppendBinary(append(%s, %s))", out, err, it.expr, a.b, zeros)
	a.line("if %s != nil {", err)
	a.line("%s", a.returns("%s.Field(%q, %q, %s)", a.payload(), a.command, it.path, err))
	a.line("}")
	a.line("%s := len(%s) - len(%s) - %d", n, out, a.b, width)
	a.line("if %s < 0 || %[1]s > %d {", n, it.shape.Cap)
	a.line("%s", a.returns("%s.Length(%q, %q, %s, %d)", a.payload(), a.command, it.path, n, it.shape.Cap))
	a.line("}")
	if width == 1 {
		a.line("%s[len(%s)] = byte(%s)", out, a.b, n)
	} else {
		a.line("%s.PutUint%d(%s[len(%s):], uint%[2]d(%[5]s))", a.little(), 8*width, out, a.b, n)
	}
	a.append("%s", out)
	a.line("}")
}

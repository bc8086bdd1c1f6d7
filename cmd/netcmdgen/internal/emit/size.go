package emit

import (
	"fmt"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// size writes the method BinarySize.
func (g *generator) size(c Command) {
	if !sizable(c.Shape) {
		return
	}
	recv := g.local("c")
	g.line("")
	g.comment("BinarySize returns the number of bytes that AppendBinary appends.")
	if c.Shape.Fixed {
		g.line("func (*%s) BinarySize() int { return %s }", c.GoName(), c.sizeName())
		return
	}
	g.line("func (%s *%s) BinarySize() int {", recv, c.GoName())
	items := flat(whole(recv, true, c.Shape))
	n := g.local("n")
	if sum, simple := sizeSum(items); simple {
		g.line("return %s", sum)
	} else {
		g.line("%s := %s", n, sum)
		g.sizeLoops(n, items, 0)
		g.line("return %s", n)
	}
	g.line("}")
}

// sizeSum returns an expression for the sizes of the items, and whether it covers all of them: what needs a loop
// is left out.
func sizeSum(items []item) (sum string, simple bool) {
	fixed, simple := int64(0), true
	var parts []string
	for _, it := range items {
		s := it.shape
		switch {
		case s.Fixed:
			fixed += s.Max
		case s.Kind == shape.String || s.Kind == shape.Bytes:
			fixed += s.Min
			parts = append(parts, fmt.Sprintf("len(%s)", it.expr))
		case s.Kind == shape.Slice && s.Elem.Fixed:
			fixed += s.Min
			size := ""
			if s.Elem.Max > 1 {
				size = fmt.Sprintf("%d*", s.Elem.Max)
			}
			parts = append(parts, fmt.Sprintf("%slen(%s)", size, it.expr))
		case s.Kind == shape.Slice:
			fixed += s.Min
			simple = false
		default:
			simple = false
		}
	}
	if fixed > 0 || len(parts) == 0 {
		parts = append([]string{fmt.Sprint(fixed)}, parts...)
	}
	return strings.Join(parts, " + "), simple
}

// sizeLoops adds to n what sizeSum has left out.
func (g *generator) sizeLoops(n string, items []item, depth int) {
	for _, it := range items {
		if it.shape.Fixed || it.shape.Elem == nil || it.shape.Elem.Fixed {
			continue
		}
		i := g.index(depth)
		g.line("for %s := range %s {", i, it.expr)
		inner := flat(element(it, i))
		sum, simple := sizeSum(inner)
		if sum != "0" {
			g.line("%s += %s", n, sum)
		}
		if !simple {
			g.sizeLoops(n, inner, depth+1)
		}
		g.line("}")
	}
}

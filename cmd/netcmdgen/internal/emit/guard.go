package emit

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// guards writes declarations that compile only as long as the types are what they are now. They make no code.
func (g *generator) guards() {
	var list []*types.Named
	seen := map[string]bool{}
	var visit func(s *shape.Shape)
	visit = func(s *shape.Shape) {
		if s == nil || s.Kind == shape.Custom {
			return
		}
		if named, ok := s.Type.(*types.Named); ok && !seen[g.typ(named)] {
			seen[g.typ(named)] = true
			list = append(list, named)
		}
		visit(s.Elem)
		for _, f := range s.Fields {
			visit(f.Shape)
		}
	}
	for _, c := range g.Commands {
		visit(c.Shape)
	}
	g.guard(list, g.constants())
}

// guard writes the declarations for some types and constants.
func (g *generator) guard(list []*types.Named, constants []*types.Const) {
	if len(list) == 0 && len(constants) == 0 {
		return
	}
	now := g.local("now")
	g.line("")
	g.comment("What follows compiles only as long as the types above are what they were when this file was written. If it does not, run go generate.")
	for _, t := range list {
		g.line("")
		g.line("func _(%s %s) {", now, g.typ(t))
		if u, ok := t.Underlying().(*types.Struct); ok {
			g.line("var _ %s = %s", g.structType(u), now)
		} else {
			g.line("_ = (*%s)(&%s)", g.typ(t.Underlying()), now)
		}
		g.line("}")
	}
	if len(constants) > 0 {
		same := g.local("same")
		g.line("")
		g.line("func _() {")
		g.line("var %s [1]struct{}", same)
		for _, c := range constants {
			value := c.Val().ExactString()
			real := c.Type().Underlying().(*types.Basic).Info()&types.IsFloat != 0
			if real {
				value = strings.Replace(value, "/", ".0/", 1) // a quotient of floats, not of integers
			}
			if strings.HasPrefix(value, "-") {
				value = "(" + value + ")"
			}
			difference := g.qualified(c) + "-" + value
			if real {
				difference = "int(" + difference + ")" // which does not compile unless it is whole
			}
			g.line("_ = %s[%s]", same, difference)
		}
		g.line("}")
	}
}

// constants returns those that limits were taken from.
func (g *generator) constants() []*types.Const {
	var list []*types.Const
	seen := map[*types.Const]bool{}
	for _, c := range g.Commands {
		has(c.Shape, func(s *shape.Shape) bool {
			if s.Limits != nil {
				for _, c := range s.Limits.Named {
					if !seen[c] {
						seen[c] = true
						list = append(list, c)
					}
				}
			}
			return false
		})
	}
	return list
}

func (g *generator) qualified(obj types.Object) string {
	if obj.Pkg() == g.Types {
		return obj.Name()
	}
	return g.use(obj.Pkg().Path(), obj.Pkg().Name()) + "." + obj.Name()
}

// typ returns a type as it is written in this file, and imports what is needed for that.
func (g *generator) typ(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		s := g.qualified(t.Obj())
		var args []string
		for a := range t.TypeArgs().Types() {
			args = append(args, g.typ(a))
		}
		if len(args) > 0 {
			s += "[" + strings.Join(args, ", ") + "]"
		}
		return s
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), g.typ(t.Elem()))
	case *types.Slice:
		return "[]" + g.typ(t.Elem())
	case *types.Struct:
		return g.structType(t)
	default:
		return types.TypeString(t, g.qualifier)
	}
}

func (g *generator) qualifier(p *types.Package) string {
	if p == g.Types {
		return ""
	}
	return g.use(p.Path(), p.Name())
}

// structType returns a struct type with its tags, which are part of what it is.
func (g *generator) structType(t *types.Struct) string {
	if t.NumFields() == 0 {
		return "struct{}"
	}
	var s strings.Builder
	s.WriteString("struct {\n")
	for i := range t.NumFields() {
		f := t.Field(i)
		switch {
		case f.Embedded():
			s.WriteString(types.TypeString(f.Type(), g.qualifier)) // an alias gives its name to the field
		default:
			s.WriteString(f.Name() + " " + g.typ(f.Type()))
		}
		if tag := t.Tag(i); tag != "" {
			if strings.ContainsAny(tag, "`\r\n") {
				fmt.Fprintf(&s, " %q", tag)
			} else {
				fmt.Fprintf(&s, " `%s`", tag)
			}
		}
		s.WriteString("\n")
	}
	s.WriteString("}")
	return s.String()
}

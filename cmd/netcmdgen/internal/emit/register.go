package emit

import (
	"fmt"
	"strings"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// which says in prose which commands the file is about.
func (g *generator) which() string {
	if g.Suffix == "" {
		return "this package's commands"
	}
	return "the commands of this file"
}

func (g *generator) digest() {
	var entries []shape.Entry
	for _, c := range g.Commands {
		entries = append(entries, c.Entry)
	}
	g.line("")
	g.comment("%s stands for the ids, names, prediction flags and encodings of %s. Builds that differ in any of them have another digest: make it part of the protocol id.", g.digestName(), g.which())
	g.line("const %s %s.ProtocolID = %#016x", g.digestName(), g.netcode(), uint64(shape.Digest(entries)))
}

func (g *generator) registration() {
	g.line("")
	g.comment("The ids of %s.", g.which())
	g.line("const (")
	for _, c := range g.Commands {
		g.line("\t%s %s.TypeID = %v", c.idName(), g.netcode(), c.ID)
	}
	g.line(")")

	g.line("")
	g.comment("%s are the typed handles of %s in a registry.", g.typesName(), g.which())
	g.line("type %s struct {", g.typesName())
	for _, c := range g.Commands {
		g.line("\t%s %s.Type[%[1]s]", c.GoName(), g.registry())
	}
	g.line("}")

	r, t, errs := g.local("r"), g.local("t"), g.local("errs")
	errorsName := g.use("errors", "errors")
	g.line("")
	g.comment("%s adds %s to %s and returns their handles. It may be called again for the same registry. The error joins those of [%s.Register]; what it says nothing about is registered.", g.registerName(), g.which(), r, g.registry())
	g.line("func %s(%s *%s.Registry) (%s, error) {", g.registerName(), r, g.registry(), g.typesName())
	g.line("\tvar %s %s", t, g.typesName())
	g.line("\tvar %s [%d]error", errs, len(g.Commands))
	for i, c := range g.Commands {
		var options []string
		if c.Name != g.Types.Path()+"."+c.GoName() { // which the registry takes by itself
			options = append(options, fmt.Sprintf("Name: %q", c.Name))
		}
		if c.Predicted {
			options = append(options, "Predicted: true")
		}
		g.line("\t%s.%s, %s[%d] = %s.Register(%s, %s, %[5]s.Options[%[2]s]{%[8]s})",
			t, c.GoName(), errs, i, g.registry(), r, c.idName(), strings.Join(options, ", "))
	}
	g.line("\treturn %s, %s.Join(%s[:]...)", t, errorsName, errs)
	g.line("}")

	g.line("")
	g.comment("%s lists %s by the names of their Go types. The caller owns the list.", g.catalogName(), g.which())
	g.line("func %s() []%s.Info {", g.catalogName(), g.registry())
	g.line("\treturn []%s.Info{", g.registry())
	for _, c := range g.Commands {
		predicted := ""
		if c.Predicted {
			predicted = ", Predicted: true"
		}
		g.line("\t\t{ID: %s, Name: %q%s},", c.idName(), c.Name, predicted)
	}
	g.line("\t}")
	g.line("}")
}

package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/emit"
	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/source"
)

// classes prepares the generated file of the replicated classes of one group.
func classes(cfg config, folder *source.Folder, g *source.Group, pkg *source.Package) (*emit.File, []source.Diagnostic) {
	f := newFile(cfg, folder, g, pkg)
	var diags []source.Diagnostic
	for _, c := range g.Classes {
		class, problems := pkg.Class(folder, c.Name, c.Options)
		for _, d := range problems {
			if !d.Pos.IsValid() {
				d.Pos = c.Pos
			}
			diags = append(diags, d)
		}
		if class == nil {
			continue
		}
		for i := range class.Fields {
			v := class.Fields[i].Var
			if why := emit.Reserved(class, i); why != "" {
				diags = append(diags, source.Diagnostic{Pos: pkg.Fset.Position(v.Pos()), Message: fmt.Sprintf("%s %s", v.Name(), why)})
			}
		}
		f.Classes = append(f.Classes, class)
	}
	return f, diags
}

// duplicateClasses reports numbers that several classes have which may be in one program.
func duplicateClasses(groups []*source.Group) []source.Diagnostic {
	type known struct {
		*source.Class
		group *source.Group
	}
	var all []known
	for _, g := range groups {
		for _, c := range g.Classes {
			all = append(all, known{c, g})
		}
	}
	slices.SortStableFunc(all, func(a, b known) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	var diags []source.Diagnostic
	for i, c := range all {
		for _, other := range all[:i] {
			if other.Options.Number == c.Options.Number && source.Compatible(c.group.Constraint, other.group.Constraint) {
				diags = append(diags, source.Diagnostic{Pos: c.Pos, See: other.Pos, Message: fmt.Sprintf("%s is class %d, which %s is already", c.Name, c.Options.Number, other.Name)})
				break
			}
		}
	}
	return diags
}

// twice reports names that would be generated twice: in the file, if it is one of classes, or in it and in another one
// that is built together with it. A class is there for each of the group's, in the same order.
func (f file) twice(others []file) []source.Diagnostic {
	have := map[string]bool{}
	for _, other := range others {
		if other.group.Package == f.group.Package && source.Compatible(other.group.Constraint, f.group.Constraint) {
			for _, name := range other.Names() {
				have[name] = true
			}
		}
	}
	var diags []source.Diagnostic
	for i, class := range f.Classes {
		c := f.group.Classes[i]
		for _, name := range emit.ClassNames(class) {
			if have[name] {
				diags = append(diags, source.Diagnostic{Pos: c.Pos, Message: fmt.Sprintf("%s would be generated twice, here for %s: rename a type or a field", name, c.Name)})
			}
			have[name] = true
		}
	}
	return diags
}

package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/ariadne-netcode/ariadne/internal/directive"
)

// Group is a set of commands that are built under the same circumstances, so that they share a generated file.
type Group struct {
	Package    string // its name, ending in _test for an external test
	Test       bool
	Constraint constraint.Expr
	Label      string // tells the group apart from the others of its package in names of files; empty for the main one
	Suffix     string // the same for the names that the generated file declares, which end in it
	Commands   []*Command
}

// External reports whether the group belongs to the package's external test.
func (g *Group) External() bool { return g.Test && strings.HasSuffix(g.Package, "_test") }

// Command is a type to make a command of, before anything is known about it.
type Command struct {
	Name    string
	Pos     token.Position // of the name
	Options directive.Options
	file    *File
}

// Select returns the commands of a folder: the marked types, or those with the given names, marked or not.
func (f *Folder) Select(names []string) ([]*Command, []Diagnostic) {
	var commands []*Command
	var diags []Diagnostic
	missing := map[string]bool{}
	for _, name := range names {
		missing[name] = true
	}
	for _, file := range f.Files {
		marked := map[*ast.TypeSpec]directive.Options{}
		for _, t := range file.Marks.Types {
			if t.Local {
				diags = append(diags, Diagnostic{Pos: f.Fset.Position(t.Spec.Name.Pos()), Message: t.Spec.Name.Name +
					" is declared inside a function, where it can have no methods: move it to the top level"})
				continue
			}
			marked[t.Spec] = t.Directive.Options
		}
		for _, decl := range file.Syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.TypeSpec)
				name := spec.Name.Name
				options, use := marked[spec]
				if names != nil {
					use = slices.Contains(names, name)
				}
				if !use {
					continue
				}
				delete(missing, name)
				pos := f.Fset.Position(spec.Name.Pos())
				if name == "_" {
					diags = append(diags, Diagnostic{Pos: pos, Message: "a command needs a name"})
					continue
				}
				if pkg := file.Package(); pkg != f.Package() && pkg != f.Package()+"_test" {
					diags = append(diags, Diagnostic{Pos: pos, Message: fmt.Sprintf("%s is in package %s, which is not the package of this folder, %s", name, pkg, f.Package())})
					continue
				}
				commands = append(commands, &Command{name, pos, options, file})
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		diags = append(diags, Diagnostic{Pos: token.Position{Filename: f.Path}, Message: fmt.Sprintf("there is no type %s", name)})
	}
	return commands, diags
}

// Groups sorts commands into groups. The main group comes first.
func (f *Folder) Groups(commands []*Command) []*Group {
	byKey := map[string]*Group{}
	for _, c := range commands {
		g := &Group{Package: c.file.Package(), Test: c.file.Test, Constraint: c.file.Constraint}
		key := fmt.Sprintf("%s %t %s", g.Package, g.Test, text(g.Constraint))
		if byKey[key] == nil {
			byKey[key] = g
		}
		byKey[key].Commands = append(byKey[key].Commands, c)
	}
	groups := slices.SortedFunc(maps.Values(byKey), func(a, b *Group) int {
		return cmp.Or(
			compareBool(a.Test, b.Test),
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(text(a.Constraint), text(b.Constraint)),
		)
	})
	used := map[string]bool{}
	for _, g := range groups {
		base := label(g.Constraint)
		if g.External() {
			base = strings.TrimPrefix(base+"_external", "_")
		}
		g.Label = base
		for n := 2; used[fmt.Sprint(g.Test, g.Label)]; n++ {
			g.Label = fmt.Sprintf("%s_%d", base, n)
		}
		used[fmt.Sprint(g.Test, g.Label)] = true

		suffix := g.suffix()
		g.Suffix = suffix
		for n := 2; used[g.Package+" "+g.Suffix]; n++ {
			g.Suffix = fmt.Sprint(suffix, n)
		}
		used[g.Package+" "+g.Suffix] = true
	}
	return groups
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func text(x constraint.Expr) string {
	if x == nil {
		return ""
	}
	return x.String()
}

// label turns a constraint into a part of a file name.
func label(x constraint.Expr) string {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '_'
		}, x.Tag)
	case *constraint.NotExpr:
		return "not_" + label(x.X)
	case *constraint.AndExpr:
		return label(x.X) + "_and_" + label(x.Y)
	case *constraint.OrExpr:
		return label(x.X) + "_or_" + label(x.Y)
	}
	return ""
}

// FileName returns the name of the group's generated file, given that of the main group's. A name may say by its
// end when a file is built, and this one must not say more than the constraint does.
func (g *Group) FileName(main string) string {
	stem := strings.TrimSuffix(main, ".go")
	if g.Label != "" {
		stem += "_" + g.Label
	}
	implied := nameConstraint(stem + ".go")
	if strings.HasSuffix(stem, "_test") || implied != nil && Compatible(g.Constraint, &constraint.NotExpr{X: implied}) {
		stem += "_tags"
	}
	if g.Test {
		stem += "_test"
	}
	return stem + ".go"
}

// suffix turns the label into a part of a Go name.
func (g *Group) suffix() string {
	var s strings.Builder
	for word := range strings.SplitSeq(strings.TrimSuffix(g.Label, "external"), "_") {
		for i, r := range word {
			if i == 0 {
				r = unicode.ToUpper(r)
			}
			s.WriteRune(r)
		}
	}
	if g.Test {
		s.WriteString("Test")
	}
	return s.String()
}

// PlainName reports whether a file of this name is built always, tests aside, and is no test.
func PlainName(name string) bool {
	return nameConstraint(name) == nil && !strings.HasSuffix(name, "_test.go")
}

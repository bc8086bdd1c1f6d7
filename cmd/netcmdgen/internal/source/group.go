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

// Group is a set of commands and of replicated classes that are built under the same circumstances, so that all of the
// one and all of the other share a generated file.
type Group struct {
	Package    string // its name, ending in _test for an external test
	Test       bool
	Constraint constraint.Expr
	Label      string // tells the group apart from the others of its package in names of files; empty for the main one
	Suffix     string // the same for the names that the generated file declares, which end in it
	Commands   []*Command
	Classes    []*Class
}

// names returns the types of the group.
func (g *Group) names() []string {
	var names []string
	for _, c := range g.Commands {
		names = append(names, c.Name)
	}
	for _, c := range g.Classes {
		names = append(names, c.Name)
	}
	return names
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

// Class is a struct that is marked as replicated, before anything is known about it.
type Class struct {
	Name    string
	Pos     token.Position // of the name
	Options directive.Class
	file    *File
}

// Classes returns the replicated classes of a folder, or those of them with the given names.
func (f *Folder) Classes(names []string) ([]*Class, []Diagnostic) {
	var classes []*Class
	var diags []Diagnostic
	for _, file := range f.Files {
		for _, t := range file.Marks.Classes {
			name, pos := t.Spec.Name.Name, f.Fset.Position(t.Spec.Name.Pos())
			if names != nil && !slices.Contains(names, name) {
				continue
			}
			if d, ok := f.unusable("class", t, file, pos); ok {
				diags = append(diags, d)
				continue
			}
			classes = append(classes, &Class{name, pos, t.Directive.Class, file})
		}
	}
	return classes, diags
}

// unusable returns what stands against a marked type because of where it is declared.
func (f *Folder) unusable(what string, t directive.Type, file *File, pos token.Position) (Diagnostic, bool) {
	switch name := t.Spec.Name.Name; {
	case t.Local:
		return Diagnostic{Pos: pos, Message: name + " is declared inside a function, where it can have no methods: move it to the top level"}, true
	case name == "_":
		return Diagnostic{Pos: pos, Message: fmt.Sprintf("a %s needs a name", what)}, true
	case file.Package() != f.Package() && file.Package() != f.Package()+"_test":
		return Diagnostic{Pos: pos, Message: fmt.Sprintf("%s is in package %s, which is not the package of this folder, %s", name, file.Package(), f.Package())}, true
	}
	return Diagnostic{}, false
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
				d, _ := f.unusable("command", t, file, f.Fset.Position(t.Spec.Name.Pos()))
				diags = append(diags, d)
				continue
			}
			marked[t.Spec] = t.Directive.Options
		}
		classes := map[*ast.TypeSpec]bool{}
		for _, t := range file.Marks.Classes {
			classes[t.Spec] = true
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
				if _, isCommand := marked[spec]; classes[spec] && !isCommand {
					continue // it was named to be a class
				}
				pos := f.Fset.Position(spec.Name.Pos())
				if d, ok := f.unusable("command", directive.Type{Spec: spec}, file, pos); ok {
					diags = append(diags, d)
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

// Groups sorts commands and classes into groups. The main group comes first.
func (f *Folder) Groups(commands []*Command, classes []*Class) []*Group {
	byKey := map[string]*Group{}
	of := func(file *File) *Group {
		g := &Group{Package: file.Package(), Test: file.Test, Constraint: file.Constraint}
		key := fmt.Sprintf("%s %t %s", g.Package, g.Test, text(g.Constraint))
		if byKey[key] == nil {
			byKey[key] = g
		}
		return byKey[key]
	}
	for _, c := range commands {
		g := of(c.file)
		g.Commands = append(g.Commands, c)
	}
	for _, c := range classes {
		g := of(c.file)
		g.Classes = append(g.Classes, c)
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

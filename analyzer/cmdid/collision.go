package cmdid

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// commands is a fact about a package that declares commands or imports, at whatever distance, one that does.
type commands struct {
	List  []listed // of this package, in the order of the source
	Below []string // the import paths of the others that declare some, sorted
}

// listed is a command as importers know it.
type listed struct {
	ID    netcode.TypeID
	Name  string
	Place string // file and line
}

// AFact marks commands as a fact.
func (*commands) AFact() {}

// String is what tests expect.
func (f *commands) String() string {
	var s []string
	for _, l := range f.List {
		s = append(s, fmt.Sprintf("%s=%#x", l.Name, uint64(l.ID)))
	}
	if len(f.Below) > 0 {
		s = append(s, fmt.Sprintf("below %v", f.Below))
	}
	return strings.Join(s, " ")
}

// foreign is a command of another package.
type foreign struct {
	listed
	path string
}

// collisions reports ids that several commands have, and exports what importers need to do the same.
func (c *checker) collisions() {
	own := map[netcode.TypeID]*command{}
	fact := &commands{}
	for _, cmd := range c.commands {
		if cmd.id == 0 || cmd.Local {
			continue // reported already, and no command
		}
		fact.List = append(fact.List, listed{cmd.id, cmd.name(), c.place(cmd.Spec.Pos())})
		first, taken := own[cmd.id]
		if !taken {
			own[cmd.id] = cmd
			continue
		}
		pos, end := cmd.idRange()
		firstPos, firstEnd := first.idRange()
		c.Report(analysis.Diagnostic{
			Pos: pos, End: end, Category: Collision, URL: "#hdr-" + Collision,
			Message: fmt.Sprintf("%s: %s has the id %v, which %s has already (%s): pin another one",
				Collision, cmd.name(), cmd.id, first.name(), c.place(first.Spec.Pos())),
			Related: []analysis.RelatedInformation{{Pos: firstPos, End: firstEnd, Message: first.name()}},
		})
	}

	below := c.below()
	for _, group := range below.paths {
		for _, f := range below.lists[group] {
			if cmd := own[f.ID]; cmd != nil {
				pos, end := cmd.idRange()
				c.report(Collision, pos, end, nil, "%s has the id %v, which %s of package %s has already (%s): pin another one",
					cmd.name(), cmd.id, f.Name, f.path, f.Place)
			}
		}
	}
	c.meetings(below)

	fact.Below = below.paths
	if len(fact.List)+len(fact.Below) > 0 {
		c.ExportPackageFact(fact)
	}
}

// imports is what the packages below this one declare.
type imports struct {
	paths  []string // of those that declare commands, sorted
	lists  map[string][]foreign
	direct []directImport // in the order of the source
}

// directImport is an imported package with what is to be seen through it.
type directImport struct {
	path  string
	paths []string // its own among them if it declares commands
}

func (c *checker) below() imports {
	in := imports{lists: map[string][]foreign{}}
	for _, f := range c.AllPackageFacts() {
		fact, ok := f.Fact.(*commands)
		if !ok || f.Package == c.Pkg || len(fact.List) == 0 {
			continue
		}
		path := f.Package.Path()
		in.paths = append(in.paths, path)
		for _, l := range fact.List {
			in.lists[path] = append(in.lists[path], foreign{l, path})
		}
	}
	slices.Sort(in.paths)
	for _, p := range c.Pkg.Imports() {
		var fact commands
		if !c.ImportPackageFact(p, &fact) {
			continue
		}
		d := directImport{p.Path(), slices.Clone(fact.Below)}
		if len(fact.List) > 0 {
			d.paths = append(d.paths, p.Path())
		}
		in.direct = append(in.direct, d)
	}
	return in
}

// meetings reports pairs of commands from two imported packages that no single one of the imports brings along.
func (c *checker) meetings(in imports) {
	type pair struct{ first, second string }
	said := map[pair]bool{}
	holders := map[netcode.TypeID][]foreign{}
	for _, path := range in.paths {
		for _, f := range in.lists[path] {
			for _, other := range holders[f.ID] {
				p := pair{other.path, f.path}
				if other.path == f.path || said[p] || in.together(p.first, p.second) {
					continue
				}
				said[p] = true
				c.reportMeeting(in, other, f)
			}
			holders[f.ID] = append(holders[f.ID], f)
		}
	}
}

// together reports whether one of the imports has both packages below it, so that the pair was reported there.
func (in imports) together(a, b string) bool {
	return slices.ContainsFunc(in.direct, func(d directImport) bool {
		return slices.Contains(d.paths, a) && slices.Contains(d.paths, b)
	})
}

// reportMeeting reports at the import that brings the second command.
func (c *checker) reportMeeting(in imports, first, second foreign) {
	through := slices.IndexFunc(in.direct, func(d directImport) bool { return slices.Contains(d.paths, second.path) })
	if through < 0 {
		return
	}
	for _, f := range c.Files {
		for _, spec := range f.Imports {
			if p := c.TypesInfo.PkgNameOf(spec); p == nil || p.Imported().Path() != in.direct[through].path {
				continue
			}
			c.report(Collision, spec.Path.Pos(), spec.Path.End(), nil,
				"commands of two packages meet here under the id %v: %s of %s (%s) and %s of %s (%s)",
				second.ID, first.Name, first.path, first.Place, second.Name, second.path, second.Place)
			return
		}
	}
}

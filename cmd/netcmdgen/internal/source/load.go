package source

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ariadne-netcode/ariadne/internal/directive"
	"github.com/ariadne-netcode/ariadne/internal/directive/layout"
	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// Loader finds the types of commands. It asks the go command about many folders at once, because that takes most of
// the time.
type Loader struct {
	home     Setup
	expected map[bool][]*Folder    // by whether tests are wanted
	commands map[*Folder][]*Group  // all that there are
	loaded   map[string][]*Package // by circumstances, and folder if it was alone
}

// NewLoader returns a loader that loads packages in the set-up home if nothing speaks against it.
func NewLoader(home Setup) *Loader {
	return &Loader{
		home: home, expected: map[bool][]*Folder{}, commands: map[*Folder][]*Group{}, loaded: map[string][]*Package{},
	}
}

// Expect tells the loader what it will be asked for.
func (l *Loader) Expect(f *Folder, groups []*Group) {
	l.commands[f] = groups
	for _, test := range []bool{false, true} {
		for _, g := range groups {
			if g.Test == test {
				l.expected[test] = append(l.expected[test], f)
				break
			}
		}
	}
}

// Package has the types of a package's commands, under some circumstances, and as much around them as they need.
// Everything else of the package is as if it were not there, so it does no harm if it does not compile.
type Package struct {
	Types *types.Package
	Fset  *token.FileSet

	meta   *packages.Package
	errors []types.Error
	output map[string]bool // by file name, whether the generator wrote it
}

// Load returns the package that an expected group belongs to, under circumstances that fit the group.
func (l *Loader) Load(f *Folder, g *Group) (*Package, error) {
	setup, ok := l.home.Satisfy(g.Constraint)
	if !ok {
		return nil, fmt.Errorf("it is never built: nothing satisfies %v", g.Constraint)
	}
	circumstances := fmt.Sprint(setup, g.Test)
	if circumstances == fmt.Sprint(l.home, g.Test) {
		// Folders may be in different modules. Then this goes wrong, and they come out one by one below.
		if list, err := l.load(circumstances, setup, g.Test, l.expected[g.Test]); err == nil {
			if p := find(list, f, g); p != nil {
				return p, nil
			}
		}
	}
	list, err := l.load(circumstances+" "+f.Path, setup, g.Test, []*Folder{f})
	if err != nil {
		return nil, err
	}
	if p := find(list, f, g); p != nil {
		return p, nil
	}
	return nil, failure(list, g)
}

// find looks for the package of a group.
func find(list []*Package, f *Folder, g *Group) *Package {
	for _, p := range list {
		if p.Types != nil && p.meta.Name == g.Package && sameFolder(p.meta.Dir, f.Path) {
			return p
		}
	}
	return nil
}

func sameFolder(a, b string) bool {
	if a == b {
		return true
	}
	one, err := filepath.EvalSymlinks(a)
	if err != nil {
		return false
	}
	two, err := filepath.EvalSymlinks(b)
	return err == nil && one == two
}

// failure explains why a package was not found.
func failure(list []*Package, g *Group) error {
	for _, p := range list {
		for _, e := range p.meta.Errors {
			return fmt.Errorf("%s", e.Msg)
		}
	}
	return fmt.Errorf("the go command finds no package %s here", g.Package)
}

// load returns the packages in some folders, with their tests or without. It does so once for each key.
func (l *Loader) load(key string, s Setup, test bool, folders []*Folder) ([]*Package, error) {
	if list, ok := l.loaded[key]; ok {
		return list, nil
	}
	cgo := "0"
	if s.Cgo {
		cgo = "1"
	}
	cfg := &packages.Config{
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedForTest,
		Dir:     folders[0].Path,
		Env:     append(os.Environ(), "GOOS="+s.GOOS, "GOARCH="+s.GOARCH, "CGO_ENABLED="+cgo),
		Tests:   test,
		Overlay: map[string][]byte{},
	}
	if len(s.Tags) > 0 {
		cfg.BuildFlags = []string{"-tags=" + strings.Join(s.Tags, ",")}
	}
	var patterns []string
	for _, f := range folders {
		maps.Copy(cfg.Overlay, f.blanked())
		patterns = append(patterns, f.Path)
	}
	metas, err := packages.Load(cfg, patterns...)
	if err != nil {
		return nil, err
	}
	a := newAssembly(cfg.Overlay, types.SizesFor("gc", s.GOARCH))
	var list []*Package
	for _, meta := range metas {
		if strings.HasSuffix(meta.ID, ".test") || test != (meta.ForTest != "") {
			continue
		}
		for _, f := range folders {
			if !sameFolder(meta.Dir, f.Path) {
				continue
			}
			for _, g := range l.commands[f] {
				for _, name := range g.names() {
					a.need(meta, name)
				}
			}
		}
		list = append(list, &Package{Fset: a.fset, meta: meta, output: a.output})
	}
	for _, p := range list {
		p.Types, p.errors = a.check(p.meta)
	}
	if len(list) == 0 && len(metas) > 0 { // for what the errors of the others say
		list = append(list, &Package{meta: metas[0]})
	}
	l.loaded[key] = list
	return list, nil
}

// blanked returns, for each file that the generator wrote, an empty one of the same package.
func (f *Folder) blanked() map[string][]byte {
	overlay := map[string][]byte{}
	for name, text := range f.Output {
		pkg := f.Package()
		if clause := packageClause.FindSubmatch(text); clause != nil && string(clause[1]) == pkg+"_test" {
			pkg += "_test"
		}
		if pkg != "" {
			overlay[filepath.Join(f.Path, name)] = []byte("package " + pkg + "\n")
		}
	}
	return overlay
}

// Shape returns the wire shape of one of the package's types, or what stands against it.
func (p *Package) Shape(name string) (*types.Named, *shape.Shape, []Diagnostic) {
	obj, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, nil, []Diagnostic{{Message: fmt.Sprintf("type %s is not found when the package is loaded", name)}}
	}
	s, problems := shape.Of(obj, shape.Config{
		Generated: func(pos token.Pos) bool { return p.output[p.Fset.File(pos).Name()] },
		Explain:   p.explain,
	})
	if len(problems) == 0 {
		return obj.Type().(*types.Named), s, nil
	}
	var diags []Diagnostic
	for _, problem := range problems {
		diags = append(diags, Diagnostic{Pos: p.Fset.Position(problem.Pos), Message: problem.Message})
	}
	return nil, nil, diags
}

// Class returns the layout of one of the package's types that is marked as replicated, or what stands against it. The
// pins of the options are in the folder's files, which are not those of the package.
func (p *Package) Class(f *Folder, name string, options directive.Class) (*layout.Class, []Diagnostic) {
	obj, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, []Diagnostic{{Message: fmt.Sprintf("type %s is not found when the package is loaded", name)}}
	}
	class, problems := layout.Of(obj, options, layout.Config{Explain: p.explain})
	var diags []Diagnostic
	for _, problem := range problems {
		fset := p.Fset
		if problem.Option {
			fset = f.Fset
		}
		diags = append(diags, Diagnostic{Pos: fset.Position(problem.Pos), Message: problem.Message})
	}
	return class, diags
}

// explain returns a type error on the line of a position.
func (p *Package) explain(pos token.Pos) string {
	at := p.Fset.Position(pos)
	for _, e := range p.errors {
		if where := p.Fset.Position(e.Pos); where.Filename == at.Filename && where.Line == at.Line {
			return e.Msg
		}
	}
	for _, e := range p.errors {
		if strings.HasPrefix(e.Msg, "could not import") { // at the import
			return e.Msg
		}
	}
	return ""
}

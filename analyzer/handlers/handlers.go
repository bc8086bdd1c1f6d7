package handlers

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/ariadne-netcode/ariadne/analyzer/internal/doc"
)

//go:embed doc.go
var source string

// The categories of the findings.
const (
	Executor = "executor" // a command without one
	Twice    = "twice"    // a command handled twice on a host
	Borrowed = "borrowed" // memory kept that was only lent
	Reentry  = "reentry"  // a call back into the session
)

// Analyzer checks the handlers of commands, and what borrows memory from a session. It has no flags and no facts, so
// it looks at no package but those it is asked about.
var Analyzer = &analysis.Analyzer{
	Name: "handlers",
	Doc:  doc.Of(source, "handlers"),
	URL:  "https://pkg.go.dev/github.com/ariadne-netcode/ariadne/analyzer/handlers",
	Run:  run,
}

// The packages whose types matter.
const (
	netcodePath  = "github.com/ariadne-netcode/ariadne/netcode"
	registryPath = "github.com/ariadne-netcode/ariadne/registry"
	sessionPath  = "github.com/ariadne-netcode/ariadne/session"
)

// checker is one run over one package.
type checker struct {
	*analysis.Pass
	imported  map[string]*types.Package // of the above, those that the package imports or is
	ssa       *ssa.Package
	functions []*ssa.Function // all with a body in the source, closures behind what they are in
	calls     map[*ssa.Function][]*ssa.CallCommon
	summaries map[parameter]*summary
	said      map[token.Pos]bool
}

func run(pass *analysis.Pass) (any, error) {
	c := &checker{
		Pass: pass, imported: map[string]*types.Package{},
		summaries: map[parameter]*summary{}, said: map[token.Pos]bool{},
	}
	for _, p := range append(pass.Pkg.Imports(), pass.Pkg) {
		switch p.Path() {
		case netcodePath, registryPath, sessionPath:
			c.imported[p.Path()] = p
		}
	}
	if len(c.imported) == 0 {
		return nil, nil // nothing of a session's can reach it
	}
	c.coverage()
	c.build()
	roles := c.roles()
	c.borrowed(roles)
	c.reentry(roles)
	return nil, nil
}

// build makes the SSA form of the package. The shared one of package buildssa does not relate values to expressions.
func (c *checker) build() {
	prog := ssa.NewProgram(c.Fset, ssa.GlobalDebug)
	for _, p := range c.Pkg.Imports() {
		prog.CreatePackage(p, nil, nil, true)
	}
	c.ssa = prog.CreatePackage(c.Pkg, c.Files, c.TypesInfo, false)
	c.ssa.Build()

	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		c.functions = append(c.functions, f)
		for _, inner := range f.AnonFuncs {
			add(inner)
		}
	}
	if init := c.ssa.Func("init"); init != nil {
		add(init) // the initial values of package variables
	}
	for _, file := range c.Files {
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if obj, ok := c.TypesInfo.Defs[decl.Name].(*types.Func); ok {
				if f := prog.FuncValue(obj); f != nil {
					add(f)
				}
			}
		}
	}
}

// inTest reports whether a position is in a test file.
func (c *checker) inTest(pos token.Pos) bool {
	return strings.HasSuffix(c.Fset.PositionFor(pos, false).Filename, "_test.go")
}

func (c *checker) report(d analysis.Diagnostic, format string, args ...any) {
	if c.said[d.Pos] {
		return
	}
	c.said[d.Pos] = true
	d.URL = "#hdr-" + d.Category
	d.Message = fmt.Sprintf(format, args...)
	c.Report(d)
}

// isNamed reports whether t is a type with this name, or an instance of it.
func isNamed(t types.Type, path, name string) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	obj := named.Obj()
	return obj.Name() == name && obj.Pkg() != nil && obj.Pkg().Path() == path
}

// elem returns what a pointer points to, and any other type as it is.
func elem(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

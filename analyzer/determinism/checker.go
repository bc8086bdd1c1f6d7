package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"

	"golang.org/x/tools/go/analysis"

	"github.com/ariadne-netcode/ariadne/internal/directive"
)

// checker is the state of the analysis of one package.
type checker struct {
	pass  *analysis.Pass
	info  *types.Info
	files []*file // by position
	units []*unit // by position
	funcs map[*types.Func]*unit
	vars  map[*types.Var]*unit // package variables with an initial value

	flows     map[*types.Var][]ast.Expr     // values that variables, fields, parameters and results may take; see flow.go
	carried   map[*types.Var]bool           // memo of carriesFunc
	conformed []types.Type                  // concrete types that the package uses as interfaces
	handed    []handed                      // functions given away as handlers or validators
	summaries map[*types.Func]*rounding     // see rounding.go
	purity    map[*types.Func]bool          // see pure.go
	readSets  map[*types.Func]readSet       // see pure.go
	imported  map[string]*types.Package     // every package in reach, by path
	facts     map[types.Object]*behaviour   // memo of behaviourOf
	dispatch  map[*types.Func][]*types.Func // memo of implementations
	behind    map[visited]*hazard           // memo of findGenerated

	excuses  []*excuse
	found    []*finding
	reported map[*hazard]bool
}

// file is one source file.
type file struct {
	syntax    *ast.File
	generated bool
	marks     directive.File
}

// unit is a function declaration, or the initialisation of package variables, with all closures in it.
type unit struct {
	file *file
	name string
	node ast.Node     // *ast.FuncDecl or *ast.ValueSpec
	fn   *types.Func  // of a function declaration
	vars []*types.Var // of a value specification

	items []item     // what happens in it, by position
	flow  *valueFlow // of floating-point numbers; nil if there are none
}

// excuse is a line that the author vouches for.
type excuse struct {
	mark directive.Excuse
	file *file
	used bool
}

func newChecker(pass *analysis.Pass) *checker {
	c := &checker{
		pass:      pass,
		info:      pass.TypesInfo,
		funcs:     map[*types.Func]*unit{},
		vars:      map[*types.Var]*unit{},
		flows:     map[*types.Var][]ast.Expr{},
		carried:   map[*types.Var]bool{},
		summaries: map[*types.Func]*rounding{},
		purity:    map[*types.Func]bool{},
		readSets:  map[*types.Func]readSet{},
		imported:  map[string]*types.Package{},
		facts:     map[types.Object]*behaviour{},
		dispatch:  map[*types.Func][]*types.Func{},
		behind:    map[visited]*hazard{},
		reported:  map[*hazard]bool{},
	}
	for _, f := range pass.Files {
		file := &file{syntax: f, generated: ast.IsGenerated(f), marks: directive.Collect(pass.Fset, f)}
		c.files = append(c.files, file)
		for _, e := range file.marks.Nondeterministic {
			if e.Directive.Reason != "" { // without one it is reported elsewhere, and excuses nothing
				c.excuses = append(c.excuses, &excuse{mark: e, file: file})
			}
		}
		for _, d := range f.Decls {
			c.declare(file, d)
		}
	}
	slices.SortFunc(c.files, func(a, b *file) int { return int(a.syntax.FileStart - b.syntax.FileStart) })
	slices.SortFunc(c.units, func(a, b *unit) int { return int(a.node.Pos() - b.node.Pos()) })
	c.collectImports(pass.Pkg)
	return c
}

func (c *checker) declare(f *file, decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		fn, ok := c.info.Defs[decl.Name].(*types.Func)
		if !ok || decl.Body == nil {
			return
		}
		u := &unit{file: f, name: functionName(fn), node: decl, fn: fn}
		c.units = append(c.units, u)
		c.funcs[fn] = u
	case *ast.GenDecl:
		if decl.Tok != token.VAR {
			return
		}
		for _, spec := range decl.Specs {
			spec := spec.(*ast.ValueSpec)
			if len(spec.Values) == 0 {
				continue
			}
			u := &unit{file: f, name: spec.Names[0].Name, node: spec}
			for _, name := range spec.Names {
				if v, ok := c.info.Defs[name].(*types.Var); ok {
					u.vars = append(u.vars, v)
					c.vars[v] = u
				}
			}
			c.units = append(c.units, u)
		}
	}
}

func (c *checker) collectImports(pkg *types.Package) {
	if c.imported[pkg.Path()] != nil {
		return
	}
	c.imported[pkg.Path()] = pkg
	for _, imp := range pkg.Imports() {
		c.collectImports(imp)
	}
}

// concerned reports whether there can be anything to report: the package reaches the packages whose types matter, has
// a directive of its own, or may implement an interface that is marked elsewhere.
func (c *checker) concerned() bool {
	if c.imported[netcodePath] != nil || c.imported[sessionPath] != nil {
		return true
	}
	return slices.ContainsFunc(c.files, func(f *file) bool {
		return len(f.marks.Deterministic)+len(f.marks.Nondeterministic) > 0
	}) || len(c.importedMarks()) > 0
}

// unitAt returns the unit that encloses a position, or nil.
func (c *checker) unitAt(pos token.Pos) *unit {
	i := sort.Search(len(c.units), func(i int) bool { return c.units[i].node.End() > pos })
	if i < len(c.units) && c.units[i].node.Pos() <= pos {
		return c.units[i]
	}
	return nil
}

// fileAt returns the file of a position in the package's syntax, or nil.
func (c *checker) fileAt(pos token.Pos) *file {
	i := sort.Search(len(c.files), func(i int) bool { return c.files[i].syntax.FileEnd >= pos })
	if i < len(c.files) && c.files[i].syntax.FileStart <= pos {
		return c.files[i]
	}
	return nil
}

// line ignores line directives, as the excuses do.
func (c *checker) line(pos token.Pos) int { return c.pass.Fset.PositionFor(pos, false).Line }

// typeOf returns the type of an expression, or the invalid type.
func (c *checker) typeOf(e ast.Expr) types.Type {
	if t := c.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

func (c *checker) isConstant(e ast.Expr) bool { return c.info.Types[e].Value != nil }

// callee returns the function that a call calls if that is known without running it, as it was declared; a method of
// an interface counts.
func (c *checker) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(index.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(index.X)
	}
	fn, ok := c.use(fun).(*types.Func)
	if !ok {
		return nil
	}
	return fn.Origin()
}

// use returns what an identifier or a qualified or selected one refers to, or nil.
func (c *checker) use(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.info.Uses[e]
	case *ast.SelectorExpr:
		return c.info.Uses[e.Sel]
	}
	return nil
}

// builtin returns the name of the built-in function that a call calls, or "".
func (c *checker) builtin(call *ast.CallExpr) string {
	if b, ok := c.use(call.Fun).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// conversion returns the operand of a call that is a conversion.
func (c *checker) conversion(call *ast.CallExpr) (operand ast.Expr, ok bool) {
	if len(call.Args) == 1 && c.info.Types[call.Fun].IsType() {
		return call.Args[0], true
	}
	return nil, false
}

// isFunc reports whether a function is one of those named in a package, as "Name" or "Type.Name".
func isFunc(fn *types.Func, pkg string, names ...string) bool {
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == pkg && slices.Contains(names, memberName(fn))
}

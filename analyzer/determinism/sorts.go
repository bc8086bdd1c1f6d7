package determinism

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// order is what is known about a comparison.
type order uint8

const (
	unknown order = iota
	total         // elements that compare equal are the same
	partial       // elements that differ may compare equal
)

// stable maps the unstable sorts to the stable ones.
var stable = map[string]string{"Slice": "SliceStable", "Sort": "Stable", "SortFunc": "SortStableFunc"}

// sorts is about a call of a standard function that sorts.
func (s *scanner) sorts(call *ast.CallExpr, fn *types.Func) {
	switch {
	case isFunc(fn, "sort", "Slice", "Sort"), isFunc(fn, "slices", "SortFunc"):
		if s.orderOf(call, fn) != partial || s.inMapOrder(call) {
			return
		}
		h := s.hazardf(sortTies, call.Fun, "%s leaves elements that compare equal in no certain order; compare by more, or sort stably", qualifiedName(fn))
		if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
			h.fixes = edit("Sort stably", sel.Sel.Pos(), sel.Sel.End(), stable[fn.Name()])
		}
	case isFunc(fn, "slices", "SortedFunc", "SortedStableFunc"):
		if s.orderOf(call, fn) != partial {
			return
		}
		seq, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr)
		fromMap := ok && isFunc(s.callee(seq), "maps", "Keys", "Values")
		switch {
		case fromMap:
			s.hazardf(sortTies, call.Fun, "%s leaves elements that compare equal in map iteration order; compare by more", qualifiedName(fn))
		case fn.Name() == "SortedFunc":
			h := s.hazardf(sortTies, call.Fun, "%s leaves elements that compare equal in no certain order; compare by more, or sort stably", qualifiedName(fn))
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				h.fixes = edit("Sort stably", sel.Sel.Pos(), sel.Sel.End(), "SortedStableFunc")
			}
		}
	case isFunc(fn, "maps", "DeleteFunc"):
		if lit, ok := call.Args[1].(*ast.FuncLit); ok {
			l := s.newLoop(s.u, lit)
			l.pure = true
			l.block(lit.Body)
			l.pure = false
			if why := l.verdict(call.End(), s.function()); why != "" {
				s.hazardf(mapOrder, call.Fun, "the iteration order of map %s is visible: %s", brief(call.Args[0]), why)
			}
		}
	}
}

// inMapOrder reports whether what a call sorts was collected from a map in the same function. The loop is reported
// then: sorting it stably would not help.
func (s *scanner) inMapOrder(call *ast.CallExpr) bool {
	function := s.function()
	if function == nil || len(call.Args) == 0 {
		return false
	}
	found := false
	l := s.newLoop(s.u, call)
	target := l.spotOf(call.Args[0])
	ast.Inspect(function, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || loop.Pos() > call.Pos() {
			return !found
		}
		if _, ok := s.typeOf(loop.X).Underlying().(*types.Map); !ok {
			return !found
		}
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
				if app, ok := a.Rhs[0].(*ast.CallExpr); ok && s.builtin(app) == "append" && l.spotOf(a.Lhs[0]).same(target) {
					found = true
				}
			}
			return !found
		})
		return !found
	})
	return found
}

// orderOf judges the comparison of a call that sorts. Some paths from an element, like ".X", may be known to lead to
// what differs in all of them.
func (c *checker) orderOf(call *ast.CallExpr, fn *types.Func, unique ...string) order {
	if isFunc(fn, "sort", "Sort", "Stable") {
		t := c.typeOf(call.Args[0])
		sel := types.NewMethodSet(t).Lookup(c.pass.Pkg, "Less")
		if sel == nil {
			return unknown
		}
		less, ok := sel.Obj().(*types.Func)
		if !ok || c.funcs[less.Origin()] == nil {
			return unknown
		}
		recv := namedOf(t)
		if recv == nil {
			return unknown
		}
		return c.orderOfLess(c.funcs[less.Origin()].node.(*ast.FuncDecl), recv, unique)
	}
	if len(call.Args) < 2 {
		return unknown
	}
	var elem types.Type
	switch t := c.typeOf(call.Args[0]).Underlying().(type) {
	case *types.Slice:
		elem = t.Elem()
	case *types.Signature: // an iterator
		if t.Params().Len() == 1 {
			if yield, ok := t.Params().At(0).Type().Underlying().(*types.Signature); ok && yield.Params().Len() == 1 {
				elem = yield.Params().At(0).Type()
			}
		}
	}
	if elem == nil {
		return unknown
	}
	by := comparison{c: c, elem: elem, unique: unique}
	if isFunc(fn, "sort", "Slice", "SliceStable") {
		by.slice = types.ExprString(ast.Unparen(call.Args[0]))
	}
	return by.of(call.Args[1], 0)
}

// orderOfLess judges the Less method of a sort.Interface.
func (c *checker) orderOfLess(decl *ast.FuncDecl, recv *types.Named, unique []string) order {
	s, ok := recv.Underlying().(*types.Slice)
	if !ok || len(decl.Recv.List[0].Names) == 0 {
		return unknown
	}
	by := comparison{c: c, elem: s.Elem(), slice: decl.Recv.List[0].Names[0].Name, unique: unique}
	return by.function(decl.Type, decl.Body, 0)
}

// comparison judges a function that compares two elements, by which parts of them it compares.
type comparison struct {
	c     *checker
	elem  types.Type
	slice string // if the elements are given by their indexes, the slice they index

	unique []string // paths that differ in all elements

	a, b  string
	paths map[string]bool // compared parts, like ".X"; "" is the whole element
}

// of judges a function value.
func (by comparison) of(f ast.Expr, depth int) order {
	f = ast.Unparen(f)
	if lit, ok := f.(*ast.FuncLit); ok {
		return by.function(lit.Type, lit.Body, depth)
	}
	if index, ok := f.(*ast.IndexExpr); ok { // an instance
		f = index.X
	}
	switch obj := by.c.use(f).(type) {
	case *types.Func:
		fn := obj.Origin()
		if fn.Pkg() != nil && standardPath(fn.Pkg().Path()) {
			return total // cmp.Compare, strings.Compare and their like compare all there is
		}
		u := by.c.funcs[fn]
		if u == nil || depth > 3 {
			return unknown
		}
		decl := u.node.(*ast.FuncDecl)
		if decl.Recv != nil {
			return by.method(decl, depth)
		}
		return by.function(decl.Type, decl.Body, depth)
	case *types.Var:
		s := by.c.sourcesOf(f)
		if len(s.lits) == 1 && len(s.funcs) == 0 {
			return by.function(s.lits[0].Type, s.lits[0].Body, depth)
		}
	}
	return unknown
}

// method judges a method that compares its receiver with its parameter.
func (by comparison) method(decl *ast.FuncDecl, depth int) order {
	recv := decl.Recv.List[0].Names
	params := names(decl.Type.Params)
	if len(recv) != 1 || len(params) != 1 {
		return unknown
	}
	by.a, by.b = recv[0].Name, params[0]
	by.slice = ""
	return by.body(decl.Body, depth)
}

func (by comparison) function(typ *ast.FuncType, body *ast.BlockStmt, depth int) order {
	params := names(typ.Params)
	if len(params) != 2 {
		return unknown
	}
	by.a, by.b = params[0], params[1]
	if by.slice != "" {
		by.a, by.b = by.slice+"["+params[0]+"]", by.slice+"["+params[1]+"]"
	}
	return by.body(body, depth)
}

func names(list *ast.FieldList) []string {
	var out []string
	for _, field := range list.List {
		for _, name := range field.Names {
			out = append(out, name.Name)
		}
	}
	return out
}

func (by comparison) body(body *ast.BlockStmt, depth int) order {
	by.paths = map[string]bool{}
	complete := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			switch n.Op {
			case token.LSS, token.GTR, token.LEQ, token.GEQ, token.SUB:
				by.compare(n.X, n.Y)
			}
		case *ast.CallExpr:
			complete = by.call(n, depth) || complete
		}
		return true
	})
	if complete || by.paths[""] || by.covered(by.elem, "", 0) {
		return total
	}
	for path := range by.paths { // any of them will do
		if identityName(path[strings.LastIndexByte(path, '.')+1:]) || slices.Contains(by.unique, path) {
			return total
		}
	}
	if len(by.paths) == 0 {
		return unknown
	}
	return partial
}

// call notes a comparison by a function. It reports whether that compares the elements completely.
func (by comparison) call(call *ast.CallExpr, depth int) bool {
	fn := by.c.callee(call)
	switch {
	case isFunc(fn, "cmp", "Compare", "Less"), isFunc(fn, "strings", "Compare"), isFunc(fn, "bytes", "Compare"):
		by.compare(call.Args[0], call.Args[1])
		return false
	case fn == nil:
		return false
	}
	switch fn.Name() {
	case "Compare", "Cmp", "Less", "Before", "After":
	default:
		return false
	}
	x, y := argument(call, -1), argument(call, 0)
	if fn.Signature().Recv() == nil {
		x, y = argument(call, 0), argument(call, 1)
	}
	path, ok := by.path(x, y)
	if !ok {
		return false
	}
	if u := by.c.funcs[fn]; path == "" && u != nil && depth <= 3 {
		inner := comparison{c: by.c, elem: by.elem, unique: by.unique}
		decl := u.node.(*ast.FuncDecl)
		if decl.Recv != nil {
			return inner.method(decl, depth+1) != partial
		}
		return inner.function(decl.Type, decl.Body, depth+1) != partial
	}
	by.paths[path] = true
	return path == ""
}

func (by comparison) compare(x, y ast.Expr) {
	if path, ok := by.path(x, y); ok {
		by.paths[path] = true
	}
}

// path returns which part of the elements two expressions are, if it is the same part of both. What is calculated
// from a part, or looked up by it, is a path that no field has: it may tie where the part does not.
func (by comparison) path(x, y ast.Expr) (string, bool) {
	if x == nil || y == nil {
		return "", false
	}
	x, y = by.converted(x), by.converted(y)
	tx, ty := types.ExprString(x), types.ExprString(y)
	if by.plain(tx, by.a) && by.plain(ty, by.b) {
		return tx[len(by.a):], tx[len(by.a):] == ty[len(by.b):]
	}
	if by.plain(tx, by.b) && by.plain(ty, by.a) {
		return tx[len(by.b):], tx[len(by.b):] == ty[len(by.a):]
	}
	if by.uses(x, by.a) && by.uses(y, by.b) || by.uses(x, by.b) && by.uses(y, by.a) {
		return "?" + tx, true
	}
	return "", false
}

// converted returns what a conversion converts, if that keeps different values different.
func (by comparison) converted(e ast.Expr) ast.Expr {
	e = ast.Unparen(e)
	if call, ok := e.(*ast.CallExpr); ok {
		if operand, ok := by.c.conversion(call); ok && injective(by.c.typeOf(operand), by.c.typeOf(call)) {
			return by.converted(operand)
		}
	}
	return e
}

// plain reports whether an expression is a variable, or a field or a certain element of it.
func (by comparison) plain(text, variable string) bool {
	rest, ok := strings.CutPrefix(text, variable)
	return ok && plainPath.MatchString(rest)
}

var plainPath = regexp.MustCompile(`^(\.\w+|\[\d+\])*$`)

func (by comparison) uses(e ast.Expr, variable string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && types.ExprString(x) == variable {
			found = true
		}
		return !found
	})
	return found
}

// covered reports whether the compared parts are all there is to an element.
func (by comparison) covered(t types.Type, path string, depth int) bool {
	if by.paths[path] {
		return true
	}
	if p, ok := t.Underlying().(*types.Pointer); ok && path == "" {
		t = p.Elem()
	}
	if a, ok := t.Underlying().(*types.Array); ok && a.Len() <= 16 {
		for i := range a.Len() {
			if !by.covered(a.Elem(), fmt.Sprintf("%s[%d]", path, i), depth+1) {
				return false
			}
		}
		return a.Len() > 0
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 4 || s.NumFields() == 0 {
		return false
	}
	return !slices.ContainsFunc(slices.Collect(s.Fields()), func(f *types.Var) bool {
		return !by.covered(f.Type(), path+"."+f.Name(), depth+1)
	})
}

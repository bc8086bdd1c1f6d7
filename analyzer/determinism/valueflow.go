package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// valueFlow is where the floating-point numbers of a unit come from and go to.
type valueFlow struct {
	c       *checker
	u       *unit
	defs    map[types.Object][]*definition // by the variable at the root of what is assigned, in the order of the source
	sums    []sum
	calls   []*ast.CallExpr
	returns []*ast.ReturnStmt // of the function itself, not of closures
	floats  bool              // there is a floating-point number at all
	memo    map[*definition]parts
}

// definition gives a new value to a variable, or to a part of what it holds or points to.
type definition struct {
	pos    token.Pos // from where on
	lo, hi token.Pos // the block in which it happens
	path   []string  // from the variable: ".field" or "[index]"

	value  ast.Expr        // nil if the new value is no product
	result int             // if value is a call with several results
	scaled *ast.AssignStmt // x *= y
	given  parts           // of a parameter
}

// sum adds or subtracts its leaves. For a statement like x += y, target is x.
type sum struct {
	node   ast.Node
	leaves []ast.Expr
	target ast.Expr
}

func newValueFlow(c *checker, u *unit) *valueFlow {
	f := &valueFlow{c: c, u: u, defs: map[types.Object][]*definition{}, memo: map[*definition]parts{}}
	f.parameters()
	v := flowVisitor{f: f, nested: map[ast.Expr]bool{}}
	ast.Inspect(u.node, v.visit)
	return f
}

// parameters makes definitions of the parameters that hold numbers. Those that only point to some do not count.
func (f *valueFlow) parameters() {
	decl, ok := f.u.node.(*ast.FuncDecl)
	if !ok || f.u.fn == nil {
		return
	}
	sig := f.u.fn.Signature()
	add := func(v *types.Var, i int) {
		given := parts{}
		for _, part := range numberParts(v.Type(), 0) {
			given.add(part, product{param: paramPart{i, part}})
		}
		if len(given) > 0 {
			f.floats = true
			f.defs[v] = append(f.defs[v], &definition{pos: decl.Body.Lbrace, lo: decl.Pos(), hi: decl.End(), given: given})
		}
	}
	if recv := sig.Recv(); recv != nil {
		add(recv, -1)
	}
	for i := range sig.Params().Len() {
		if !sig.Variadic() || i < sig.Params().Len()-1 {
			add(sig.Params().At(i), i)
		}
	}
}

// numberParts returns the names of the parts of a value that are floating-point numbers.
func numberParts(t types.Type, depth int) []string {
	if isFloat(t) {
		return []string{""}
	}
	if depth > 4 {
		return nil
	}
	var out []string
	add := func(name string, t types.Type) {
		for _, part := range numberParts(t, depth+1) {
			if part == "" {
				part = name
			}
			if !slices.Contains(out, part) {
				out = append(out, part)
			}
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for field := range t.Fields() {
			add(field.Name(), field.Type())
		}
	case *types.Array:
		add(elements, t.Elem())
	}
	return out
}

type flowVisitor struct {
	f      *valueFlow
	stack  []ast.Node
	nested map[ast.Expr]bool // sums that are leaves of larger ones
}

func (v *flowVisitor) visit(n ast.Node) bool {
	if n == nil {
		v.stack = v.stack[:len(v.stack)-1]
		return true
	}
	f := v.f
	switch n := n.(type) {
	case *ast.AssignStmt:
		v.assign(n)
	case *ast.ValueSpec:
		for i, name := range n.Names {
			switch {
			case len(n.Values) == len(n.Names):
				v.define(name, n.End(), n.Values[i], 0)
			case len(n.Values) == 1:
				v.define(name, n.End(), n.Values[0], i)
			default:
				v.define(name, n.End(), nil, 0)
			}
		}
	case *ast.IncDecStmt:
		if isFloat(f.c.typeOf(n.X)) {
			f.sums = append(f.sums, sum{node: n, target: n.X})
		}
		v.define(n.X, n.End(), nil, 0)
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				v.define(e, n.Body.Pos(), nil, 0)
			}
		}
	case *ast.BinaryExpr:
		if f.isSum(n) {
			f.floats = true
			if !v.nested[n] {
				f.sums = append(f.sums, sum{node: n, leaves: v.leaves(n)})
			}
		} else if f.c.isProduct(n) {
			f.floats = true
		}
	case *ast.CallExpr:
		f.calls = append(f.calls, n)
	case *ast.ReturnStmt:
		if !slices.ContainsFunc(v.stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }) && f.u.fn != nil {
			f.returns = append(f.returns, n)
		}
	}
	v.stack = append(v.stack, n)
	return true
}

// isSum reports whether an expression adds or subtracts floating-point numbers.
func (f *valueFlow) isSum(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && (b.Op == token.ADD || b.Op == token.SUB) && isFloat(f.c.typeOf(b)) && !f.c.isConstant(b)
}

// leaves returns the summands of a sum of sums.
func (v *flowVisitor) leaves(e ast.Expr) []ast.Expr {
	switch inner := bare(e).(type) {
	case *ast.BinaryExpr:
		if v.f.isSum(inner) {
			v.nested[inner] = true
			return append(v.leaves(inner.X), v.leaves(inner.Y)...)
		}
	}
	return []ast.Expr{e}
}

// bare returns an expression without parentheses and signs.
func bare(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.SUB && x.Op != token.ADD {
				return e
			}
			e = x.X
		default:
			return e
		}
	}
}

func (v *flowVisitor) assign(n *ast.AssignStmt) {
	f := v.f
	switch n.Tok {
	case token.ASSIGN, token.DEFINE:
		for i, lhs := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				v.define(lhs, n.End(), n.Rhs[i], 0)
			} else {
				v.define(lhs, n.End(), n.Rhs[0], i)
			}
		}
	case token.ADD_ASSIGN, token.SUB_ASSIGN:
		if isFloat(f.c.typeOf(n.Lhs[0])) {
			f.floats = true
			f.sums = append(f.sums, sum{node: n, leaves: v.leaves(n.Rhs[0]), target: n.Lhs[0]})
		}
		v.define(n.Lhs[0], n.End(), nil, 0)
	case token.MUL_ASSIGN:
		d := v.define(n.Lhs[0], n.End(), nil, 0)
		if d != nil && isFloat(f.c.typeOf(n.Lhs[0])) && !f.c.isPowerOfTwo(n.Rhs[0]) {
			f.floats = true
			d.scaled = n
		}
	default:
		v.define(n.Lhs[0], n.End(), nil, 0)
	}
}

func (v *flowVisitor) define(lhs ast.Expr, pos token.Pos, value ast.Expr, result int) *definition {
	p, ok := v.f.place(lhs)
	if !ok {
		return nil
	}
	d := &definition{pos: pos, path: p.path, value: value, result: result}
	d.lo, d.hi = v.block()
	v.f.defs[p.root] = append(v.f.defs[p.root], d)
	return d
}

// block returns the extent of the innermost block around the current node. Everything in it that comes later is
// reached only after the current node, if at all.
func (v *flowVisitor) block() (lo, hi token.Pos) {
	for _, n := range slices.Backward(v.stack) {
		switch n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.FuncLit, *ast.FuncDecl:
			return n.Pos(), n.End()
		}
	}
	return v.f.u.node.Pos(), v.f.u.node.End()
}

// valuePlace is a variable or a path from it, through fields, elements and pointers.
type valuePlace struct {
	root types.Object
	path []string
}

func (f *valueFlow) place(e ast.Expr) (valuePlace, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := f.c.info.ObjectOf(e).(*types.Var)
		return valuePlace{root: v}, ok
	case *ast.SelectorExpr:
		if v, ok := f.c.info.Uses[e.Sel].(*types.Var); ok && !v.IsField() {
			return valuePlace{root: v}, true // of another package
		}
		if sel := f.c.info.Selections[e]; sel == nil || sel.Kind() != types.FieldVal {
			return valuePlace{}, false
		}
		p, ok := f.place(e.X)
		return valuePlace{p.root, append(slices.Clip(p.path), "."+e.Sel.Name)}, ok
	case *ast.IndexExpr:
		p, ok := f.place(e.X)
		return valuePlace{p.root, append(slices.Clip(p.path), "["+types.ExprString(e.Index)+"]")}, ok
	case *ast.StarExpr:
		return f.place(e.X)
	}
	return valuePlace{}, false
}

// partName returns the part that a step of a path leads to.
func partName(step string) string {
	if strings.HasPrefix(step, "[") {
		return elements
	}
	return step[1:]
}

// read returns what a variable, or a path from it, may hold at a position.
func (f *valueFlow) read(e ast.Expr, pos token.Pos) parts {
	p, ok := f.place(e)
	if !ok {
		return nil
	}
	out, settled := parts{}, map[string]bool{}
	t := f.c.typeOf(e)
	for _, d := range slices.Backward(f.defs[p.root]) {
		if d.pos > pos {
			continue
		}
		certain := d.lo <= pos && pos < d.hi
		switch {
		case len(d.path) <= len(p.path) && slices.Equal(d.path, p.path[:len(d.path)]):
			value := f.value(d)
			if isFloat(t) { // otherwise all parts are kept: names are unique enough within one value
				value = parts{"": value[lastPart(p.path[len(d.path):])]}
			}
			for part, products := range value {
				if !settled[part] {
					out.add(part, products...)
				}
			}
			if certain {
				return out
			}
		case len(d.path) > len(p.path) && slices.Equal(p.path, d.path[:len(p.path)]):
			name := partName(d.path[len(d.path)-1])
			if !settled[name] {
				out.merge(f.value(d).named(name))
			}
			if certain && name != elements {
				settled[name] = true
			}
		}
	}
	return out
}

// lastPart returns the part that the end of a path leads to.
func lastPart(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return partName(path[len(path)-1])
}

// value returns what a definition assigns.
func (f *valueFlow) value(d *definition) parts {
	if v, ok := f.memo[d]; ok {
		return v
	}
	f.memo[d] = nil // while it depends on itself
	var v parts
	switch {
	case d.given != nil:
		v = d.given
	case d.scaled != nil:
		v = parts{"": {{node: d.scaled}}}
	case d.value == nil:
	default:
		if call, ok := ast.Unparen(d.value).(*ast.CallExpr); ok && d.result > 0 {
			v = f.callParts(call, d.result)
		} else if d.result == 0 {
			v = f.eval(d.value)
		}
	}
	f.memo[d] = v
	return v
}

// result returns what a return statement returns as result i.
func (f *valueFlow) result(ret *ast.ReturnStmt, i int) parts {
	results := f.u.fn.Signature().Results()
	switch len(ret.Results) {
	case results.Len():
		return f.eval(ret.Results[i])
	case 0: // named results
		decl := f.u.node.(*ast.FuncDecl)
		n := 0
		for _, field := range decl.Type.Results.List {
			for _, name := range field.Names {
				if n == i {
					return f.read(name, ret.Pos())
				}
				n++
			}
		}
	case 1:
		if call, ok := ast.Unparen(ret.Results[0]).(*ast.CallExpr); ok {
			return f.callParts(call, i)
		}
	}
	return nil
}

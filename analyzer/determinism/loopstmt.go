package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

func (l *loop) block(b *ast.BlockStmt) {
	if b != nil {
		l.stmts(b.List)
	}
}

func (l *loop) stmts(list []ast.Stmt) {
	for _, s := range list {
		l.stmt(s)
	}
}

func (l *loop) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		l.assign(s)
	case *ast.IncDecStmt:
		l.update(s.X, "+", s.Pos())
	case *ast.ExprStmt:
		l.eval(s.X)
	case *ast.DeclStmt:
		l.declare(s)
	case *ast.BlockStmt:
		l.block(s)
	case *ast.LabeledStmt:
		l.stmt(s.Stmt)
	case *ast.IfStmt:
		l.branch(s)
	case *ast.ForStmt:
		l.nested(func() {
			l.optional(s.Init)
			if s.Cond != nil {
				l.eval(s.Cond)
			}
			l.optional(s.Post)
			l.block(s.Body)
		})
	case *ast.RangeStmt:
		l.nested(func() { l.rangeOver(s) })
	case *ast.SwitchStmt:
		l.nested(func() {
			l.optional(s.Init)
			if s.Tag != nil {
				l.eval(s.Tag)
			}
			l.block(s.Body)
		})
	case *ast.TypeSwitchStmt:
		l.nested(func() {
			l.optional(s.Init)
			l.block(s.Body)
		})
	case *ast.CaseClause:
		for _, e := range s.List {
			if !l.info.Types[e].IsType() {
				l.eval(e)
			}
		}
		l.stmts(s.Body)
	case *ast.ReturnStmt:
		l.returns(s)
	case *ast.BranchStmt:
		l.leave(s)
	case *ast.EmptyStmt:
	default: // go, defer, select, send
		l.refuse("it has effects outside of the simulation")
	}
}

func (l *loop) optional(s ast.Stmt) {
	if s != nil {
		l.stmt(s)
	}
}

func (l *loop) nested(visit func()) {
	l.inner++
	visit()
	l.inner--
}

func (l *loop) rangeOver(s *ast.RangeStmt) {
	l.eval(s.X)
	if id, ok := s.Value.(*ast.Ident); ok && s.Tok == token.DEFINE {
		if v := l.info.Defs[id]; v != nil {
			l.bound[v] = spot{role: local, root: v}
			if isReference(v.Type()) {
				delete(l.bound, v)
				l.bind(v, s.X)
			}
		}
	}
	if s.Tok == token.ASSIGN {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if e != nil {
				l.store(e, nil, s.Pos())
			}
		}
	}
	l.block(s.Body)
}

func (l *loop) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		for _, v := range spec.Values {
			l.eval(v)
		}
		for i, name := range spec.Names {
			if len(spec.Values) == len(spec.Names) {
				l.store(name, spec.Values[i], spec.Pos())
			}
		}
	}
}

func (l *loop) assign(s *ast.AssignStmt) {
	switch s.Tok {
	case token.ASSIGN, token.DEFINE:
	default:
		l.eval(s.Rhs[0])
		l.update(s.Lhs[0], strings.TrimSuffix(s.Tok.String(), "="), s.Pos())
		return
	}
	if len(s.Lhs) == 1 && l.selfUpdate(s) {
		return
	}
	for _, e := range s.Rhs {
		l.eval(e)
	}
	for i, lhs := range s.Lhs {
		if len(s.Lhs) == len(s.Rhs) {
			l.store(lhs, s.Rhs[i], s.Pos())
		} else {
			l.store(lhs, nil, s.Pos())
		}
	}
}

// selfUpdate handles x = append(x, y), x = x + y and x = max(x, y).
func (l *loop) selfUpdate(s *ast.AssignStmt) bool {
	x := types.ExprString(s.Lhs[0])
	is := func(e ast.Expr) bool { return types.ExprString(ast.Unparen(e)) == x }
	switch rhs := ast.Unparen(s.Rhs[0]).(type) {
	case *ast.CallExpr:
		name := l.builtin(rhs)
		if fn := l.callee(rhs); isFunc(fn, "math", "Min", "Max") {
			name = strings.ToLower(fn.Name())
		}
		switch name {
		case "append":
			// Something may be cut off first, as in x = append(x[:0], y).
			if !is(rhs.Args[0]) {
				return false
			}
			for _, arg := range rhs.Args[1:] {
				l.eval(arg)
			}
			l.update(s.Lhs[0], "append", s.Pos())
			l.collect(s.Lhs[0], rhs)
			return true
		case "min", "max":
			i := slices.IndexFunc(rhs.Args, is)
			if i < 0 {
				return false
			}
			for j, arg := range rhs.Args {
				if i != j {
					l.eval(arg)
				}
			}
			l.update(s.Lhs[0], name, s.Pos())
			return true
		}
	case *ast.BinaryExpr:
		other := rhs.Y
		if !is(rhs.X) {
			if !is(rhs.Y) || rhs.Op == token.SUB {
				return false
			}
			other = rhs.X
		}
		l.eval(other)
		l.update(s.Lhs[0], rhs.Op.String(), s.Pos())
		return true
	}
	return false
}

// update is about x op= y, where y has been evaluated.
func (l *loop) update(lhs ast.Expr, op string, pos token.Pos) {
	l.operands(lhs)
	t := l.typeOf(lhs).Underlying()
	b, basic := t.(*types.Basic)
	integer := basic && b.Info()&types.IsInteger != 0
	boolean := basic && b.Info()&types.IsBoolean != 0
	switch op {
	case "-":
		op = "+" // differences commute with sums
	case "&&", "||":
	}
	switch {
	case op == "append", op == "min", op == "max":
	case integer && slices.Contains([]string{"+", "*", "|", "&", "^", "&^"}, op):
	case boolean && (op == "&&" || op == "||"):
	default:
		op = "set"
	}
	l.note(l.spotOf(lhs), op, pos)
}

// branch is about an if statement, with two special cases: the choice of an extreme, and a condition that holds for
// one key at most.
func (l *loop) branch(s *ast.IfStmt) {
	l.optional(s.Init)
	if s.Else == nil && l.extreme(s) {
		return
	}
	l.eval(s.Cond)
	unique := l.oneKey(s.Cond)
	if unique {
		l.once++
	}
	l.block(s.Body)
	if unique {
		l.once--
	}
	if s.Else != nil {
		l.stmt(s.Else)
	}
}

// oneKey reports whether a condition can hold for one key only.
func (l *loop) oneKey(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	switch b.Op {
	case token.LAND:
		return l.oneKey(b.X) || l.oneKey(b.Y)
	case token.EQL:
		return l.isKey(b.X) && l.invariant(b.Y) || l.isKey(b.Y) && l.invariant(b.X)
	}
	return false
}

// extreme recognises the search for a least or greatest element:
//
//	if v < best { best = v }
//	if v < best || v == best && k < bestKey { best, bestKey = v, k }
//
// In the second form something that differs between all elements has to decide in the end.
func (l *loop) extreme(s *ast.IfStmt) bool {
	var targets, values []ast.Expr
	for _, stmt := range s.Body.List {
		a, ok := stmt.(*ast.AssignStmt)
		if !ok || a.Tok != token.ASSIGN || len(a.Lhs) != len(a.Rhs) {
			return false
		}
		targets = append(targets, a.Lhs...)
		values = append(values, a.Rhs...)
	}
	if len(targets) == 0 {
		return false
	}
	comparisons := l.comparisons(s.Cond)
	text := func(e ast.Expr) string { return types.ExprString(ast.Unparen(e)) }

	if len(targets) == 1 {
		for _, cmp := range comparisons {
			x, y := text(cmp.X), text(cmp.Y)
			if x == text(targets[0]) && y == text(values[0]) || y == text(targets[0]) && x == text(values[0]) {
				if len(comparisons) == 1 || l.plainGuard(s.Cond, cmp, targets) {
					l.eval(values[0])
					l.update(targets[0], "max", s.Pos())
					return true
				}
			}
		}
	}
	for _, cmp := range comparisons {
		if l.isKey(cmp.X) && l.rooted(cmp.Y, targets) || l.isKey(cmp.Y) && l.rooted(cmp.X, targets) ||
			l.identity(cmp.X, targets) && l.identity(cmp.Y, targets) {
			for i, v := range values {
				l.eval(v)
				l.note(l.spotOf(targets[i]), "extreme", s.Pos())
			}
			return true
		}
	}
	return false
}

// plainGuard reports whether the rest of a condition around a comparison says the same in all iterations: n == 0 ||
// v < best does, if n is not what the loop changes, which is checked later.
func (l *loop) plainGuard(cond ast.Expr, cmp *ast.BinaryExpr, targets []ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b == cmp {
		return true
	}
	if b.Op != token.LOR && b.Op != token.LAND {
		return false
	}
	rest := b.X
	if l.plainGuard(b.X, cmp, targets) {
		rest = b.Y
	} else if !l.plainGuard(b.Y, cmp, targets) {
		return false
	}
	l.eval(rest)
	return true
}

// comparisons returns the comparisons by order in a condition.
func (l *loop) comparisons(cond ast.Expr) []*ast.BinaryExpr {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	switch b.Op {
	case token.LAND, token.LOR:
		return append(l.comparisons(b.X), l.comparisons(b.Y)...)
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		return []*ast.BinaryExpr{b}
	}
	return nil
}

// rooted reports whether an expression begins with one of the targets.
func (l *loop) rooted(e ast.Expr, targets []ast.Expr) bool {
	s := l.spotOf(e)
	return slices.ContainsFunc(targets, func(t ast.Expr) bool { return s.root != nil && s.overlaps(l.spotOf(t)) })
}

// identity reports whether an expression selects what tells elements apart, of the element or of a target.
func (l *loop) identity(e ast.Expr, targets []ast.Expr) bool {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || !identityName(sel.Sel.Name) {
		return false
	}
	return l.spotOf(sel).role != outer || l.rooted(sel.X, targets)
}

// returns is about a return statement. In the loop's own function it ends the loop.
func (l *loop) returns(s *ast.ReturnStmt) {
	for _, e := range s.Results {
		l.eval(e)
	}
	if l.called > 0 || l.pure {
		return
	}
	l.leaves = true
	if l.once > 0 {
		return
	}
	for _, e := range s.Results {
		if !l.invariant(e) && !l.isFailure(e) {
			l.refuse("it returns %s from the first iteration that gets there", brief(e))
		}
	}
}

// isFailure reports whether an expression makes an error. Which of several errors it is counts as text, not as state.
func (l *loop) isFailure(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		u, ok := ast.Unparen(e).(*ast.UnaryExpr)
		return ok && u.Op == token.AND && types.AssignableTo(l.typeOf(e), types.Universe.Lookup("error").Type())
	}
	fn := l.callee(call)
	return isFunc(fn, "fmt", "Errorf") || isFunc(fn, "errors", "New", "Join")
}

func (l *loop) leave(s *ast.BranchStmt) {
	switch {
	case s.Tok == token.CONTINUE && s.Label == nil, s.Tok == token.FALLTHROUGH:
	case s.Tok == token.BREAK && s.Label == nil && l.inner > 0:
	case l.called > 0 && s.Tok != token.GOTO: // leaves a loop in a called function
	default:
		l.leaves = true
	}
}

// collect remembers which fields of the elements that an iteration appends hold its key: no two elements agree there.
func (l *loop) collect(slice ast.Expr, app *ast.CallExpr) {
	to := l.spotOf(slice)
	if _, again := l.unique[to]; again || len(app.Args) != 2 || app.Ellipsis.IsValid() {
		l.unique[to] = nil // from several places
		return
	}
	elem := ast.Unparen(app.Args[1])
	if u, ok := elem.(*ast.UnaryExpr); ok && u.Op == token.AND {
		elem = u.X
	}
	lit, ok := elem.(*ast.CompositeLit)
	if !ok {
		if l.isKey(elem) {
			l.unique[to] = []string{""}
		}
		return
	}
	s, ok := l.typeOf(lit).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && l.isKey(kv.Value) {
				l.unique[to] = append(l.unique[to], "."+key.Name)
			}
		} else if i < s.NumFields() && l.isKey(elt) {
			l.unique[to] = append(l.unique[to], "."+s.Field(i).Name())
		}
	}
}

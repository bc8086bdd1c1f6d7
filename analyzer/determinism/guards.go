package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
)

// guards returns the bounds that the statements and conditions around the current node put on an expression.
func (s *scanner) guards(e ast.Expr) span {
	if !repeatable(e) || s.nesting > 2 { // bounds may depend on each other
		return unbounded
	}
	s.nesting++
	defer func() { s.nesting-- }()
	g := guard{s: s, text: types.ExprString(e)}
	have := unbounded
	first := 0 // of the innermost function
	for i, n := range s.stack {
		if isFunction(n) {
			first = i + 1
		}
	}
	for i := first; i < len(s.stack); i++ {
		inner := ast.Node(nil) // the next node towards the current one; nil if that is it
		if i+1 < len(s.stack) {
			inner = s.stack[i+1]
		}
		switch n := s.stack[i].(type) {
		case *ast.BlockStmt:
			have = g.after(n.List, inner, have)
		case *ast.CaseClause:
			have = g.after(n.Body, inner, g.inCase(n, i, have))
		case *ast.IfStmt:
			switch inner {
			case n.Body:
				have = have.within(g.assume(n.Cond, true))
			case n.Else:
				have = have.within(g.assume(n.Cond, false))
			}
		case *ast.ForStmt:
			if g.assigned(n.Body) {
				have = unbounded
			}
			if inner == n.Body && n.Cond != nil {
				have = have.within(g.assume(n.Cond, true))
			}
		case *ast.RangeStmt:
			if g.assigned(n.Body) {
				have = unbounded
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND && (inner == n.Y || inner == nil && n.Y.Pos() <= e.Pos()) {
				have = have.within(g.assume(n.X, true))
			}
			if n.Op == token.LOR && (inner == n.Y || inner == nil && n.Y.Pos() <= e.Pos()) {
				have = have.within(g.assume(n.X, false))
			}
		}
	}
	return have
}

func isFunction(n ast.Node) bool {
	switch n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return true
	}
	return false
}

// guard looks for bounds on one expression, by its text.
type guard struct {
	s    *scanner
	text string
}

func (g guard) is(e ast.Expr) bool { return types.ExprString(ast.Unparen(e)) == g.text }

// after returns the bounds behind the statements of a list that come before inner.
func (g guard) after(list []ast.Stmt, inner ast.Node, have span) span {
	for _, stmt := range list {
		if stmt == inner {
			break
		}
		switch stmt := stmt.(type) {
		case *ast.IfStmt:
			have = g.afterIf(stmt, have)
			continue
		case *ast.AssignStmt:
			if (stmt.Tok == token.ASSIGN || stmt.Tok == token.DEFINE) && len(stmt.Lhs) == len(stmt.Rhs) {
				if i := g.index(stmt.Lhs); i >= 0 && !g.mentions(stmt.Rhs[i]) {
					have = g.s.spanOf(stmt.Rhs[i], 4)
					continue
				} else if i >= 0 {
					have = g.clamped(stmt.Rhs[i], have)
					continue
				}
			}
		}
		if g.assigned(stmt) {
			have = unbounded
		}
	}
	return have
}

// afterIf returns the bounds behind an if statement: those of the branches that go on.
func (g guard) afterIf(stmt *ast.IfStmt, have span) span {
	var ends []span
	branch := func(list []ast.Stmt, have span) {
		if len(list) == 0 || !leaves(list[len(list)-1]) {
			ends = append(ends, g.after(list, nil, have))
		}
	}
	branch(stmt.Body.List, have.within(g.assume(stmt.Cond, true)))
	otherwise := have.within(g.assume(stmt.Cond, false))
	switch other := stmt.Else.(type) {
	case *ast.BlockStmt:
		branch(other.List, otherwise)
	case *ast.IfStmt:
		ends = append(ends, g.afterIf(other, otherwise))
	default:
		ends = append(ends, otherwise)
	}
	if len(ends) == 0 {
		return have // nothing goes on
	}
	out := ends[0]
	for _, end := range ends {
		out = span{min(out.lo, end.lo), max(out.hi, end.hi)}
	}
	return out
}

// clamped returns the bounds of an expression that mentions the guarded one, as in x = min(x, 1). What is known
// about x before is not used.
func (g guard) clamped(e ast.Expr, have span) span {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return unbounded
	}
	out := g.s.spanOfCall(call, 4)
	name := g.s.builtin(call)
	if fn := g.s.callee(call); isFunc(fn, "math", "Min", "Max") {
		name = map[string]string{"Min": "min", "Max": "max"}[fn.Name()]
	}
	switch name {
	case "min":
		out.lo = max(out.lo, min(have.lo, out.hi))
	case "max":
		out.hi = min(out.hi, max(have.hi, out.lo))
	}
	return out
}

func (g guard) index(list []ast.Expr) int {
	for i, e := range list {
		if g.is(e) {
			return i
		}
	}
	return -1
}

func (g guard) mentions(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && g.is(x) {
			found = true
		}
		return !found
	})
	return found
}

// assigned reports whether a statement may assign to the expression.
func (g guard) assigned(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || g.index(n.Lhs) >= 0
		case *ast.IncDecStmt:
			found = found || g.is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && g.is(n.X)
		}
		return !found
	})
	return found
}

// inCase adds what is known in a clause of a switch without a tag: that its condition holds, and none before it.
func (g guard) inCase(clause *ast.CaseClause, at int, have span) span {
	if at < 2 {
		return have
	}
	sw, ok := g.s.stack[at-2].(*ast.SwitchStmt)
	if !ok || sw.Tag != nil {
		return have
	}
	for _, other := range sw.Body.List {
		if other == clause {
			break
		}
		for _, cond := range other.(*ast.CaseClause).List {
			have = have.within(g.assume(cond, false))
		}
	}
	if len(clause.List) == 1 {
		have = have.within(g.assume(clause.List[0], true))
	}
	return have
}

// leaves reports whether nothing runs after a statement.
func leaves(stmt ast.Stmt) bool {
	switch stmt := stmt.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.ExprStmt:
		call, ok := stmt.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		id, ok := call.Fun.(*ast.Ident)
		return ok && id.Name == "panic"
	}
	return false
}

// trusted is what a bound that is not a constant is taken for.
const trusted = 1 << 30

// assume returns the bounds that follow from the truth or falsehood of a condition.
func (g guard) assume(cond ast.Expr, truth bool) span {
	switch cond := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		if cond.Op == token.NOT {
			return g.assume(cond.X, !truth)
		}
	case *ast.BinaryExpr:
		switch cond.Op {
		case token.LAND, token.LOR:
			if (cond.Op == token.LAND) == truth {
				return g.assume(cond.X, truth).within(g.assume(cond.Y, truth))
			}
		case token.LSS, token.LEQ:
			return g.compare(cond.X, cond.Y, truth)
		case token.GTR, token.GEQ:
			return g.compare(cond.Y, cond.X, truth)
		}
	}
	return unbounded
}

// compare returns the bounds that follow from small <= large, or from large <= small if truth is false.
func (g guard) compare(small, large ast.Expr, truth bool) span {
	if !truth {
		small, large = large, small
	}
	bound := func(e ast.Expr) span {
		if x := g.s.spanOf(e, 4); x.bounded() {
			return x
		}
		return span{-trusted, trusted}
	}
	switch {
	case g.is(small):
		return span{math.Inf(-1), bound(large).hi}
	case g.is(large):
		return span{bound(small).lo, math.Inf(1)}
	}
	if call, ok := ast.Unparen(small).(*ast.CallExpr); ok && isFunc(g.s.callee(call), "math", "Abs") && g.is(call.Args[0]) {
		limit := bound(large).hi
		return span{-limit, limit}
	}
	return unbounded
}

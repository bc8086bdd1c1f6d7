package determinism

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// scanSums adds the sums of a unit that may be fused with a product.
func (c *checker) scanSums(u *unit) {
	f := u.flow
	if f == nil {
		return
	}
	clear(f.memo)
	for _, s := range f.sums {
		c.directProducts(u, s)
		for _, leaf := range s.leaves {
			for _, p := range f.eval(leaf)[""] {
				if direct, ok := p.node.(*ast.BinaryExpr); p.node != nil && !(ok && direct == bare(leaf)) {
					c.distantProduct(u, p.node, s.node, leaf)
				}
			}
		}
		if s.target != nil {
			for _, p := range f.read(s.target, s.node.Pos())[""] {
				if p.node != nil {
					c.distantProduct(u, p.node, s.node, s.target)
				}
			}
		}
	}
	for _, call := range f.calls {
		f.eachSummand(call, func(arg ast.Expr, _ string, p product) {
			if p.node != nil {
				c.distantProduct(u, p.node, call, arg)
			}
		})
	}
}

// directProducts makes one hazard of all products that stand in a sum.
func (c *checker) directProducts(u *unit, s sum) {
	var products []*ast.BinaryExpr
	var edits []analysis.TextEdit
	for _, leaf := range s.leaves {
		if p, ok := bare(leaf).(*ast.BinaryExpr); ok && c.isProduct(p) {
			products = append(products, p)
			edits = append(edits, c.roundEdits(u, p, leaf)...)
		}
	}
	if len(products) == 0 {
		return
	}
	h := &hazard{kind: fused, pos: s.node.Pos(), end: s.node.End(), param: u.typeParam(c.typeOf(products[0]))}
	first := brief(products[0])
	h.message = fmt.Sprintf("%s may be fused with the sum, which then rounds once instead of twice; round the product: %s",
		first, c.rounded(u, products[0], first))
	if len(edits) == 2*len(products) {
		h.fixes = []analysis.SuggestedFix{{Message: "Round the product", TextEdits: edits}}
	}
	c.addHazard(u, h)
}

// distantProduct makes a hazard of a product that reaches a sum by way of variables or calls. It is reported where
// the product is, because there it can be rounded.
func (c *checker) distantProduct(u *unit, node, at ast.Node, leaf ast.Expr) {
	h := &hazard{kind: fused, pos: node.Pos(), end: node.End(), at: at.Pos(), param: u.typeParam(c.typeOf(leaf))}
	where := "further on"
	if c.line(at.Pos()) != c.line(node.Pos()) || c.fileAt(at.Pos()) != c.fileAt(node.Pos()) {
		where = "in " + c.where(at.Pos())
	}
	say := func(product, rounded string) string {
		return fmt.Sprintf("%s may be fused with the sum %s, which then rounds once instead of twice; round the product: %s", product, where, rounded)
	}
	owner := c.unitAt(node.Pos())
	switch node := node.(type) {
	case *ast.BinaryExpr:
		h.message = say(brief(node), c.rounded(owner, node, brief(node)))
		if edits := c.roundEdits(owner, node, node); edits != nil {
			h.fixes = []analysis.SuggestedFix{{Message: "Round the product", TextEdits: edits}}
		}
	case *ast.AssignStmt:
		x, y := brief(node.Lhs[0]), brief(node.Rhs[0])
		product := x + " * " + y
		h.message = say(product, fmt.Sprintf("%s = %s", x, c.rounded(owner, node.Lhs[0], product)))
		h.fixes = c.roundAssignment(owner, node)
	case *ast.CallExpr:
		name := qualifiedName(c.callee(node))
		h.message = fmt.Sprintf("%s returns a product that was not rounded, which may be fused with the sum %s; round it, best in %s", name, where, name)
		if isFloat(c.typeOf(node)) {
			h.fixes = []analysis.SuggestedFix{{Message: "Round the product", TextEdits: c.roundEdits(owner, node, node)}}
			if h.fixes[0].TextEdits == nil {
				h.fixes = nil
			}
		}
	}
	if owner.file.generated && !u.file.generated {
		h.pos, h.end, h.at, h.fixes = at.Pos(), at.End(), token.NoPos, nil
	}
	c.addHazard(u, h)
}

// rounded returns how to round an expression, for a message.
func (c *checker) rounded(u *unit, e ast.Expr, text string) string {
	t, ok := c.typeText(u, c.typeOf(e), e.Pos())
	if !ok {
		t = types.TypeString(c.typeOf(e), types.RelativeTo(c.pass.Pkg))
	}
	return t + "(" + text + ")"
}

// roundEdits returns the edits that convert an expression to its own type, or nil if the type has no name there.
// The expression may stand in parentheses in outer, which then serve.
func (c *checker) roundEdits(u *unit, e, outer ast.Expr) []analysis.TextEdit {
	name, ok := c.typeText(u, c.typeOf(e), e.Pos())
	if !ok {
		return nil
	}
	pos, end := e.Pos(), e.End()
	for {
		switch x := outer.(type) {
		case *ast.UnaryExpr:
			outer = x.X
			continue
		case *ast.ParenExpr:
			if x.X == e {
				return []analysis.TextEdit{{Pos: x.Pos(), End: x.Pos(), NewText: []byte(name)}, {Pos: x.End(), End: x.End()}}
			}
			outer = x.X
			continue
		}
		break
	}
	return []analysis.TextEdit{
		{Pos: pos, End: pos, NewText: []byte(name + "(")},
		{Pos: end, End: end, NewText: []byte(")")},
	}
}

// roundAssignment rewrites x *= y, if x can be written twice.
func (c *checker) roundAssignment(u *unit, n *ast.AssignStmt) []analysis.SuggestedFix {
	name, ok := c.typeText(u, c.typeOf(n.Lhs[0]), n.Pos())
	if !ok || !repeatable(n.Lhs[0]) {
		return nil
	}
	x := types.ExprString(n.Lhs[0])
	open, shut := "", ""
	if _, ok := bare(n.Rhs[0]).(*ast.BinaryExpr); ok && bare(n.Rhs[0]) == n.Rhs[0] {
		open, shut = "(", ")"
	}
	return []analysis.SuggestedFix{{
		Message: "Round the product",
		TextEdits: []analysis.TextEdit{
			{Pos: n.TokPos, End: n.Rhs[0].Pos(), NewText: []byte("= " + name + "(" + x + " * " + open)},
			{Pos: n.End(), End: n.End(), NewText: []byte(shut + ")")},
		},
	}}
}

// repeatable reports whether evaluating an expression twice is the same as once.
func repeatable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.SelectorExpr:
		return repeatable(e.X)
	case *ast.ParenExpr:
		return repeatable(e.X)
	case *ast.StarExpr:
		return repeatable(e.X)
	case *ast.IndexExpr:
		return repeatable(e.X) && repeatable(e.Index)
	}
	return false
}

// typeText returns how a type is written at a position of a unit's file, if it can be.
func (c *checker) typeText(u *unit, t types.Type, pos token.Pos) (string, bool) {
	var obj types.Object
	switch t := t.(type) {
	case *types.Basic:
		obj = types.Universe.Lookup(t.Name())
	case *types.Named:
		if t.TypeArgs().Len() > 0 {
			return "", false
		}
		obj = t.Obj()
	case *types.Alias:
		obj = t.Obj()
	case *types.TypeParam:
		obj = t.Obj()
	}
	if obj == nil {
		return "", false
	}
	scope := c.pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return "", false
	}
	if pkg := obj.Pkg(); pkg != nil && pkg != c.pass.Pkg {
		for _, imp := range u.file.syntax.Imports {
			name := c.info.PkgNameOf(imp)
			if name == nil || name.Imported() != pkg || name.Name() == "_" || name.Name() == "." {
				continue
			}
			if _, found := scope.LookupParent(name.Name(), pos); found == name {
				return name.Name() + "." + obj.Name(), obj.Exported()
			}
		}
		return "", false
	}
	_, found := scope.LookupParent(obj.Name(), pos)
	return obj.Name(), found == obj
}

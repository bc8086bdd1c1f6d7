package handlers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/ariadne-netcode/ariadne/internal/directive"
)

// coverage reports commands that nothing handles, handlers without an executor, and handlers that are refused
// because there are some.
func (c *checker) coverage() {
	if c.imported[sessionPath] == nil {
		return
	}
	var calls []*ast.CallExpr
	for _, f := range c.Files {
		if c.inTest(f.FileStart) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if c.isHandle(n) {
					calls = append(calls, n)
				}
			case *ast.FuncDecl:
				if n.Body != nil {
					c.twice(n.Body)
				}
			case *ast.FuncLit:
				c.twice(n.Body)
			}
			return true
		})
	}
	for _, call := range calls {
		c.executor(call)
	}
	c.unhandled(calls)
}

// isHandle reports whether a call is one of session.Handle.
func (c *checker) isHandle(call *ast.CallExpr) bool {
	f := typeutil.StaticCallee(c.TypesInfo, call)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == sessionPath && f.Name() == "Handle" &&
		f.Signature().Recv() == nil && len(call.Args) == 3
}

// payload returns the command type that a call of session.Handle is about.
func (c *checker) payload(call *ast.CallExpr) types.Type {
	if t, ok := types.Unalias(c.TypesInfo.TypeOf(call.Args[2])).(*types.Named); ok && t.TypeArgs().Len() == 1 {
		return types.Unalias(t.TypeArgs().At(0))
	}
	return nil
}

// executor reports handlers that are written down in a call, or in a function that it calls, without an executor.
func (c *checker) executor(call *ast.CallExpr) {
	for _, lit := range c.literals(call.Args[2]) {
		if has, ok := hasExecutor(lit); !ok || has {
			continue
		}
		c.report(analysis.Diagnostic{Pos: lit.Type.Pos(), End: lit.Type.End(), Category: Executor},
			"%s is handled without an executor, so it does nothing: if that is meant, write Execute: nil",
			types.TypeString(c.payload(call), types.RelativeTo(c.Pkg)))
	}
}

// literals returns the composite literals that an expression may be.
func (c *checker) literals(e ast.Expr) []*ast.CompositeLit {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return []*ast.CompositeLit{e}
	case *ast.CallExpr:
		f := typeutil.StaticCallee(c.TypesInfo, e)
		if f == nil || f.Pkg() != c.Pkg {
			return nil
		}
		decl := c.declaration(f.Origin())
		if decl == nil || decl.Body == nil || len(decl.Body.List) != 1 {
			return nil
		}
		if ret, ok := decl.Body.List[0].(*ast.ReturnStmt); ok && len(ret.Results) == 1 {
			if lit, ok := ast.Unparen(ret.Results[0]).(*ast.CompositeLit); ok {
				return []*ast.CompositeLit{lit}
			}
		}
	}
	return nil
}

func (c *checker) declaration(f *types.Func) *ast.FuncDecl {
	for _, file := range c.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok && c.TypesInfo.Defs[decl.Name] == f {
				return decl
			}
		}
	}
	return nil
}

// hasExecutor reports whether a literal of session.Handlers says something about its executor. It is not ok for a
// literal without field names.
func hasExecutor(lit *ast.CompositeLit) (has, ok bool) {
	for _, elt := range lit.Elts {
		kv, isKeyed := elt.(*ast.KeyValueExpr)
		if !isKeyed {
			return false, false
		}
		if key, isIdent := kv.Key.(*ast.Ident); isIdent && key.Name == "Execute" {
			has = true
		}
	}
	return has, true
}

// unhandled reports marked commands of a package that handles others. A type counts as handled wherever it is used as
// a type argument of anything but the registry, so that helpers are no obstacle.
func (c *checker) unhandled(calls []*ast.CallExpr) {
	var marked []*ast.TypeSpec
	isMarked := map[types.Object]bool{}
	for _, f := range c.Files {
		if c.inTest(f.FileStart) {
			continue
		}
		for _, t := range directive.Collect(c.Fset, f).Types {
			if obj := c.TypesInfo.Defs[t.Spec.Name]; obj != nil && !t.Local {
				marked = append(marked, t.Spec)
				isMarked[obj] = true
			}
		}
	}
	handles := false
	for _, call := range calls {
		if named, ok := c.payload(call).(*types.Named); ok && isMarked[named.Obj()] {
			handles = true
		}
	}
	if !handles {
		return
	}
	used := map[types.Object]bool{}
	for id, inst := range c.TypesInfo.Instances {
		if obj := c.TypesInfo.Uses[id]; obj == nil || obj.Pkg() != nil && obj.Pkg().Path() == registryPath {
			continue
		}
		for t := range inst.TypeArgs.Types() {
			if named, ok := types.Unalias(elem(t)).(*types.Named); ok {
				used[named.Obj()] = true
			}
		}
	}
	for _, spec := range marked {
		if used[c.TypesInfo.Defs[spec.Name]] {
			continue
		}
		c.report(analysis.Diagnostic{Pos: spec.Name.Pos(), End: spec.Name.End(), Category: Executor},
			"%s is a command, but this package handles others and not this one: session.Handle it, or it does nothing", spec.Name.Name)
	}
}

// twice reports calls of session.Handle that come after one for the same host and type in the same block.
func (c *checker) twice(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // looked at by itself
		case *ast.BlockStmt:
			c.twiceIn(body, n.List)
		case *ast.CaseClause:
			c.twiceIn(body, n.Body)
		case *ast.CommClause:
			c.twiceIn(body, n.Body)
		}
		return true
	})
}

type handling struct {
	host    types.Object
	payload types.Type
}

// twiceIn looks at the statements of one block of a function.
func (c *checker) twiceIn(body *ast.BlockStmt, stmts []ast.Stmt) {
	first := map[handling]*ast.CallExpr{}
	for _, s := range stmts {
		switch s.(type) {
		case *ast.CaseClause, *ast.CommClause:
			return // alternatives
		}
		var certain []*ast.CallExpr // calls that this statement makes in any case
		c.handleCalls(s, func(call *ast.CallExpr, conditional bool) {
			key, ok := c.handling(body, call)
			if !ok {
				return
			}
			if before := first[key]; before != nil {
				c.report(analysis.Diagnostic{
					Pos: call.Pos(), End: call.End(), Category: Twice,
					Related: []analysis.RelatedInformation{{Pos: before.Pos(), End: before.End(), Message: "the first time"}},
				}, "%s is handled a second time on the same host, which session.Handle refuses", types.TypeString(key.payload, types.RelativeTo(c.Pkg)))
			} else if !conditional {
				certain = append(certain, call)
			}
		})
		for _, call := range certain {
			key, _ := c.handling(body, call)
			if first[key] == nil {
				first[key] = call
			}
		}
	}
}

// handleCalls yields the calls of session.Handle in a statement.
func (c *checker) handleCalls(s ast.Stmt, yield func(call *ast.CallExpr, conditional bool)) {
	var visit func(n ast.Node, conditional bool)
	visit = func(n ast.Node, conditional bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
				if m != n {
					visit(m, true)
					return false
				}
			case *ast.BinaryExpr:
				if m != n && (m.Op.String() == "&&" || m.Op.String() == "||") {
					visit(m, true)
					return false
				}
			case *ast.CallExpr:
				if c.isHandle(m) {
					yield(m, conditional)
				}
			}
			return true
		})
	}
	visit(s, false)
}

// handling returns what a call of session.Handle is about, if its host is a variable that is set once.
func (c *checker) handling(body *ast.BlockStmt, call *ast.CallExpr) (handling, bool) {
	id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return handling{}, false
	}
	host, ok := c.TypesInfo.Uses[id].(*types.Var)
	payload := c.payload(call)
	if !ok || payload == nil {
		return handling{}, false
	}
	if _, ok := payload.(*types.TypeParam); ok {
		return handling{}, false
	}
	assigned := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := ast.Unparen(lhs).(*ast.Ident); ok && c.TypesInfo.Uses[id] == host {
					assigned = true
				}
			}
		case *ast.RangeStmt:
			for _, lhs := range []ast.Expr{n.Key, n.Value} {
				if id, ok := lhs.(*ast.Ident); ok && c.TypesInfo.Uses[id] == host {
					assigned = true
				}
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op.String() == "&" && c.TypesInfo.Uses[id] == host {
				assigned = true
			}
		}
		return true
	})
	return handling{host, payload}, !assigned
}

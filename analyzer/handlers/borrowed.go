package handlers

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// borrowed reports functions that keep what was lent to them.
func (c *checker) borrowed(roles []role) {
	for _, r := range roles {
		for _, l := range r.lent {
			for _, k := range c.summarize(r.fn, l.param).kept {
				c.reportKept(r, l, k)
			}
		}
	}
}

func (c *checker) reportKept(r role, l lent, k kept) {
	d := analysis.Diagnostic{Pos: k.pos, Category: Borrowed}
	file, stmt := c.statementAt(k.pos)
	if stmt != nil {
		sources := c.sources(k.in, stmt)
		if len(sources) == 1 {
			d.Pos, d.End = sources[0].Pos(), sources[0].End()
		}
		d.SuggestedFixes = c.copies(file, sources)
	}
	if d.Pos == token.NoPos {
		d.Pos = r.fn.Pos()
	}
	advice := "copy it"
	if l.what == "the command" || l.what == "the Preparation" {
		advice = "take out what is needed"
	}
	c.report(d, "%s keeps %s %s, and %s: %s", r.what, l.what, k.where, l.why, advice)
}

// statementAt returns the simple statement that a position is in, and its file.
func (c *checker) statementAt(pos token.Pos) (*ast.File, ast.Stmt) {
	for _, f := range c.Files {
		if pos < f.FileStart || f.FileEnd <= pos {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(f, pos, pos)
		for _, n := range path {
			switch n := n.(type) {
			case *ast.AssignStmt, *ast.SendStmt, *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt, *ast.DeclStmt:
				return f, n.(ast.Stmt)
			case *ast.FuncLit, *ast.BlockStmt:
				return f, nil
			}
		}
	}
	return nil, nil
}

// sources returns the outermost slices of plain elements in a statement that refer to the memory: the expressions
// that could be replaced by copies.
func (c *checker) sources(f *flow, stmt ast.Stmt) []ast.Expr {
	values := map[ast.Expr]ssa.Value{}
	for _, b := range f.fn.Blocks {
		for _, instr := range b.Instrs {
			if ref, ok := instr.(*ssa.DebugRef); ok && !ref.IsAddr {
				values[ref.Expr] = ref.X
			}
		}
	}
	var found []ast.Expr
	visit := func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if _, ok := e.(*ast.FuncLit); ok {
			return false
		}
		v := values[ast.Unparen(e)]
		if v == nil || !f.carries(v) {
			return true
		}
		s, ok := c.TypesInfo.TypeOf(e).Underlying().(*types.Slice)
		if !ok || refers(s.Elem()) {
			return true
		}
		found = append(found, e)
		return false
	}
	if assign, ok := stmt.(*ast.AssignStmt); ok {
		for _, rhs := range assign.Rhs {
			ast.Inspect(rhs, visit)
		}
	} else {
		ast.Inspect(stmt, visit)
	}
	return found
}

// copies returns the fix that replaces expressions by copies of them, with what the file imports anyway.
func (c *checker) copies(file *ast.File, exprs []ast.Expr) []analysis.SuggestedFix {
	if len(exprs) == 0 {
		return nil
	}
	fix := analysis.SuggestedFix{Message: "copy the bytes"}
	for _, e := range exprs {
		before, after, ok := c.copying(file, c.TypesInfo.TypeOf(e))
		if !ok {
			return nil
		}
		fix.TextEdits = append(fix.TextEdits,
			analysis.TextEdit{Pos: e.Pos(), End: e.Pos(), NewText: []byte(before)},
			analysis.TextEdit{Pos: e.End(), End: e.End(), NewText: []byte(after)})
	}
	if s := c.TypesInfo.TypeOf(exprs[0]).Underlying().(*types.Slice); !types.Identical(s.Elem(), types.Typ[types.Byte]) {
		fix.Message = "copy the elements"
	}
	return []analysis.SuggestedFix{fix}
}

// copying returns what to write around an expression of a slice type to copy it.
func (c *checker) copying(file *ast.File, t types.Type) (before, after string, ok bool) {
	names := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if p := c.TypesInfo.PkgNameOf(spec); err == nil && p != nil && p.Name() != "_" && p.Name() != "." {
			names[path] = p.Name()
		}
	}
	if name := names["bytes"]; name != "" && types.Identical(t, types.NewSlice(types.Typ[types.Byte])) {
		return name + ".Clone(", ")", true
	}
	if name := names["slices"]; name != "" {
		return name + ".Clone(", ")", true
	}
	ok = true
	text := types.TypeString(t, func(p *types.Package) string {
		switch name := names[p.Path()]; {
		case p == c.Pkg:
			return ""
		case name != "":
			return name
		}
		ok = false
		return p.Name()
	})
	return "append(" + text + "(nil), ", "...)", ok
}

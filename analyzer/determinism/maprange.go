package determinism

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// mapRange is about a loop over a map, or over an iterator of package maps.
func (s *scanner) mapRange(n *ast.RangeStmt) {
	if n.Key == nil && n.Value == nil {
		return // all iterations are the same
	}
	m, keyExpr, valueExpr := n.X, n.Key, n.Value
	if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok {
		if fn := s.callee(call); isFunc(fn, "maps", "Keys", "Values", "All") {
			m = call.Args[0]
			if fn.Name() == "Values" {
				keyExpr, valueExpr = nil, n.Key
			}
		}
	}
	l := s.newLoop(s.u, n.Body)
	l.scope[0].from = n.Pos() // with the variables of the loop
	l.m = m
	if n.Tok == token.DEFINE {
		l.key, l.value = s.defined(keyExpr), s.defined(valueExpr)
	} else {
		for _, e := range []ast.Expr{keyExpr, valueExpr} {
			if e != nil {
				l.store(e, nil, e.Pos())
			}
		}
	}
	l.block(n.Body)
	if why := l.verdict(n.End(), s.function()); why != "" {
		h := s.hazardf(mapOrder, n, "the iteration order of map %s is visible: %s", brief(m), why)
		h.end = n.X.End()
		h.fixes = s.sortedKeysFix(n)
	}
}

// defined returns the variable that an identifier declares, or nil.
func (s *scanner) defined(e ast.Expr) types.Object {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	return s.info.Defs[id]
}

// function returns the body of the innermost function around the current node, or nil.
func (s *scanner) function() *ast.BlockStmt {
	for _, n := range slices.Backward(s.stack) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Body
		case *ast.FuncDecl:
			return n.Body
		}
	}
	return nil
}

// mapCallback judges a closure that is called for each entry of a map, with the key first. It returns why the order
// is visible, or "".
func (s *scanner) mapCallback(lit *ast.FuncLit, end token.Pos) string {
	l := s.newLoop(s.u, lit)
	var params []types.Object
	for _, field := range lit.Type.Params.List {
		for _, name := range field.Names {
			params = append(params, s.info.Defs[name])
		}
	}
	if len(params) == 2 {
		l.key, l.value = params[0], params[1]
	}
	// Returning true goes on. Anything else may end the iteration.
	stops := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok {
			for _, e := range ret.Results {
				l.eval(e)
				if id, ok := e.(*ast.Ident); !ok || id.Name != "true" {
					stops = true
				}
			}
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	l.pure = true // returns have been looked at
	l.block(lit.Body)
	l.pure = false
	l.leaves = stops
	return l.verdict(end, s.function())
}

// commutes lists the operators whose effect does not depend on the order.
var commutes = []string{"+", "*", "|", "&", "^", "&^", "min", "max", "&&", "||", "delete", "once", "extreme"}

// verdict says why the order of the iterations is visible, or returns "". What they collect in a slice may be sorted
// later in the function.
func (l *loop) verdict(end token.Pos, function *ast.BlockStmt) string {
	if l.why != "" {
		return l.why
	}
	for i, c := range l.changes {
		if c.role == element {
			if why := l.elementChange(c); why != "" {
				return why
			}
			continue
		}
		if why := l.outerChange(c, l.changes[:i], end, function); why != "" {
			return why
		}
	}
	return ""
}

func (l *loop) elementChange(c change) string {
	if l.leaves {
		return fmt.Sprintf("it stops before all elements have changed (line %d)", l.line(c.pos))
	}
	for _, r := range l.reads {
		if c.field != nil && r.field == c.field && r.role != element {
			return fmt.Sprintf("it reads %s, which other iterations change", c.field.Name())
		}
	}
	return l.readByCallee(c)
}

// readByCallee looks for functions that see what an iteration changes.
func (l *loop) readByCallee(c change) string {
	for _, fn := range l.readBy {
		reads := l.readsOf(fn)
		root, _ := c.root.(*types.Var)
		if c.field != nil && reads[c.field] || c.field == nil && root != nil && reads[root] {
			return fmt.Sprintf("%s reads what other iterations change", fn.Name())
		}
	}
	return ""
}

func (l *loop) outerChange(c change, before []change, end token.Pos, function *ast.BlockStmt) string {
	name := l.spotName(c.spot)
	constant := strings.HasPrefix(c.op, "= ")
	switch {
	case constant, slices.Contains(commutes, c.op):
	case c.op == "append" && c.keyed:
	case c.op == "append":
		if !l.sortedAfter(c.spot, end, function) {
			return fmt.Sprintf("%s is filled in that order and not sorted afterwards by a complete order", name)
		}
	case c.keyed:
	default:
		return fmt.Sprintf("%s is what the last iteration leaves there (line %d)", name, l.line(c.pos))
	}
	if l.leaves && !constant && c.op != "once" {
		return fmt.Sprintf("it stops before all iterations have changed %s", name)
	}
	for _, other := range before {
		if other.overlaps(c.spot) && (other.op != c.op || other.keyed != c.keyed) && !(other.keyed && c.keyed) {
			return fmt.Sprintf("iterations change %s in different ways", name)
		}
	}
	for _, r := range l.reads {
		if r.overlaps(c.spot) && !(r.keyed && c.keyed) {
			return fmt.Sprintf("it reads %s, which other iterations change", name)
		}
		if c.field != nil && r.field == c.field && r.role == element {
			return fmt.Sprintf("it reads %s, which other iterations change", name)
		}
	}
	return l.readByCallee(c)
}

func (l *loop) spotName(s spot) string {
	if s.root == nil {
		return s.path
	}
	return s.root.Name() + s.path
}

// sortedAfter reports whether a slice is sorted behind the loop, by an order that leaves no two elements equal.
func (l *loop) sortedAfter(s spot, end token.Pos, function *ast.BlockStmt) bool {
	if function == nil {
		return false
	}
	sorted := false
	ast.Inspect(function, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Pos() < end || sorted {
			return !sorted
		}
		sorted = l.sorts(call, s)
		return !sorted
	})
	return sorted
}

// sorts reports whether a call sorts a slice, or one whose elements a slice of the same variable are.
func (l *loop) sorts(call *ast.CallExpr, s spot) bool {
	fn := l.callee(call)
	if fn == nil || len(call.Args) == 0 {
		return false
	}
	arg := ast.Unparen(call.Args[0])
	for {
		inner, ok := arg.(*ast.CallExpr)
		if !ok {
			break
		}
		if operand, ok := l.conversion(inner); ok {
			arg = ast.Unparen(operand)
		} else if isFunc(l.callee(inner), "sort", "Reverse") {
			arg = ast.Unparen(inner.Args[0])
		} else {
			break
		}
	}
	if recv := argument(call, -1); recv != nil && fn.Signature().Recv() != nil {
		arg = recv
	}
	if !l.spotOf(arg).same(s) {
		return false
	}
	switch fn.Pkg().Path() {
	case "slices", "sort":
		if isFunc(fn, "slices", "Sort") || isFunc(fn, "sort", "Strings", "Ints", "Float64s") {
			return true
		}
		if isFunc(fn, "slices", "SortFunc", "SortStableFunc") || isFunc(fn, "sort", "Slice", "SliceStable", "Sort", "Stable") {
			return l.orderOf(call, fn, l.unique[s]...) != partial
		}
		return false
	}
	return strings.Contains(strings.ToLower(fn.Name()), "sort")
}

// sortedKeysFix offers to walk over the sorted keys instead. It needs keys that can be sorted, and a loop that does
// not change the map itself.
func (s *scanner) sortedKeysFix(n *ast.RangeStmt) []analysis.SuggestedFix {
	m, ok := s.typeOf(n.X).Underlying().(*types.Map)
	if !ok || n.Tok != token.DEFINE || !repeatable(n.X) || !isOrdered(m.Key()) || s.changesMap(n) {
		return nil
	}
	text := types.ExprString(n.X)
	key := "key"
	if id, ok := n.Key.(*ast.Ident); ok && id.Name != "_" {
		key = id.Name
	} else if obj := s.lookup(key, n.Body.Pos()); obj != nil {
		return nil
	}
	names, edits, ok := s.importEdits(n.Pos(), "maps", "slices")
	if !ok {
		return nil
	}
	head := fmt.Sprintf("_, %s := range %s.Sorted(%s.Keys(%s)) ", key, names[1], names[0], text)
	edits = append(edits, analysis.TextEdit{Pos: n.Key.Pos(), End: n.Body.Lbrace, NewText: []byte(head)})
	if id, ok := n.Value.(*ast.Ident); ok && id.Name != "_" {
		value := fmt.Sprintf("\n%s := %s[%s]", id.Name, text, key)
		edits = append(edits, analysis.TextEdit{Pos: n.Body.Lbrace + 1, End: n.Body.Lbrace + 1, NewText: []byte(value)})
	}
	return []analysis.SuggestedFix{{Message: "Iterate over the sorted keys", TextEdits: edits}}
}

func (s *scanner) lookup(name string, pos token.Pos) types.Object {
	scope := s.pass.Pkg.Scope().Innermost(pos)
	if scope == nil {
		return nil
	}
	_, obj := scope.LookupParent(name, pos)
	return obj
}

// changesMap reports whether the body of a loop may insert into the map or delete from it.
func (s *scanner) changesMap(n *ast.RangeStmt) bool {
	text, found := types.ExprString(n.X), false
	is := func(e ast.Expr) bool { return types.ExprString(ast.Unparen(e)) == text }
	ast.Inspect(n.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				index, ok := ast.Unparen(lhs).(*ast.IndexExpr)
				found = found || is(lhs) || ok && is(index.X)
			}
		case *ast.CallExpr:
			if name := s.builtin(n); name == "delete" || name == "clear" {
				found = found || is(n.Args[0])
			}
		}
		return !found
	})
	return found
}

func isOrdered(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsOrdered != 0
}

// importEdits returns the names of packages at a position, and the edits that import those that are not yet. It fails
// if a name means something else there.
func (s *scanner) importEdits(pos token.Pos, paths ...string) (names []string, edits []analysis.TextEdit, ok bool) {
	f := s.u.file.syntax
	missing := ""
next:
	for _, path := range paths {
		for _, imp := range f.Imports {
			if pkg := s.info.PkgNameOf(imp); pkg != nil && pkg.Imported().Path() == path {
				if s.lookup(pkg.Name(), pos) != pkg {
					return nil, nil, false
				}
				names = append(names, pkg.Name())
				continue next
			}
		}
		if s.lookup(path, pos) != nil {
			return nil, nil, false
		}
		names = append(names, path)
		missing += fmt.Sprintf("\n\t%q", path)
	}
	if missing == "" {
		return names, nil, true
	}
	at, text := f.Name.End(), "\n\nimport ("+missing+"\n)"
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			at, text = d.Pos(), "import ("+missing+"\n)\n"
			if d.Lparen.IsValid() {
				at, text = d.Lparen+1, missing
			}
			break
		}
	}
	return names, []analysis.TextEdit{{Pos: at, End: at, NewText: []byte(text)}}, true
}

// tolerated reports whether a standard function that yields a map's entries is used so that their order does not
// show.
func (s *scanner) tolerated(id *ast.Ident, fn *types.Func) bool {
	if !isFunc(fn, "maps", "Keys", "Values", "All") && !isFunc(fn, "reflect", "Value.MapKeys") && !isFunc(fn, "sync", "Map.Range") {
		return false
	}
	call, outerNode := s.callOf(id)
	if call == nil {
		return false
	}
	if isFunc(fn, "sync", "Map.Range") {
		lit, ok := call.Args[0].(*ast.FuncLit)
		return ok && s.mapCallback(lit, call.End()) == ""
	}
	switch outerNode := outerNode.(type) {
	case *ast.RangeStmt:
		return outerNode.X == call && fn.Pkg().Path() == "maps" // which ranges judges
	case *ast.AssignStmt, *ast.ValueSpec:
		return s.sortedVar(outerNode, call)
	case *ast.CallExpr:
		into := s.callee(outerNode)
		switch {
		case isFunc(into, "slices", "Sorted", "SortedFunc", "SortedStableFunc"), isFunc(into, "maps", "Collect", "Insert"):
			return true // sorts judges the comparison
		case isFunc(into, "slices", "Collect", "AppendSeq"):
			if len(s.stack) >= 4 {
				return s.sortedVar(s.stack[len(s.stack)-4], outerNode)
			}
		}
	}
	return false
}

// callOf returns the call of the function that an identifier names, and the node around it.
func (s *scanner) callOf(id *ast.Ident) (*ast.CallExpr, ast.Node) {
	i := len(s.stack) - 1
	if i >= 0 && s.selectorOf(id) == s.stack[i] {
		i--
	}
	if i < 1 {
		return nil, nil
	}
	call, ok := s.stack[i].(*ast.CallExpr)
	if !ok || ast.Unparen(call.Fun) != s.selectorOf(id) {
		return nil, nil
	}
	return call, s.stack[i-1]
}

// sortedVar reports whether the variable that receives a call's result from a statement is sorted later.
func (s *scanner) sortedVar(stmt ast.Node, call *ast.CallExpr) bool {
	var to, values []ast.Expr
	switch stmt := stmt.(type) {
	case *ast.AssignStmt:
		to, values = stmt.Lhs, stmt.Rhs
	case *ast.ValueSpec:
		values = stmt.Values
		for _, name := range stmt.Names {
			to = append(to, name)
		}
	}
	i := slices.IndexFunc(values, func(e ast.Expr) bool { return ast.Unparen(e) == call })
	if i < 0 || len(to) != len(values) {
		return false
	}
	l := s.newLoop(s.u, call)
	return l.sortedAfter(l.spotOf(to[i]), stmt.End(), s.function())
}

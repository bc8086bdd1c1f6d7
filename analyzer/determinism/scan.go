package determinism

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// item is something that happens at a place in a unit. Only some of its fields are set.
type item struct {
	pos    token.Pos
	hazard *hazard

	// What else runs, or may run, when the code at pos does.
	call     instance    // of a function of this package
	variable *types.Var  // a package variable, with its initialisation, or a variable that carries functions
	method   *types.Func // of an interface
	remote   *types.Func // a function of another package that has a fact

	// What is read or written, for the fields of a state.
	field *types.Var
	whole types.Type // handed to a function that looks at all fields

	links []link // see reach.go
}

// scanner looks at one unit.
type scanner struct {
	*checker
	u     *unit
	stack []ast.Node // from the unit's node to the current one

	skipped map[ast.Node]bool // operations of select statements, which are reported as a whole
	nesting int               // of calls of guards
	intBits int               // of the target that is considered
}

// scan collects the items of a unit: everything in it that is a hazard, or leads to other code.
func (c *checker) scan(u *unit) {
	s := &scanner{checker: c, u: u, skipped: map[ast.Node]bool{}}
	ast.Inspect(u.node, func(n ast.Node) bool {
		if n == nil {
			s.stack = s.stack[:len(s.stack)-1]
			return true
		}
		s.visit(n)
		s.stack = append(s.stack, n)
		return true
	})
	c.scanSums(u)
	slices.SortStableFunc(u.items, func(a, b item) int { return int(a.pos - b.pos) })
}

// add appends an item to a unit.
func (c *checker) add(u *unit, it item) { u.items = append(u.items, it) }

// hazardf adds a hazard at a node.
func (s *scanner) hazardf(k kind, n ast.Node, format string, args ...any) *hazard {
	h := &hazard{kind: k, pos: n.Pos(), end: n.End(), message: fmt.Sprintf(format, args...), param: -1}
	s.addHazard(s.u, h)
	return h
}

// addHazard adds a hazard to a unit unless its line is excused.
func (c *checker) addHazard(u *unit, h *hazard) {
	excused := c.excuse(h.pos)
	if h.at.IsValid() {
		excused = c.excuse(h.at) || excused
	}
	if !excused {
		c.add(u, item{pos: h.place(), hazard: h})
	}
}

// excuse uses the excuse for a line if there is one.
func (c *checker) excuse(pos token.Pos) bool {
	for _, e := range c.excuses {
		if e.file.syntax.FileStart <= pos && pos <= e.file.syntax.FileEnd && e.mark.Line == c.line(pos) {
			e.used = true
			return true
		}
	}
	return false
}

func (s *scanner) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		s.mention(n)
	case *ast.GoStmt:
		s.hazardf(concurrency, &ast.BadStmt{From: n.Go, To: n.Call.Pos()}, "go starts a goroutine, which runs at no certain time")
	case *ast.SelectStmt:
		s.selects(n)
	case *ast.SendStmt:
		if !s.skipped[n] {
			s.hazardf(concurrency, n, "channel send: what it waits for runs at no certain time")
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !s.skipped[n] {
			s.hazardf(concurrency, n, "channel receive: what comes, and when, depends on another goroutine")
		}
	case *ast.RangeStmt:
		s.ranges(n)
	case *ast.BinaryExpr:
		if n.Op == token.MUL || n.Op == token.QUO {
			s.complexProduct(n, n.X, n.Op)
		}
	case *ast.AssignStmt:
		switch n.Tok {
		case token.MUL_ASSIGN:
			s.complexProduct(n, n.Lhs[0], token.MUL)
		case token.QUO_ASSIGN:
			s.complexProduct(n, n.Lhs[0], token.QUO)
		}
	case *ast.CallExpr:
		s.call(n)
	}
}

func (s *scanner) selects(n *ast.SelectStmt) {
	s.hazardf(concurrency, &ast.BadStmt{From: n.Select, To: n.Select + token.Pos(len("select"))},
		"select chooses among ready channels at random, and readiness depends on other goroutines")
	for _, clause := range n.Body.List {
		switch comm := clause.(*ast.CommClause).Comm.(type) {
		case *ast.SendStmt:
			s.skipped[comm] = true
		case *ast.ExprStmt:
			s.skipped[ast.Unparen(comm.X)] = true
		case *ast.AssignStmt:
			s.skipped[ast.Unparen(comm.Rhs[0])] = true
		}
	}
}

func (s *scanner) ranges(n *ast.RangeStmt) {
	switch s.typeOf(n.X).Underlying().(type) {
	case *types.Chan:
		s.hazardf(concurrency, n.X, "range over a channel: what comes, and when, depends on another goroutine")
	case *types.Map:
		s.mapRange(n)
	case *types.Signature:
		if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && isFunc(s.callee(call), "maps", "Keys", "Values", "All") {
			s.mapRange(n)
		}
	}
}

// mention is about every use of a name: a function that is mentioned may be called.
func (s *scanner) mention(id *ast.Ident) {
	switch obj := s.info.Uses[id].(type) {
	case *types.Func:
		s.mentionFunc(id, obj)
	case *types.Var:
		s.mentionVar(id, obj)
	case *types.Const:
		if why := standardConst(obj); why != "" {
			s.hazardf(environment, id, "%s.%s %s", obj.Pkg().Name(), obj.Name(), why)
		}
	}
}

func (s *scanner) mentionFunc(id *ast.Ident, fn *types.Func) {
	origin := fn.Origin()
	targs := s.typeArgs(id, fn)
	switch pkg := origin.Pkg(); {
	case pkg == nil: // error.Error
	case standardPath(pkg.Path()):
		if v, ok := standardFunc(origin); ok && !s.tolerated(id, origin) {
			s.hazardf(v.kind, s.selectorOf(id), "%s %s", qualifiedName(origin), v.why)
		}
	case isInterfaceMethod(origin):
		if !s.onTypeParam(id) {
			s.add(s.u, item{pos: id.Pos(), method: origin})
		}
	case pkg == s.pass.Pkg:
		s.add(s.u, item{pos: id.Pos(), call: instance{origin, targs}})
	default:
		s.remote(id.Pos(), s.selectorOf(id), instance{origin, targs})
	}
	s.constraintMethods(id, origin, targs)
}

// selectorOf returns the whole qualified or selected name that ends in an identifier.
func (s *scanner) selectorOf(id *ast.Ident) ast.Node {
	if len(s.stack) > 0 {
		if sel, ok := s.stack[len(s.stack)-1].(*ast.SelectorExpr); ok && sel.Sel == id {
			return sel
		}
	}
	return id
}

// onTypeParam reports whether a method is selected from a value whose type is a type parameter. What it is instead
// is known where the function is instantiated.
func (s *scanner) onTypeParam(id *ast.Ident) bool {
	sel, ok := s.selectorOf(id).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	t := types.Unalias(s.typeOf(sel.X))
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	_, ok = t.(*types.TypeParam)
	return ok
}

// constraintMethods is about an instance of a generic function: it may call those methods of its type arguments that
// their constraints name.
func (s *scanner) constraintMethods(id *ast.Ident, fn *types.Func, targs []types.Type) {
	params := fn.Signature().TypeParams()
	if params == nil {
		params = fn.Signature().RecvTypeParams()
	}
	for i, targ := range targs {
		if i >= params.Len() || types.IsInterface(targ) {
			continue
		}
		iface, ok := params.At(i).Constraint().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for want := range iface.Methods() {
			if m := methodOf(targ, want); m != nil {
				s.reachMethod(id.Pos(), id, m)
			}
		}
	}
}

// reachMethod notes that a method of a concrete type is called without being named.
func (s *scanner) reachMethod(pos token.Pos, n ast.Node, m *types.Func) {
	origin := m.Origin()
	switch {
	case origin.Pkg() == nil || standardPath(origin.Pkg().Path()) || isInterfaceMethod(origin):
	case origin.Pkg() == s.pass.Pkg:
		s.add(s.u, item{pos: pos, call: instance{origin, s.typeArgs(&ast.Ident{}, m)}})
	default:
		s.remote(pos, n, instance{fn: origin})
	}
}

// methodOf returns the method of a type, or of its pointer, that satisfies an interface's one.
func methodOf(t types.Type, want *types.Func) *types.Func {
	if !types.IsInterface(t) {
		if _, ok := types.Unalias(t).(*types.Pointer); !ok {
			t = types.NewPointer(t)
		}
	}
	sel := types.NewMethodSet(t).Lookup(want.Pkg(), want.Name())
	if sel == nil {
		return nil
	}
	m, _ := sel.Obj().(*types.Func)
	return m
}

func (s *scanner) mentionVar(id *ast.Ident, v *types.Var) {
	v = v.Origin()
	if v.IsField() {
		s.add(s.u, item{pos: id.Pos(), field: v})
	}
	switch pkg := v.Pkg(); {
	case pkg == nil:
		return
	case v.IsField():
		if s.carriesFunc(v) && pkg == s.pass.Pkg {
			s.add(s.u, item{pos: id.Pos(), variable: v})
		}
	case v.Parent() != pkg.Scope(): // local
		if s.carriesFunc(v) {
			s.add(s.u, item{pos: id.Pos(), variable: v})
		}
	case standardPath(pkg.Path()):
		if verdict, ok := standardVar(v); ok {
			s.hazardf(verdict.kind, s.selectorOf(id), "%s %s", qualifiedName(v), verdict.why)
		}
	case pkg == s.pass.Pkg:
		s.add(s.u, item{pos: id.Pos(), variable: v})
	default:
		s.remote(id.Pos(), s.selectorOf(id), v)
	}
}

// remote is about a mention of a function or variable of another package that is not a standard one.
func (s *scanner) remote(pos token.Pos, n ast.Node, what any) {
	var obj types.Object
	var targs []types.Type
	switch what := what.(type) {
	case *types.Var:
		obj = what
	case instance:
		obj, targs = what.fn, what.targs
		s.add(s.u, item{pos: pos, remote: what.fn})
	}
	for _, h := range s.remoteHazards(s.u, obj, targs) {
		h.pos, h.end = n.Pos(), n.End()
		s.addHazard(s.u, h)
	}
	if b := s.behaviourOf(obj); b != nil {
		for _, d := range b.Dynamic {
			if m := s.interfaceMethod(d); m != nil {
				s.add(s.u, item{pos: pos, method: m})
			}
		}
	}
}

// remoteHazards makes one hazard of all that another package's function or variable reaches, if anything.
func (c *checker) remoteHazards(u *unit, obj types.Object, targs []types.Type) []*hazard {
	b := c.behaviourOf(obj)
	if b == nil {
		return nil
	}
	var out []*hazard
	for _, r := range b.Hazards {
		h := &hazard{
			kind: r.Kind, param: -1, origin: &r,
			message: fmt.Sprintf("%s reaches this: %s (%s)", qualifiedName(obj), r.Text, r.Place),
		}
		if r.Param >= 0 && r.Param < len(targs) {
			floating, param := c.mayFloat(u, targs[r.Param])
			if !floating {
				continue
			}
			h.param = param
		}
		if h.param < 0 { // certain: the others would say no more
			return []*hazard{h}
		}
		if len(out) == 0 {
			out = append(out, h)
		}
	}
	return out
}

// mayFloat reports whether a type argument, in a unit, is a floating-point type. If that depends on a type parameter
// of the unit, it returns the parameter's index, and -1 otherwise.
func (c *checker) mayFloat(u *unit, t types.Type) (floating bool, param int) {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true, u.typeParam(tp)
	}
	return isFloat(t) || isComplex(t), -1
}

// typeParam returns the index of a type parameter of the unit's function or receiver, or -1.
func (u *unit) typeParam(t types.Type) int {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok || u.fn == nil {
		return -1
	}
	params := u.fn.Signature().TypeParams()
	if params == nil {
		params = u.fn.Signature().RecvTypeParams()
	}
	for i := range params.Len() {
		if params.At(i) == tp {
			return i
		}
	}
	return -1
}

// behaviourOf returns the fact about an object of another package, or nil.
func (c *checker) behaviourOf(obj types.Object) *behaviour {
	b, ok := c.facts[obj]
	if !ok {
		b = new(behaviour)
		if !c.pass.ImportObjectFact(obj, b) {
			b = nil
		}
		c.facts[obj] = b
	}
	return b
}

func (s *scanner) complexProduct(n ast.Node, x ast.Expr, op token.Token) {
	t := s.typeOf(x)
	if e, isExpr := n.(ast.Expr); !isComplex(t) || isExpr && s.isConstant(e) {
		return
	}
	word := "multiplication"
	if op == token.QUO {
		word = "division"
	}
	h := s.hazardf(fused, n, "%s of complex numbers is a sum of products, which may be fused; calculate with the parts and round each product", word)
	h.param = s.u.typeParam(t)
}

func (s *scanner) call(call *ast.CallExpr) {
	if operand, ok := s.conversion(call); ok {
		s.convert(call, operand)
		return
	}
	switch s.builtin(call) {
	case "close":
		s.hazardf(concurrency, call, "close of a channel: who notices, and when, depends on other goroutines")
	case "len":
		if _, ok := s.typeOf(call.Args[0]).Underlying().(*types.Chan); ok {
			s.hazardf(concurrency, call, "length of a channel: it depends on other goroutines")
		}
	}
	fn := s.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return
	}
	if standardPath(fn.Pkg().Path()) {
		s.sorts(call, fn)
		s.prints(call, fn)
	}
	if fn.Pkg() != s.pass.Pkg {
		s.passInterfaces(call)
	}
}

// passInterfaces is about a call of another package's function: it may call the methods of what it receives as an
// interface, and with reflection it sees everything.
func (s *scanner) passInterfaces(call *ast.CallExpr) {
	sig, ok := s.typeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	for i, arg := range call.Args {
		p := min(i, sig.Params().Len()-1)
		if p < 0 {
			return
		}
		want := sig.Params().At(p).Type()
		if slice, ok := want.(*types.Slice); ok && sig.Variadic() && p == sig.Params().Len()-1 && !call.Ellipsis.IsValid() {
			want = slice.Elem()
		}
		iface, ok := want.Underlying().(*types.Interface)
		have := s.typeOf(arg)
		if _, generic := want.(*types.TypeParam); generic || !ok || types.IsInterface(have) {
			continue
		}
		if iface.NumMethods() == 0 {
			s.add(s.u, item{pos: arg.Pos(), whole: have})
		}
		for m := range iface.Methods() {
			if m.Name() == "Error" || m.Name() == "String" {
				continue // text is no state
			}
			if concrete := methodOf(have, m); concrete != nil {
				s.reachMethod(arg.Pos(), arg, concrete)
			}
		}
	}
}

// edit is a short form of a fix with one replacement.
func edit(message string, pos, end token.Pos, text string) []analysis.SuggestedFix {
	return []analysis.SuggestedFix{{
		Message:   message,
		TextEdits: []analysis.TextEdit{{Pos: pos, End: end, NewText: []byte(text)}},
	}}
}

// insertAround is a short form of a fix that puts text before and behind something.
func insertAround(message string, pos, end token.Pos, before, behind string) []analysis.SuggestedFix {
	return []analysis.SuggestedFix{{
		Message: message,
		TextEdits: []analysis.TextEdit{
			{Pos: pos, End: pos, NewText: []byte(before)},
			{Pos: end, End: end, NewText: []byte(behind)},
		},
	}}
}

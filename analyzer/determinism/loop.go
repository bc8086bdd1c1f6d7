package determinism

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// loop judges whether the iterations of a loop may run in any order, as those over a map do. It notes what an
// iteration changes that outlives it, follows calls to functions of the same package, and gives up where it does not
// understand: the order then counts as visible.
//
// The same code judges whether a function changes nothing but its own variables: it is then a loop of one iteration.
type loop struct {
	*checker
	u     *unit
	m     ast.Expr // the map, or nil
	key   types.Object
	value types.Object

	pure  bool                  // judge a function: do not follow calls, ignore returns
	bound map[types.Object]spot // what parameters of called functions, and local pointers, stand for
	scope []extent              // of the code that belongs to an iteration

	changes []change
	unique  map[spot][]string // paths from the elements of a slice, like ".X", to what differs in all of them
	reads   []spot
	readBy  []*types.Func // functions that only read

	active map[*types.Func]bool
	inner  int // statements around the current one that break leaves
	called int // function bodies around the current statement
	once   int // conditions around the current statement that hold for one key only

	leaves bool // an iteration may be the last one
	why    string
}

type extent struct{ from, to token.Pos }

// role says whom a variable belongs to.
type role uint8

const (
	outer   role = iota // it outlives the iteration, and others see it
	local               // the iteration made it
	element             // it belongs to the element of the iteration
	theKey              // it is the key of the iteration, different in each
)

// spot is a variable, or what a path from it leads to.
type spot struct {
	role  role
	root  types.Object // or nil, for the result of a call
	path  string
	field *types.Var // at the end of the path
	keyed bool       // the path has the key as an index
}

func (a spot) same(b spot) bool { return a.root == b.root && a.path == b.path }

// overlaps reports whether two spots may be parts of each other.
func (a spot) overlaps(b spot) bool {
	if a.root != b.root || a.role != b.role {
		return false
	}
	return a.path == b.path || strings.HasPrefix(a.path, b.path+".") || strings.HasPrefix(b.path, a.path+".") ||
		a.path == "" || b.path == ""
}

// change is an effect that outlives the iteration, or reaches its element.
type change struct {
	spot
	op  string // an operator, "append", "delete", "set", or "= " and a value that is the same in all iterations
	pos token.Pos
}

// newLoop prepares the judgement of code that is part of a unit.
func (c *checker) newLoop(u *unit, body ast.Node) *loop {
	return &loop{
		checker: c, u: u, bound: map[types.Object]spot{}, active: map[*types.Func]bool{},
		unique: map[spot][]string{},
		scope:  []extent{{body.Pos(), body.End()}},
	}
}

// refuse gives up for a reason.
func (l *loop) refuse(format string, args ...any) {
	if l.why == "" {
		l.why = fmt.Sprintf(format, args...)
	}
}

// spotOf returns what an expression denotes.
func (l *loop) spotOf(e ast.Expr) spot {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.spotOf(e.X)
	case *ast.Ident:
		return l.spotOfVar(l.info.ObjectOf(e))
	case *ast.SelectorExpr:
		v, ok := l.info.Uses[e.Sel].(*types.Var)
		if !ok {
			return spot{role: local}
		}
		if !v.IsField() {
			return spot{root: v}
		}
		s := l.spotOf(e.X)
		if s.role == theKey {
			s.role = element
		}
		s.path, s.field = s.path+"."+v.Name(), v.Origin()
		return s
	case *ast.IndexExpr:
		s := l.spotOf(e.X)
		if s.role == outer && l.isKey(e.Index) {
			if l.m != nil && types.ExprString(e.X) == types.ExprString(l.m) {
				return spot{role: element, root: s.root, path: s.path}
			}
			s.keyed = true
		}
		return s
	case *ast.StarExpr:
		s := l.spotOf(e.X)
		if s.role == theKey {
			s.role = element
		}
		return s
	case *ast.SliceExpr:
		return l.spotOf(e.X)
	case *ast.TypeAssertExpr:
		return l.spotOf(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return l.spotOf(e.X)
		}
	case *ast.CallExpr:
		if operand, ok := l.conversion(e); ok {
			return l.spotOf(operand)
		}
		if isReference(l.typeOf(e)) && l.builtin(e) == "" && !makesNew(l.callee(e)) {
			return spot{path: types.ExprString(e)} // nobody knows whose it is
		}
	}
	return spot{role: local}
}

// makesNew reports whether a function, going by its name, returns something that nobody else has.
func makesNew(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	name := strings.ToLower(fn.Name())
	return slices.ContainsFunc([]string{"new", "make", "clone", "copy"}, func(verb string) bool { return strings.HasPrefix(name, verb) })
}

func (l *loop) spotOfVar(obj types.Object) spot {
	switch {
	case obj == nil:
		return spot{role: local}
	case obj == l.key:
		return spot{role: theKey, root: obj}
	case obj == l.value:
		return spot{role: element, root: obj}
	}
	if s, ok := l.bound[obj]; ok {
		return s
	}
	if l.isLocal(obj) {
		return spot{role: local, root: obj}
	}
	return spot{root: obj}
}

func (l *loop) isLocal(obj types.Object) bool {
	return slices.ContainsFunc(l.scope, func(x extent) bool { return x.from <= obj.Pos() && obj.Pos() < x.to })
}

// isKey reports whether an expression is the key, or made of it so that no two keys make the same.
func (l *loop) isKey(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return l.spotOf(e).role == theKey
	case *ast.CallExpr:
		operand, ok := l.conversion(e)
		return ok && l.isKey(operand) && injective(l.typeOf(operand), l.typeOf(e))
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, func(elt ast.Expr) bool {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			return l.isKey(elt)
		})
	}
	return false
}

// injective reports whether a conversion keeps different values different.
func injective(from, to types.Type) bool {
	a, ok := from.Underlying().(*types.Basic)
	b, ok2 := to.Underlying().(*types.Basic)
	if !ok || !ok2 {
		return types.Identical(from.Underlying(), to.Underlying())
	}
	if a.Kind() == b.Kind() {
		return true
	}
	if a.Info()&b.Info()&types.IsInteger == 0 {
		return false
	}
	sizes := types.SizesFor("gc", "arm")
	return sizes.Sizeof(a) <= sizes.Sizeof(b)
}

// isReference reports whether assigning a value makes another name for the same variables.
func isReference(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Interface:
		return true
	}
	return false
}

// invariant reports whether an expression has the same value in all iterations, if nothing changes what it reads.
func (l *loop) invariant(e ast.Expr) bool {
	if l.isConstant(e) {
		return true
	}
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			same = false
		case *ast.CallExpr:
			_, conversion := l.conversion(n)
			switch l.builtin(n) {
			case "", "append", "copy", "recover":
				same = same && conversion
			}
		case *ast.UnaryExpr:
			same = same && n.Op != token.ARROW
		case *ast.Ident:
			if v, ok := l.info.Uses[n].(*types.Var); ok && !v.IsField() {
				same = same && l.spotOfVar(v).role == outer
			}
		}
		return same
	})
	return same
}

// note records a change.
func (l *loop) note(s spot, op string, pos token.Pos) {
	if s.role == local || s.role == theKey {
		return
	}
	if l.once > 0 {
		op = "once"
	}
	l.changes = append(l.changes, change{s, op, pos})
}

// bind makes a name for what another expression denotes.
func (l *loop) bind(obj types.Object, e ast.Expr) {
	s := spot{role: local, root: obj}
	if isReference(obj.Type()) {
		s = l.spotOf(e)
		if s.role == theKey {
			s.role = element
		}
	} else if l.isKey(e) {
		s = spot{role: theKey, root: obj}
	}
	if old, ok := l.bound[obj]; ok && old != s && old.role != local {
		s = spot{root: obj} // one name for several things
	}
	l.bound[obj] = s
}

// store is about an assignment of a value, which is nil if it is one of several results.
func (l *loop) store(lhs, value ast.Expr, pos token.Pos) {
	if id, ok := lhs.(*ast.Ident); ok {
		obj := l.info.ObjectOf(id)
		if obj == nil || id.Name == "_" {
			return
		}
		if _, isBound := l.bound[obj]; l.isLocal(obj) && (!isBound || l.bound[obj].role == local || l.info.Defs[id] != nil) {
			if value != nil {
				l.bind(obj, value)
			} else if isReference(obj.Type()) {
				l.bound[obj] = spot{path: obj.Name()}
			}
			return
		}
	} else {
		l.operands(lhs)
	}
	s := l.spotOf(lhs)
	op := "set"
	if value != nil && l.invariant(value) {
		op = "= " + types.ExprString(value)
	}
	l.note(s, op, pos)
}

// operands evaluates what is needed to find the variable that an expression denotes.
func (l *loop) operands(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		l.operands(e.X)
		l.eval(e.Index)
	case *ast.SelectorExpr:
		l.operands(e.X)
	case *ast.StarExpr:
		l.operands(e.X)
	case *ast.Ident:
	default:
		l.eval(e)
	}
}

// read records that an iteration sees a variable.
func (l *loop) read(e ast.Expr) {
	if s := l.spotOf(e); s.role != local && s.role != theKey {
		l.reads = append(l.reads, s)
	}
}

// eval records what an expression reads and what the calls in it do.
func (l *loop) eval(e ast.Node) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			l.inline(n.Body, func() { l.block(n.Body) })
			return false
		case *ast.KeyValueExpr:
			if _, ok := n.Key.(*ast.Ident); !ok {
				l.eval(n.Key)
			}
			l.eval(n.Value)
			return false
		case *ast.Ident:
			if v, ok := l.info.Uses[n].(*types.Var); ok && !v.IsField() {
				l.read(n)
			}
		case *ast.SelectorExpr, *ast.IndexExpr:
			l.read(n.(ast.Expr))
			l.operands(n.(ast.Expr))
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				l.refuse("it receives from a channel")
			}
			if n.Op == token.AND {
				l.operands(n.X)
				_, literal := ast.Unparen(n.X).(*ast.CompositeLit)
				return literal
			}
		case *ast.CallExpr:
			l.call(n)
			return false
		}
		return true
	})
}

// inline judges a function body as part of the iteration.
func (l *loop) inline(body ast.Node, visit func()) {
	l.scope = append(l.scope, extent{body.Pos(), body.End()})
	l.called++
	inner := l.inner
	l.inner = 0
	visit()
	l.inner = inner
	l.called--
	l.scope = l.scope[:len(l.scope)-1]
}

package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
)

// handed is a function that the package gives away to be run as simulation code.
type handed struct {
	expr ast.Expr
	as   string
}

// traceFlows records which values reach which variables, without regard for the order of execution: what variables
// that hold functions may hold, which functions become handlers, and which types are used through interfaces.
func (c *checker) traceFlows() {
	t := tracer{c: c, handlers: c.handlerFields()}
	for _, f := range c.files {
		t.walk(f.syntax, nil)
	}
}

// handlerFields returns the fields of session.Handlers, with what their functions are called.
func (c *checker) handlerFields() map[*types.Var]string {
	session := c.imported[sessionPath]
	if session == nil {
		return nil
	}
	handlers, ok := session.Scope().Lookup("Handlers").(*types.TypeName)
	if !ok {
		return nil
	}
	s, ok := handlers.Type().Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	as := map[string]string{"Validate": "a validator", "Mutate": "a mutator", "Execute": "an executor"}
	fields := map[*types.Var]string{}
	for f := range s.Fields() {
		if role := as[f.Name()]; role != "" {
			fields[f] = role
		}
	}
	return fields
}

type tracer struct {
	c        *checker
	handlers map[*types.Var]string
	named    map[*types.Named]bool // in c.conformed
}

// walk traces what happens below a node that belongs to a function with the given signature.
func (t *tracer) walk(root ast.Node, sig *types.Signature) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if fn, ok := t.c.info.Defs[n.Name].(*types.Func); ok && n.Body != nil {
				t.walk(n.Body, fn.Signature())
			}
			return false
		case *ast.FuncLit:
			lit, _ := t.c.typeOf(n).(*types.Signature)
			t.walk(n.Body, lit)
			return false
		case *ast.AssignStmt:
			if len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
				for i, lhs := range n.Lhs {
					t.flow(t.variable(lhs), t.c.typeOf(lhs), n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			if len(n.Names) == len(n.Values) {
				for i, name := range n.Names {
					t.flow(t.variable(name), t.c.typeOf(name), n.Values[i])
				}
			}
		case *ast.ReturnStmt:
			if sig != nil && sig.Results().Len() == len(n.Results) {
				for i, e := range n.Results {
					t.flow(sig.Results().At(i), sig.Results().At(i).Type(), e)
				}
			}
		case *ast.SendStmt:
			if ch, ok := t.c.typeOf(n.Chan).Underlying().(*types.Chan); ok {
				t.flow(nil, ch.Elem(), n.Value)
			}
		case *ast.CompositeLit:
			t.composite(n)
		case *ast.CallExpr:
			t.call(n)
		}
		return true
	})
}

// variable returns the variable or field that an expression stores into; for an element of a container it is the
// container.
func (t *tracer) variable(e ast.Expr) *types.Var {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.Ident:
			v, _ := t.c.info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			v, _ := t.c.info.Uses[x.Sel].(*types.Var)
			return v
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

func (t *tracer) composite(lit *ast.CompositeLit) {
	typ := t.c.typeOf(lit).Underlying()
	if p, ok := typ.(*types.Pointer); ok { // an element of []*T without its type
		typ = p.Elem().Underlying()
	}
	switch typ := typ.(type) {
	case *types.Struct:
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok {
					if f, ok := t.c.info.Uses[key].(*types.Var); ok {
						t.flow(f, f.Type(), kv.Value)
					}
				}
			} else if i < typ.NumFields() {
				t.flow(typ.Field(i), typ.Field(i).Type(), elt)
			}
		}
	case interface{ Elem() types.Type }: // array, slice or map
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			t.flow(nil, typ.Elem(), elt)
		}
	}
}

func (t *tracer) call(call *ast.CallExpr) {
	if operand, ok := t.c.conversion(call); ok {
		t.flow(nil, t.c.typeOf(call.Fun), operand)
		return
	}
	if t.c.builtin(call) == "append" {
		if s, ok := t.c.typeOf(call).Underlying().(*types.Slice); ok && !call.Ellipsis.IsValid() {
			for _, arg := range call.Args[1:] {
				t.flow(t.variable(call.Args[0]), s.Elem(), arg)
			}
		}
		return
	}
	sig, ok := t.c.typeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return
	}
	// The parameters as they are declared, for a generic function.
	declared := sig
	if fn := t.c.callee(call); fn != nil && fn.Signature().Params().Len() == sig.Params().Len() {
		declared = fn.Signature()
	}
	for i, arg := range call.Args {
		p, typ := i, types.Type(nil)
		if last := sig.Params().Len() - 1; sig.Variadic() && i >= last {
			p, typ = last, sig.Params().At(last).Type()
			if s, ok := typ.(*types.Slice); ok && !call.Ellipsis.IsValid() {
				typ = s.Elem()
			}
		} else if i > last {
			return // the results of one call
		} else {
			typ = sig.Params().At(i).Type()
		}
		t.flow(declared.Params().At(p), typ, arg)
	}
}

// flow notes that the value of e may end up in v, which may be nil, and has there the type typ.
func (t *tracer) flow(v *types.Var, typ types.Type, e ast.Expr) {
	c := t.c
	if v != nil {
		v = v.Origin()
		if c.carriesFunc(v) {
			c.flows[v] = append(c.flows[v], e)
			if as := t.handlers[v]; as != "" {
				c.handed = append(c.handed, handed{e, as})
			} else if v.Pkg() != nil && v.Pkg() != c.pass.Pkg {
				var fact simulated
				if c.pass.ImportObjectFact(v, &fact) {
					c.handed = append(c.handed, handed{e, fact.As})
				}
			}
		}
	}
	if typ == nil {
		return
	}
	if isNamed(typ, sessionPath, "Validator") {
		c.handed = append(c.handed, handed{e, "a validator"})
	}
	if have := c.typeOf(e); have != typ {
		t.conform(have, typ)
	}
}

// conform notes that a concrete type is used as an interface.
func (t *tracer) conform(have, want types.Type) {
	if _, ok := want.(*types.TypeParam); ok {
		return
	}
	iface, ok := want.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 || types.IsInterface(have) {
		return
	}
	named := namedOf(have)
	if named == nil || t.named[named] {
		return
	}
	if t.named == nil {
		t.named = map[*types.Named]bool{}
	}
	t.named[named] = true
	t.c.conformed = append(t.c.conformed, named)
}

// carriesFunc reports whether a variable holds a function, or some of them in a container.
func (c *checker) carriesFunc(v *types.Var) bool {
	carries, ok := c.carried[v]
	if !ok {
		carries = holdsFunc(v.Type(), 0)
		c.carried[v] = carries
	}
	return carries
}

func holdsFunc(t types.Type, depth int) bool {
	if depth > 4 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case interface{ Elem() types.Type }: // pointer, array, slice, map or channel
		return holdsFunc(u.Elem(), depth+1)
	}
	return false
}

// sources collects the functions that a value may be, or may hold.
type sources struct {
	c    *checker
	seen map[*types.Var]bool

	lits  []*ast.FuncLit
	funcs []mention
	vars  []*types.Var // variables on the way
}

// instance is a function, possibly of another package, and the types it is instantiated with.
type instance struct {
	fn    *types.Func
	targs []types.Type
}

// mention is where a function is named.
type mention struct {
	instance
	node ast.Node
}

func (c *checker) sourcesOf(exprs ...ast.Expr) *sources {
	s := &sources{c: c, seen: map[*types.Var]bool{}}
	for _, e := range exprs {
		s.add(e)
	}
	return s
}

func (s *sources) add(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		s.lits = append(s.lits, e)
	case *ast.Ident:
		s.object(e, e)
	case *ast.SelectorExpr:
		s.object(e.Sel, e)
	case *ast.IndexExpr: // an element, or an instance
		s.add(e.X)
	case *ast.IndexListExpr:
		s.add(e.X)
	case *ast.UnaryExpr:
		s.add(e.X)
	case *ast.StarExpr:
		s.add(e.X)
	case *ast.CompositeLit:
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			s.add(elt)
		}
	case *ast.CallExpr:
		s.result(e)
	}
}

// result adds the functions that a call may return.
func (s *sources) result(call *ast.CallExpr) {
	if operand, ok := s.c.conversion(call); ok {
		s.add(operand)
		return
	}
	if s.c.builtin(call) == "append" {
		for _, arg := range call.Args {
			s.add(arg)
		}
		return
	}
	fn := s.c.callee(call)
	if fn == nil {
		return
	}
	if s.c.funcs[fn] == nil { // its fact covers the closures in it
		s.funcs = append(s.funcs, mention{instance{fn: fn}, call.Fun})
		return
	}
	for r := range fn.Signature().Results().Variables() {
		s.variable(r)
	}
}

func (s *sources) object(id *ast.Ident, node ast.Node) {
	switch obj := s.c.info.Uses[id].(type) {
	case *types.Func:
		s.funcs = append(s.funcs, mention{instance{obj.Origin(), s.c.typeArgs(id, obj)}, node})
	case *types.Var:
		s.variable(obj)
	}
}

func (s *sources) variable(v *types.Var) {
	v = v.Origin()
	if s.seen[v] || !s.c.carriesFunc(v) {
		return
	}
	s.seen[v] = true
	s.vars = append(s.vars, v)
	for _, e := range s.c.flows[v] {
		s.add(e)
	}
}

// typeArgs returns the types that an identifier instantiates a function with, or the type of its receiver.
func (c *checker) typeArgs(id *ast.Ident, fn *types.Func) []types.Type {
	list := c.info.Instances[id].TypeArgs
	if recv := fn.Signature().Recv(); list == nil && recv != nil {
		if named := namedOf(recv.Type()); named != nil {
			list = named.TypeArgs()
		}
	}
	if list == nil {
		return nil
	}
	var out []types.Type
	for t := range list.Types() {
		out = append(out, t)
	}
	return out
}

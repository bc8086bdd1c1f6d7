package determinism

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
)

// The language allows a compiler to calculate x*y + z in one step that rounds once, also if the product has gone
// through variables on its way to the sum. Only an explicit conversion to a floating-point type rounds it for sure.
// Compilers follow values through inlined functions, so the analyzer does too: for each function it knows which
// results are products, which parameters become summands, and which parameters are passed through.
//
// Where variables are concerned it looks at the source in the order in which it is written: a read sees the
// assignments above it, up to the first that must have happened.

// elements is the part of an array that stands for all its elements.
const elements = "[]"

// product is where the unrounded value of a sum's operand comes from.
type product struct {
	node ast.Node // a *ast.BinaryExpr, an *ast.AssignStmt, or a *ast.CallExpr of a function of another package

	// Without a node, the value came in as part of a parameter of the function that is being looked at.
	param paramPart
}

// parts maps the parts of a value to the products they may be. The part "" is the value itself, if it is a number;
// otherwise a part is called like the field that holds it, however deep.
type parts map[string][]product

func (p parts) add(part string, products ...product) {
	for _, x := range products {
		if !slices.Contains(p[part], x) {
			p[part] = append(p[part], x)
		}
	}
}

func (p parts) merge(q parts) {
	for _, part := range slices.Sorted(maps.Keys(q)) {
		p.add(part, q[part]...)
	}
}

// named returns the parts of a value that has p in one of its fields, or among its elements.
func (p parts) named(name string) parts {
	out := parts{}
	for part, products := range p {
		if part == "" {
			part = name
		}
		out.add(part, products...)
	}
	return out
}

// selected returns the parts of a field, or of an element.
func (p parts) selected(name string, t types.Type) parts {
	if isFloat(t) {
		return parts{"": p[name]}
	}
	return p
}

// rounding summarizes a function.
type rounding struct {
	products map[resultPart][]product // results that are products
	sums     map[paramPart]bool       // parameters that are added to something
	passes   map[passedPart]bool      // parameters that are returned
}

func newRounding() *rounding {
	return &rounding{map[resultPart][]product{}, map[paramPart]bool{}, map[passedPart]bool{}}
}

func (r *rounding) size() int {
	n := len(r.sums) + len(r.passes)
	for _, p := range r.products {
		n += len(p)
	}
	return n
}

// summarizeRounding looks at all functions until nothing new turns up.
func (c *checker) summarizeRounding() {
	var flows []*valueFlow
	for _, u := range c.units {
		f := newValueFlow(c, u)
		if !f.floats && !f.callsWithFloats() {
			continue
		}
		u.flow = f
		if u.fn != nil {
			c.summaries[u.fn] = newRounding()
			flows = append(flows, f)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range flows {
			sum := c.summaries[f.u.fn]
			before := sum.size()
			f.summarize(sum)
			changed = changed || sum.size() != before
		}
	}
}

// callsWithFloats reports whether the unit receives numbers from calls, or hands them on.
func (f *valueFlow) callsWithFloats() bool {
	return slices.ContainsFunc(f.calls, func(call *ast.CallExpr) bool {
		return f.c.callee(call) != nil && len(numberParts(f.c.typeOf(call), 0)) > 0
	})
}

func (f *valueFlow) summarize(sum *rounding) {
	clear(f.memo)
	for _, s := range f.sums {
		for _, leaf := range s.leaves {
			for _, p := range f.eval(leaf)[""] {
				sum.addSum(p)
			}
		}
		if s.target != nil {
			for _, p := range f.read(s.target, s.node.Pos())[""] {
				sum.addSum(p)
			}
		}
	}
	for _, call := range f.calls {
		f.eachSummand(call, func(_ ast.Expr, _ string, p product) { sum.addSum(p) })
	}
	for _, ret := range f.returns {
		for i := range f.u.fn.Signature().Results().Len() {
			value := f.result(ret, i)
			for _, part := range slices.Sorted(maps.Keys(value)) {
				to := resultPart{i, part}
				for _, p := range value[part] {
					if p.node == nil {
						sum.passes[passedPart{p.param, to}] = true
					} else if !slices.Contains(sum.products[to], p) {
						sum.products[to] = append(sum.products[to], p)
					}
				}
			}
		}
	}
}

func (r *rounding) addSum(p product) {
	if p.node == nil {
		r.sums[p.param] = true
	}
}

// eachSummand visits the products that a call hands to a function that adds them to something.
func (f *valueFlow) eachSummand(call *ast.CallExpr, visit func(arg ast.Expr, part string, p product)) {
	fn := f.c.callee(call)
	for _, s := range f.c.sumsOf(fn) {
		if arg := argument(call, s.Param); arg != nil {
			for _, p := range f.eval(arg)[s.Part] {
				visit(arg, s.Part, p)
			}
		}
	}
}

// sumsOf returns which parameters a function adds to something, in a stable order.
func (c *checker) sumsOf(fn *types.Func) []paramPart {
	if fn == nil {
		return nil
	}
	if sum := c.summaries[fn]; sum != nil {
		return slices.SortedFunc(maps.Keys(sum.sums), paramPart.compare)
	}
	if b := c.foreign(fn); b != nil {
		return b.Sums
	}
	return nil
}

// foreign returns the fact about a function of another package that is not a standard one, or nil.
func (c *checker) foreign(fn *types.Func) *behaviour {
	if fn.Pkg() == nil || fn.Pkg() == c.pass.Pkg || standardPath(fn.Pkg().Path()) {
		return nil
	}
	return c.behaviourOf(fn)
}

// argument returns the argument for a parameter, or nil if it is not there for itself.
func argument(call *ast.CallExpr, param int) ast.Expr {
	if param < 0 {
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			return sel.X
		}
		return nil
	}
	if param < len(call.Args) {
		return call.Args[param]
	}
	return nil
}

// callParts returns the parts of one result of a call.
func (f *valueFlow) callParts(call *ast.CallExpr, result int) parts {
	if operand, ok := f.c.conversion(call); ok {
		if isFloat(f.c.typeOf(call)) {
			return nil // rounded
		}
		return f.eval(operand)
	}
	fn := f.c.callee(call)
	if fn == nil {
		return nil
	}
	out := parts{}
	var passes []passedPart
	if sum := f.c.summaries[fn]; sum != nil {
		for to, products := range sum.products {
			if to.Result == result {
				out.add(to.Part, products...)
			}
		}
		passes = slices.SortedFunc(maps.Keys(sum.passes), passedPart.compare)
	} else if b := f.c.foreign(fn); b != nil {
		for _, to := range b.Products {
			if to.Result == result {
				out.add(to.Part, product{node: call})
			}
		}
		passes = b.Passes
	}
	for _, p := range passes {
		if p.To.Result != result {
			continue
		}
		if arg := argument(call, p.From.Param); arg != nil {
			out.add(p.To.Part, f.eval(arg)[p.From.Part]...)
		}
	}
	return out
}

// eval returns what a value may be, as far as products are concerned.
func (f *valueFlow) eval(e ast.Expr) parts {
	if f.c.isConstant(e) {
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.eval(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.SUB || e.Op == token.ADD {
			return f.eval(e.X)
		}
	case *ast.BinaryExpr:
		if f.c.isProduct(e) {
			return parts{"": {{node: e}}}
		}
	case *ast.CallExpr:
		return f.callParts(e, 0)
	case *ast.CompositeLit:
		return f.compositeParts(e)
	case *ast.Ident, *ast.StarExpr:
		return f.read(e, e.Pos())
	case *ast.SelectorExpr:
		return f.component(e, e.X, e.Sel.Name)
	case *ast.IndexExpr:
		return f.component(e, e.X, elements)
	}
	return nil
}

// component returns what a field or an element may be: what was stored there, or what its container came with.
func (f *valueFlow) component(e, container ast.Expr, name string) parts {
	if _, ok := f.place(e); ok {
		return f.read(e, e.Pos())
	}
	return f.eval(container).selected(name, f.c.typeOf(e))
}

func (f *valueFlow) compositeParts(lit *ast.CompositeLit) parts {
	out := parts{}
	switch t := f.c.typeOf(lit).Underlying().(type) {
	case *types.Struct:
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				if key, ok := kv.Key.(*ast.Ident); ok {
					out.merge(f.eval(kv.Value).named(key.Name))
				}
			} else if i < t.NumFields() {
				out.merge(f.eval(elt).named(t.Field(i).Name()))
			}
		}
	case *types.Array:
		for _, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				elt = kv.Value
			}
			out.merge(f.eval(elt).named(elements))
		}
	}
	return out
}

// isProduct reports whether an expression multiplies floating-point numbers so that the result needs rounding.
func (c *checker) isProduct(e *ast.BinaryExpr) bool {
	return e.Op == token.MUL && isFloat(c.typeOf(e)) && !c.isConstant(e) && !c.isPowerOfTwo(e.X) && !c.isPowerOfTwo(e.Y)
}

// isPowerOfTwo reports whether an expression is a constant by which one multiplies without rounding. Products that
// leave the range of normal numbers are the exception, and a simulation that gets there has worse problems.
func (c *checker) isPowerOfTwo(e ast.Expr) bool {
	v := c.info.Types[e].Value
	if v == nil {
		return false
	}
	if v = constant.ToFloat(v); v.Kind() != constant.Float {
		return false
	}
	x, _ := constant.Float64Val(v)
	frac, _ := math.Frexp(math.Abs(x))
	return frac == 0.5
}

func isFloat(t types.Type) bool   { return hasBasic(t, types.IsFloat) }
func isComplex(t types.Type) bool { return hasBasic(t, types.IsComplex) }

// hasBasic reports whether a type is a basic one of a certain sort, or a type parameter that may be one.
func hasBasic(t types.Type, sort types.BasicInfo) bool {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		return constraintHas(tp.Constraint(), sort, 0)
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&sort != 0
}

// constraintHas reports whether a constraint lists a basic type of a certain sort.
func constraintHas(t types.Type, sort types.BasicInfo, depth int) bool {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok || depth > 8 {
		return hasBasic(t, sort)
	}
	for e := range iface.EmbeddedTypes() {
		if union, ok := types.Unalias(e).(*types.Union); ok {
			for term := range union.Terms() {
				if constraintHas(term.Type(), sort, depth+1) {
					return true
				}
			}
		} else if constraintHas(e, sort, depth+1) {
			return true
		}
	}
	return false
}

func (p paramPart) compare(q paramPart) int {
	return cmp.Or(cmp.Compare(p.Param, q.Param), cmp.Compare(p.Part, q.Part))
}

func (p resultPart) compare(q resultPart) int {
	return cmp.Or(cmp.Compare(p.Result, q.Result), cmp.Compare(p.Part, q.Part))
}

func (p passedPart) compare(q passedPart) int {
	return cmp.Or(p.From.compare(q.From), p.To.compare(q.To))
}

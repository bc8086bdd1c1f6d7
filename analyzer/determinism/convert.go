package determinism

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// convert is about a conversion: a floating-point number that does not fit becomes another integer on each target,
// and a pointer as a number is an address.
func (s *scanner) convert(call *ast.CallExpr, operand ast.Expr) {
	to, from := s.typeOf(call), s.typeOf(operand)
	if b, ok := to.Underlying().(*types.Basic); ok && b.Kind() == types.Uintptr {
		if p, ok := from.Underlying().(*types.Basic); ok && p.Kind() == types.UnsafePointer {
			s.hazardf(address, call, "a pointer as a number is an address, which differs between runs")
			return
		}
	}
	if !hasBasic(to, types.IsInteger) || !isFloat(from) || s.isConstant(operand) || types.Identical(to, from) {
		return
	}
	if s.fits(operand, to, 32) && s.fits(operand, to, 64) {
		return
	}
	h := s.hazardf(floatInt, call, "%s from %s: a number that does not fit becomes another one on each target; bound it first",
		brief(call.Fun), types.TypeString(from, types.RelativeTo(s.pass.Pkg)))
	h.param = s.u.typeParam(from)
	h.fixes = s.boundFix(to, from, operand)
}

// fits reports whether all values of a number fit into an integer type on targets where int has so many bits.
func (s *scanner) fits(e ast.Expr, to types.Type, intBits int) bool {
	s.intBits = intBits
	limits, ok := limitsOf(to, intBits)
	have := s.spanOf(e, 0)
	return ok && math.Trunc(have.lo) >= limits.lo && math.Trunc(have.hi) <= limits.hi
}

// span is a range that a number lies in, as far as the source says; without bounds it is infinite. It is blind to
// NaN.
type span struct{ lo, hi float64 }

var unbounded = span{math.Inf(-1), math.Inf(1)}

// limitsOf returns the limits of an integer type on targets where int has so many bits, as far as a float64 can come
// close to them.
func limitsOf(t types.Type, intBits int) (span, bool) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return span{}, false
	}
	kind := b.Kind()
	switch {
	case kind == types.Int && intBits == 32:
		kind = types.Int32
	case kind == types.Int:
		kind = types.Int64
	case (kind == types.Uint || kind == types.Uintptr) && intBits == 32:
		kind = types.Uint32
	case kind == types.Uint || kind == types.Uintptr:
		kind = types.Uint64
	}
	switch kind {
	case types.Int8:
		return span{math.MinInt8, math.MaxInt8}, true
	case types.Int16:
		return span{math.MinInt16, math.MaxInt16}, true
	case types.Int32:
		return span{math.MinInt32, math.MaxInt32}, true
	case types.Int64:
		return span{math.MinInt64, 1<<63 - 1024}, true // the greatest float64 below 2^63
	case types.Uint8:
		return span{0, math.MaxUint8}, true
	case types.Uint16:
		return span{0, math.MaxUint16}, true
	case types.Uint32:
		return span{0, math.MaxUint32}, true
	case types.Uint64:
		return span{0, 1<<64 - 2048}, true
	}
	return span{}, false
}

// spanOf returns the bounds of a number that can be seen in the source.
func (s *scanner) spanOf(e ast.Expr, depth int) span {
	if v := s.info.Types[e].Value; v != nil {
		if f := constant.ToFloat(v); f.Kind() == constant.Float {
			x, _ := constant.Float64Val(f)
			return span{x, x}
		}
		return unbounded
	}
	if depth > 8 {
		return unbounded
	}
	have := unbounded
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.spanOf(e.X, depth+1)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			x := s.spanOf(e.X, depth+1)
			have = span{-x.hi, -x.lo}
		}
	case *ast.BinaryExpr:
		have = s.spanOfBinary(e, depth)
	case *ast.CallExpr:
		have = s.spanOfCall(e, depth)
	case *ast.Ident:
		have = s.spanOfVar(e, depth)
	}
	if b, ok := s.typeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		if limits, ok := limitsOf(b, s.intBits); ok {
			have = have.within(limits)
		}
	}
	return have.within(s.guards(e))
}

func (a span) within(b span) span { return span{max(a.lo, b.lo), min(a.hi, b.hi)} }

func (a span) bounded() bool { return !math.IsInf(a.lo, 0) && !math.IsInf(a.hi, 0) }

func (s *scanner) spanOfBinary(e *ast.BinaryExpr, depth int) span {
	x, y := s.spanOf(e.X, depth+1), s.spanOf(e.Y, depth+1)
	hull := func(v ...float64) span {
		out := span{v[0], v[0]}
		for _, f := range v {
			if math.IsNaN(f) {
				return unbounded
			}
			out = span{min(out.lo, f), max(out.hi, f)}
		}
		return out
	}
	switch e.Op {
	case token.ADD:
		return hull(x.lo+y.lo, x.hi+y.hi)
	case token.SUB:
		return hull(x.lo-y.hi, x.hi-y.lo)
	case token.MUL:
		return hull(x.lo*y.lo, x.lo*y.hi, x.hi*y.lo, x.hi*y.hi)
	case token.QUO:
		if y.lo > 0 || y.hi < 0 {
			return hull(x.lo/y.lo, x.lo/y.hi, x.hi/y.lo, x.hi/y.hi)
		}
	case token.REM:
		if m := max(math.Abs(y.lo), math.Abs(y.hi)); x.lo >= 0 {
			return span{0, m}
		} else {
			return span{-m, m}
		}
	case token.AND:
		if y.lo >= 0 {
			return span{0, y.hi}
		}
	}
	return unbounded
}

func (s *scanner) spanOfCall(call *ast.CallExpr, depth int) span {
	if operand, ok := s.conversion(call); ok {
		x := s.spanOf(operand, depth+1)
		if isFloat(s.typeOf(operand)) && !isFloat(s.typeOf(call)) {
			return unbounded // at most its type bounds it
		}
		return x
	}
	arg := func(i int) span { return s.spanOf(call.Args[i], depth+1) }
	fn := s.callee(call)
	name := s.builtin(call)
	if fn != nil && strings.Contains(strings.ToLower(fn.Name()), "clamp") && len(call.Args) == 3 {
		lo, hi := arg(1), arg(2)
		return span{min(lo.lo, hi.lo), max(lo.hi, hi.hi)}
	}
	if fn != nil && fn.Pkg() != nil {
		switch path := fn.Pkg().Path(); {
		case path == "math":
			name = fn.Name()
		case (path == "math/rand" || path == "math/rand/v2") && fn.Name() == "Float64":
			return span{0, 1 - 1.0/(1<<53)}
		case (path == "math/rand" || path == "math/rand/v2") && fn.Name() == "Float32":
			return span{0, 1 - 1.0/(1<<24)}
		}
	}
	switch name {
	case "min", "Min":
		out := arg(0)
		for i := range call.Args {
			x := arg(i)
			out = span{min(out.lo, x.lo), min(out.hi, x.hi)}
		}
		return out
	case "max", "Max":
		out := arg(0)
		for i := range call.Args {
			x := arg(i)
			out = span{max(out.lo, x.lo), max(out.hi, x.hi)}
		}
		return out
	case "Floor", "Ceil", "Trunc", "Round", "RoundToEven":
		x := arg(0)
		return span{math.Floor(x.lo), math.Ceil(x.hi)}
	case "Abs":
		x := arg(0)
		if x.lo >= 0 {
			return x
		}
		return span{0, max(-x.lo, x.hi)}
	case "Sqrt":
		x := arg(0)
		return span{0, math.Sqrt(max(x.hi, 0))}
	case "Mod", "Remainder":
		m := arg(1)
		limit := max(math.Abs(m.lo), math.Abs(m.hi))
		return span{-limit, limit}
	case "Copysign":
		x := arg(0)
		limit := max(math.Abs(x.lo), math.Abs(x.hi))
		return span{-limit, limit}
	case "len", "cap":
		return span{0, math.MaxInt64}
	}
	return unbounded
}

// spanOfVar returns the bounds of a local variable that gets all its values in plain sight.
func (s *scanner) spanOfVar(id *ast.Ident, depth int) span {
	v, ok := s.info.Uses[id].(*types.Var)
	if !ok || s.u.flow == nil {
		return unbounded
	}
	defs := s.u.flow.defs[v]
	if len(defs) == 0 || v.Parent() == s.pass.Pkg.Scope() {
		return unbounded
	}
	out := span{math.Inf(1), math.Inf(-1)}
	for _, d := range defs {
		if d.value == nil || d.result > 0 || len(d.path) > 0 {
			return unbounded
		}
		x := s.spanOf(d.value, depth+1)
		out = span{min(out.lo, x.lo), max(out.hi, x.hi)}
	}
	return out
}

// boundFix returns the fix that makes a conversion saturate. There is none for integers whose limits depend on the
// target, and none where min or max mean something else.
func (s *scanner) boundFix(to, from types.Type, operand ast.Expr) []analysis.SuggestedFix {
	b, ok := to.Underlying().(*types.Basic)
	if !ok || b.Kind() == types.Int || b.Kind() == types.Uint || b.Kind() == types.Uintptr || !isBasicFloat(from) {
		return nil
	}
	for _, name := range []string{"min", "max"} {
		scope := s.pass.Pkg.Scope().Innermost(operand.Pos())
		if scope == nil {
			return nil
		}
		if _, obj := scope.LookupParent(name, operand.Pos()); obj != types.Universe.Lookup(name) {
			return nil
		}
	}
	limits, _ := limitsOf(to, 64)
	hi := limits.hi
	if f, ok := from.Underlying().(*types.Basic); ok && f.Kind() == types.Float32 && float64(float32(hi)) > hi {
		hi = float64(math.Nextafter32(float32(hi), 0))
	}
	text := func(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }
	return insertAround("Bound the number", operand.Pos(), operand.End(),
		"min(max(", fmt.Sprintf(", %s), %s)", text(limits.lo), text(hi)))
}

func isBasicFloat(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

package determinism

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// formatting maps the functions of package fmt whose text may become state to the index of their first operand. With
// a format it comes before.
var formatting = map[string]struct {
	first  int
	format bool
}{
	"Sprint": {0, false}, "Sprintln": {0, false}, "Sprintf": {1, true},
	"Append": {1, false}, "Appendln": {1, false}, "Appendf": {2, true},
	"Fprint": {1, false}, "Fprintln": {1, false}, "Fprintf": {2, true},
}

// prints is about a call that turns its arguments into text: addresses must not be among them.
func (s *scanner) prints(call *ast.CallExpr, fn *types.Func) {
	f, ok := formatting[fn.Name()]
	if !ok || fn.Pkg().Path() != "fmt" || len(call.Args) < f.first || call.Ellipsis.IsValid() {
		return
	}
	if f.format && s.toStream(fn, call) {
		return
	}
	operands := call.Args[f.first:]
	verbs := []byte(nil)
	if f.format {
		if v := s.info.Types[call.Args[f.first-1]].Value; v != nil && v.Kind() == constant.String {
			verbs = verbsOf(constant.StringVal(v))
		} else {
			return
		}
	}
	for i, arg := range operands {
		verb := byte('v')
		if f.format {
			if i >= len(verbs) {
				return
			}
			verb = verbs[i]
		}
		switch verb {
		case 'p':
			s.hazardf(address, arg, "%%p prints an address, which differs between runs")
		case 'v', 'd', 'x', 'X', 's', 'o', 'b':
			if t := s.typeOf(arg); printsAddress(t, 0) {
				s.hazardf(address, arg, "%s prints an address, which differs between runs", types.TypeString(t, types.RelativeTo(s.pass.Pkg)))
			}
		}
	}
}

// toStream reports whether a call prints for people: to the standard streams.
func (s *scanner) toStream(fn *types.Func, call *ast.CallExpr) bool {
	v, ok := s.use(call.Args[0]).(*types.Var)
	return strings.HasPrefix(fn.Name(), "F") && ok && v.Pkg() != nil && v.Pkg().Path() == "os"
}

// verbsOf returns the verb for each operand of a format. A star takes an operand too. Explicit indexes end the list:
// what comes behind them is not looked at.
func verbsOf(format string) []byte {
	var verbs []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format); i++ {
			c := format[i]
			if c == '[' {
				return verbs
			}
			if c == '*' {
				verbs = append(verbs, '*')
				continue
			}
			if strings.IndexByte("+-# 0123456789.", c) < 0 {
				if c != '%' {
					verbs = append(verbs, c)
				}
				break
			}
		}
	}
	return verbs
}

// printsAddress reports whether package fmt prints the address of a variable when it prints a value.
func printsAddress(t types.Type, depth int) bool {
	if depth > 6 || formatsItself(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Chan, *types.Signature:
		return true
	case *types.Pointer:
		if depth > 0 {
			return true
		}
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map:
			return printsAddress(u.Elem(), 1)
		}
		return true
	case *types.Struct:
		for f := range u.Fields() {
			if printsAddress(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Map:
		return printsAddress(u.Key(), depth+1) || printsAddress(u.Elem(), depth+1)
	case interface{ Elem() types.Type }: // array or slice
		return printsAddress(u.Elem(), depth+1)
	}
	return false
}

// formatsItself reports whether a type has a method that package fmt uses instead of looking inside.
func formatsItself(t types.Type) bool {
	set := types.NewMethodSet(t)
	for _, name := range []string{"Error", "String", "Format"} {
		if set.Lookup(nil, name) != nil {
			return true
		}
	}
	return false
}

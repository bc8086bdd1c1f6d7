package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// maxInlined is how many calls deep the judgement of a loop looks.
const maxInlined = 3

// call records what a call does.
func (l *loop) call(call *ast.CallExpr) {
	if operand, ok := l.conversion(call); ok {
		l.eval(operand)
		return
	}
	if name := l.builtin(call); name != "" {
		l.callBuiltin(call, name)
		return
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if s := l.info.Selections[sel]; s != nil {
			l.evalArgument(sel.X)
		}
	}
	for _, arg := range call.Args {
		l.evalArgument(arg)
	}
	fn := l.callee(call)
	switch {
	case fn == nil:
		l.callValue(call)
	case fn.Pkg() == nil: // error.Error
	case standardPath(fn.Pkg().Path()):
		l.callStandard(call, fn)
	case isInterfaceMethod(fn):
		for _, m := range l.implementations(fn) {
			if l.funcs[m] == nil || !l.isPure(m) {
				l.refuse("it calls %s", brief(call.Fun))
			}
			l.readBy = append(l.readBy, m)
		}
		if len(l.implementations(fn)) == 0 {
			l.refuse("it calls %s", brief(call.Fun))
		}
	case l.funcs[fn] != nil:
		l.callOwn(call, fn)
	default:
		if b := l.behaviourOf(fn); b == nil || !b.Pure {
			l.refuse("it calls %s", brief(call.Fun))
		}
	}
}

// evalArgument evaluates an argument. A whole variable that is only passed on is read by whoever gets it.
func (l *loop) evalArgument(e ast.Expr) {
	if _, ok := ast.Unparen(e).(*ast.Ident); ok && isReference(l.typeOf(e)) {
		return
	}
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.AND {
		l.operands(u.X)
		return
	}
	l.eval(e)
}

func (l *loop) callBuiltin(call *ast.CallExpr, name string) {
	switch name {
	case "delete":
		l.operands(call.Args[0])
		l.eval(call.Args[1])
		s := l.spotOf(call.Args[0])
		if l.m != nil && types.ExprString(call.Args[0]) == types.ExprString(l.m) {
			if !l.isKey(call.Args[1]) {
				l.refuse("it deletes entries that are yet to come")
			}
			s.role = element
		}
		l.note(s, "delete", call.Pos())
	case "copy", "clear":
		l.operands(call.Args[0])
		if name == "copy" {
			l.eval(call.Args[1])
		}
		l.note(l.spotOf(call.Args[0]), "set", call.Pos())
	case "append":
		// An append whose result is kept elsewhere may still write behind the end of its first argument.
		for _, arg := range call.Args {
			l.eval(arg)
		}
	default:
		for _, arg := range call.Args {
			if !l.info.Types[arg].IsType() {
				l.eval(arg)
			}
		}
	}
}

// callValue is about a call of a function value: a closure that can be seen is judged like a block.
func (l *loop) callValue(call *ast.CallExpr) {
	s := l.sourcesOf(call.Fun)
	if len(s.lits) == 0 || len(s.funcs) > 0 {
		l.refuse("it calls %s", brief(call.Fun))
		return
	}
	for _, lit := range s.lits {
		if l.called >= maxInlined {
			l.refuse("it calls %s", brief(call.Fun))
			return
		}
		l.inline(lit, func() { l.block(lit.Body) })
	}
}

func (l *loop) callOwn(call *ast.CallExpr, fn *types.Func) {
	if l.isPure(fn) {
		l.readBy = append(l.readBy, fn)
		return
	}
	decl, ok := l.funcs[fn].node.(*ast.FuncDecl)
	if !ok || l.pure || l.called >= maxInlined || l.active[fn] {
		l.refuse("it calls %s", brief(call.Fun))
		return
	}
	l.active[fn] = true
	saved := map[types.Object]spot{}
	bind := func(param *types.Var, arg ast.Expr) {
		if param == nil || arg == nil {
			return
		}
		if old, ok := l.bound[param]; ok {
			saved[param] = old
		}
		delete(l.bound, param)
		l.bind(param, arg)
	}
	sig := fn.Signature()
	bind(sig.Recv(), argument(call, -1))
	for i := range sig.Params().Len() {
		if sig.Variadic() && i == sig.Params().Len()-1 {
			break
		}
		bind(sig.Params().At(i), argument(call, i))
	}
	l.inline(decl, func() { l.block(decl.Body) })
	for param, s := range saved {
		l.bound[param] = s
	}
	delete(l.active, fn)
}

// quiet lists the standard functions that change nothing but what they are given to change, or whose effect is no
// state: text for people.
var quiet = map[string][]string{
	"math": nil, "math/bits": nil, "math/cmplx": nil, "cmp": nil, "strings": nil, "unicode": nil, "unicode/utf8": nil,
	"unicode/utf16": nil, "strconv": nil, "errors": nil, "log": nil, "log/slog": nil, "path": nil, "html": nil,
	"encoding/hex": nil, "net/netip": nil, "net/url": nil, "time": nil, "hash/fnv": nil, "hash/crc32": nil, "bytes": nil,
	"crypto/sha256": nil, "crypto/sha1": nil, "crypto/sha512": nil, "crypto/md5": nil,
	"fmt":             {"Sprint", "Sprintf", "Sprintln", "Errorf", "Print", "Printf", "Println"},
	"maps":            {"Clone", "Equal", "EqualFunc", "Keys", "Values", "All"},
	"slices":          {"Contains", "ContainsFunc", "Index", "IndexFunc", "Equal", "EqualFunc", "Compare", "CompareFunc", "Max", "Min", "MaxFunc", "MinFunc", "BinarySearch", "BinarySearchFunc", "Clone", "IsSorted", "IsSortedFunc", "Concat", "Repeat", "Sorted", "SortedFunc", "Collect", "Values", "All"},
	"encoding/binary": {"Uint16", "Uint32", "Uint64", "Uvarint", "Varint", "Size"},
	"sort":            {"Search", "SearchInts", "SearchStrings", "SearchFloat64s", "Find"},
}

func (l *loop) callStandard(call *ast.CallExpr, fn *types.Func) {
	names, known := quiet[fn.Pkg().Path()]
	if known && (slices.Contains(names, fn.Name()) || names == nil && fn.Signature().Recv() == nil) {
		return
	}
	// Whatever it does, it does to what it is given.
	args := call.Args
	if recv := argument(call, -1); recv != nil && fn.Signature().Recv() != nil {
		args = append([]ast.Expr{recv}, args...)
	}
	for _, arg := range args {
		t := l.typeOf(arg)
		_, pointerMethod := types.Unalias(t).(*types.Named)
		if !isReference(t) && !pointerMethod {
			continue
		}
		if s := l.spotOf(arg); s.role == outer {
			if s.root == nil && s.path == "" || !hasReferences(t, 0) && !receives(fn, arg, call) {
				continue
			}
			l.refuse("it calls %s", brief(call.Fun))
			return
		}
	}
}

// receives reports whether an argument is the receiver of a method that may change it.
func receives(fn *types.Func, arg ast.Expr, call *ast.CallExpr) bool {
	recv := fn.Signature().Recv()
	if recv == nil || argument(call, -1) != arg {
		return false
	}
	_, pointer := types.Unalias(recv.Type()).(*types.Pointer)
	return pointer
}

// hasReferences reports whether a value leads to variables elsewhere.
func hasReferences(t types.Type, depth int) bool {
	if depth > 4 || isReference(t) {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if hasReferences(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Array:
		return hasReferences(t.Elem(), depth+1)
	}
	return false
}

// isPure reports whether a function of this package changes nothing but its own variables.
func (c *checker) isPure(fn *types.Func) bool {
	if pure, ok := c.purity[fn]; ok {
		return pure
	}
	c.purity[fn] = false // while it depends on itself
	u := c.funcs[fn]
	if u == nil {
		return false
	}
	decl := u.node.(*ast.FuncDecl)
	l := c.newLoop(u, decl)
	l.pure = true
	sig := fn.Signature()
	params := slices.Collect(sig.Params().Variables())
	if sig.Recv() != nil {
		params = append(params, sig.Recv())
	}
	for _, p := range params {
		if isReference(p.Type()) {
			l.bound[p] = spot{root: p}
		}
	}
	l.block(decl.Body)
	pure := l.why == "" && !slices.ContainsFunc(l.changes, func(c change) bool { return c.role == outer })
	c.purity[fn] = pure
	return pure
}

// readSet holds the fields and package variables that a function looks at.
type readSet map[*types.Var]bool

// readsOf returns what a function of this package looks at, with the functions that it mentions.
func (c *checker) readsOf(fn *types.Func) readSet {
	if set, ok := c.readSets[fn]; ok {
		return set
	}
	set := readSet{}
	c.readSets[fn] = set
	u := c.funcs[fn]
	if u == nil {
		return set
	}
	ast.Inspect(u.node, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		switch obj := c.info.Uses[id].(type) {
		case *types.Var:
			if v := obj.Origin(); v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				set[v] = true
			}
		case *types.Func:
			for v := range c.readsOf(obj.Origin()) {
				set[v] = true
			}
		}
		return true
	})
	return set
}

// identityName reports whether a field of this name usually tells elements apart.
func identityName(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "id", "key", "uid", "guid", "uuid", "seq", "sequence", "index", "idx", "serial", "slot", "handle":
		return true
	}
	for _, end := range []string{"ID", "Id", "Key", "Seq", "Index", "Handle", "Serial"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

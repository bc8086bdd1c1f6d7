package determinism

import (
	"go/ast"
	"go/types"
	"strings"
)

// memberName returns the name of a function within its package: "Name", or "Type.Name" for a method.
func memberName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	if named := namedOf(recv.Type()); named != nil {
		return named.Obj().Name() + "." + fn.Name()
	}
	return fn.Name() // of an interface without a name
}

// functionName returns the name that messages of the same package use: "Name", "Type.Name" or "(*Type).Name".
func functionName(fn *types.Func) string {
	if recv := fn.Signature().Recv(); recv != nil {
		if _, ok := types.Unalias(recv.Type()).(*types.Pointer); ok {
			name, method, _ := strings.Cut(memberName(fn), ".")
			return "(*" + name + ")." + method
		}
	}
	return memberName(fn)
}

// qualifiedName returns the name by which other packages know an object: "pkg.Name" or "pkg.Type.Name".
func qualifiedName(obj types.Object) string {
	name := obj.Name()
	if fn, ok := obj.(*types.Func); ok {
		name = memberName(fn)
	}
	if obj.Pkg() == nil {
		return name
	}
	return obj.Pkg().Name() + "." + name
}

// pathName is the unambiguous form of qualifiedName, with the import path.
func pathName(fn *types.Func) string { return fn.Pkg().Path() + "." + memberName(fn) }

// namedOf returns the named type of a value or a pointer, as it was declared or instantiated, or nil.
func namedOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// isNamed reports whether t is a type, or an instance of it, or a pointer to it.
func isNamed(t types.Type, pkg, name string) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == pkg
}

// isInterfaceMethod reports whether fn is a method that an interface asks for.
func isInterfaceMethod(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// brief returns the source of an expression, shortened to fit into a message.
func brief(e ast.Expr) string {
	s := strings.ReplaceAll(types.ExprString(e), "\n", " ")
	if r := []rune(s); len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}

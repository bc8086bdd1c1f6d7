package handlers

import (
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// refers reports whether a value of type t can give access to memory that others can change. Strings cannot. Of a
// type parameter nothing is known, so nothing is claimed.
func refers(t types.Type) bool {
	switch u := types.Unalias(t).(type) {
	case *types.TypeParam:
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if refers(v.Type()) {
				return true
			}
		}
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return u.Len() > 0 && refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// place is memory: what a value points to, narrowed down by fields and elements.
type place struct {
	root ssa.Value
	path string // such as ".2[].0"
}

// overlaps reports whether one path is part of what the other one stands for.
func overlaps(a, b string) bool { return within(a, b) || within(b, a) }

// within reports whether path is outer or a part of it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// placeOf returns the memory that an address or a slice refers to.
func placeOf(v ssa.Value) place {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		p := placeOf(v.X)
		p.path += "." + strconv.Itoa(v.Field)
		return p
	case *ssa.IndexAddr:
		p := placeOf(v.X)
		p.path += "[]"
		return p
	case *ssa.Slice:
		if _, ok := v.X.Type().Underlying().(*types.Pointer); ok {
			return placeOf(v.X) // of an array
		}
	case *ssa.ChangeType:
		return placeOf(v.X)
	}
	return place{root: v}
}

// owner says to whom memory belongs, seen from inside a function.
type owner struct {
	// At most one of these is set.
	global *ssa.Global
	param  *ssa.Parameter
	free   *ssa.FreeVar
	local  bool

	// deep says that the memory is not what the global, parameter or captured variable points to, but something
	// that is reached from there.
	deep bool
}

func (o owner) known() bool { return o.local || o.global != nil || o.param != nil || o.free != nil }

// same reports whether two owners are one, at whatever depth.
func (o owner) same(other owner) bool {
	o.deep, other.deep = false, false
	return o == other
}

// ownerOf returns the owner of the memory that v refers to, or a zero owner if that is not evident.
func (c *checker) ownerOf(v ssa.Value) owner { return c.owner(v, map[ssa.Value]bool{}) }

func (c *checker) owner(v ssa.Value, seen map[ssa.Value]bool) owner {
	if seen[v] {
		return owner{}
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Global:
		return owner{global: v}
	case *ssa.Parameter:
		return owner{param: v}
	case *ssa.FreeVar:
		return owner{free: v}
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan, *ssa.MakeClosure:
		return owner{local: true}
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return owner{}
		}
		// Memory that is reached from some memory counts as a part of it.
		p := placeOf(v.X)
		if a, ok := p.root.(*ssa.Alloc); ok {
			return c.contentOwner(a, p.path, seen)
		}
		o := c.owner(p.root, seen)
		o.deep = true
		return o
	case *ssa.FieldAddr:
		return c.owner(v.X, seen)
	case *ssa.IndexAddr:
		return c.owner(v.X, seen)
	case *ssa.Field:
		return c.owner(v.X, seen)
	case *ssa.Index:
		return c.owner(v.X, seen)
	case *ssa.Lookup:
		return c.owner(v.X, seen)
	case *ssa.Slice:
		return c.owner(v.X, seen)
	case *ssa.ChangeType:
		return c.owner(v.X, seen)
	case *ssa.TypeAssert:
		return c.owner(v.X, seen)
	case *ssa.MakeInterface:
		return c.owner(v.X, seen)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Lookup, *ssa.TypeAssert:
			return c.owner(t, seen)
		case *ssa.Call:
			return c.resultOwner(t, v.Index, seen)
		}
	case *ssa.Call:
		return c.resultOwner(v, 0, seen)
	case *ssa.Phi:
		var all owner
		for _, e := range v.Edges {
			if k, ok := e.(*ssa.Const); ok && k.IsNil() || seen[e] {
				continue
			}
			o := c.owner(e, seen)
			if !o.known() || all.known() && !o.same(all) {
				return owner{}
			}
			o.deep = o.deep || all.deep
			all = o
		}
		return all
	}
	return owner{}
}

// contentOwner returns the owner of what a local variable refers to, if only one thing is ever stored there.
func (c *checker) contentOwner(a *ssa.Alloc, path string, seen map[ssa.Value]bool) owner {
	var stored ssa.Value
	for _, b := range a.Parent().Blocks {
		for _, instr := range b.Instrs {
			s, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			if p := placeOf(s.Addr); p.root == ssa.Value(a) && overlaps(p.path, path) {
				if stored != nil {
					return owner{}
				}
				stored = s.Val
			}
		}
	}
	if stored == nil {
		return owner{}
	}
	return c.owner(stored, seen)
}

// resultOwner returns the owner of a result, if it always belongs to the same argument or package variable.
func (c *checker) resultOwner(call *ssa.Call, index int, seen map[ssa.Value]bool) owner {
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" {
			return c.owner(call.Call.Args[0], seen)
		}
		return owner{}
	}
	callee := c.callee(&call.Call)
	if callee == nil || seen[callee] {
		return owner{}
	}
	seen[callee] = true
	defer delete(seen, callee)
	var all owner
	for _, b := range callee.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || index >= len(ret.Results) {
			continue
		}
		result := ret.Results[index]
		if k, ok := result.(*ssa.Const); ok && k.IsNil() {
			continue
		}
		o := c.owner(result, seen)
		if !o.known() || all.known() && !o.same(all) {
			return owner{}
		}
		o.deep = o.deep || all.deep
		all = o
	}
	switch {
	case all.param != nil:
		for i, p := range callee.Params {
			if p == all.param {
				return c.argumentOwner(call.Call.Args[i], all.deep, seen)
			}
		}
	case all.free != nil:
		return owner{}
	}
	return all
}

// argumentOwner returns the owner of what v refers to or, if deep, of what is reached from there.
func (c *checker) argumentOwner(v ssa.Value, deep bool, seen map[ssa.Value]bool) owner {
	if p := placeOf(v); deep {
		if a, ok := p.root.(*ssa.Alloc); ok {
			return c.contentOwner(a, p.path, seen)
		}
	}
	o := c.owner(v, seen)
	o.deep = o.deep || deep
	return o
}

// callee returns the function of this package that a call calls, if that is evident.
func (c *checker) callee(call *ssa.CallCommon) *ssa.Function {
	f := call.StaticCallee()
	if f == nil {
		return nil
	}
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	if f.Blocks == nil || f.Pkg != c.ssa && (f.Parent() == nil || f.Parent().Pkg != c.ssa) {
		return nil
	}
	return f
}

// describe returns memory as it is called in the source, or "".
func describe(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Global:
		return v.Name()
	case *ssa.Parameter:
		return v.Name()
	case *ssa.FreeVar:
		return v.Name()
	case *ssa.Alloc:
		if v.Comment != "" && !strings.Contains(v.Comment, " ") && v.Comment != "complit" && v.Comment != "varargs" && v.Comment != "new" {
			return v.Comment
		}
	case *ssa.FieldAddr:
		s, ok := elem(v.X.Type()).Underlying().(*types.Struct)
		if x := describe(v.X); ok && x != "" {
			return x + "." + s.Field(v.Field).Name()
		}
	case *ssa.IndexAddr:
		if x := describe(v.X); x != "" {
			return x + "[...]"
		}
	case *ssa.UnOp:
		if v.Op == token.MUL {
			return describe(v.X)
		}
	}
	return ""
}

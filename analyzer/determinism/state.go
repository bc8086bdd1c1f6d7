package determinism

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
)

// checkState looks at the fields of each simulation for integers whose width depends on the target. A field belongs
// to the state if the simulation holds it, however deep, and both AppendBinary and UnmarshalBinary use it.
func (c *checker) checkState() {
	for _, t := range c.namedTypes() {
		methods := c.simulationMethods(t)
		if methods == nil {
			continue
		}
		held := map[*types.Var]string{}
		heldFields(t, held, map[*types.Named]bool{})
		var written, read fieldUse
		for _, m := range methods {
			switch m.Name() {
			case "AppendBinary":
				written = c.usesOf(m)
			case "UnmarshalBinary":
				read = c.usesOf(m)
			}
		}
		fields := make([]*types.Var, 0, len(held))
		for f := range held {
			fields = append(fields, f)
		}
		slices.SortFunc(fields, func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) })
		for _, f := range fields {
			name, wide := varying(f.Type(), 0)
			if wide && written.has(f, held[f]) && read.has(f, held[f]) {
				c.findWidth(t, f, held[f], name)
			}
		}
	}
}

// fieldUse is what code does with fields.
type fieldUse struct {
	fields map[*types.Var]bool
	remote map[string]bool // by path, for code in other packages
	all    map[*types.Named]bool
}

func (u fieldUse) has(f *types.Var, owner string) bool {
	return u.fields[f] || u.remote[owner+"."+f.Name()] || u.all != nil && u.holds(f)
}

// holds reports whether a field is in a value that was handed to a function that sees all fields.
func (u fieldUse) holds(f *types.Var) bool {
	for t := range u.all {
		held := map[*types.Var]string{}
		heldFields(t, held, map[*types.Named]bool{})
		if _, ok := held[f]; ok && f.Exported() {
			return true
		}
	}
	return false
}

// usesOf returns the fields that a method uses, with everything that it reaches.
func (c *checker) usesOf(m *types.Func) fieldUse {
	use := fieldUse{map[*types.Var]bool{}, map[string]bool{}, map[*types.Named]bool{}}
	addRemote := func(fn *types.Func) {
		if b := c.foreign(fn); b != nil {
			for _, name := range b.Fields {
				use.remote[name] = true
			}
		}
	}
	u := c.funcs[m]
	if u == nil {
		addRemote(m)
		return use
	}
	w := walker{c: c, item: func(_ code, it *item, _ uint64) {
		if it.field != nil {
			use.fields[it.field] = true
		}
		if it.remote != nil {
			addRemote(it.remote)
		}
		if named := namedOf(it.whole); named != nil {
			use.all[named] = true
		}
	}}
	w.walk(whole(u), allFloats)
	return use
}

// heldFields collects the fields of a type and of everything that its values hold or point to, with the path of the
// type that declares each. Types of the standard library keep their fields to themselves.
func heldFields(t types.Type, held map[*types.Var]string, seen map[*types.Named]bool) {
	owner := ""
	if named, ok := types.Unalias(t).(*types.Named); ok {
		pkg := named.Obj().Pkg()
		if seen[named] || pkg == nil || standardPath(pkg.Path()) {
			return
		}
		seen[named] = true
		owner = pkg.Path() + "." + named.Obj().Name()
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			held[f.Origin()] = owner
			heldFields(f.Type(), held, seen)
		}
	case *types.Map:
		heldFields(u.Key(), held, seen)
		heldFields(u.Elem(), held, seen)
	case *types.Chan:
	case interface{ Elem() types.Type }: // pointer, array or slice
		heldFields(u.Elem(), held, seen)
	}
}

// varying reports whether the values of a type are integers whose width depends on the target, or hold some in
// containers, and returns the name of that integer type.
func varying(t types.Type, depth int) (string, bool) {
	if depth > 4 {
		return "", false
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if pkg := named.Obj().Pkg(); pkg == nil || standardPath(pkg.Path()) {
			return "", false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Int, types.Uint, types.Uintptr:
			return u.Name(), true
		}
	case *types.Map:
		if name, ok := varying(u.Key(), depth+1); ok {
			return name, true
		}
		return varying(u.Elem(), depth+1)
	case *types.Chan:
	case interface{ Elem() types.Type }: // pointer, array or slice
		return varying(u.Elem(), depth+1)
	}
	return "", false
}

// findWidth reports a field where it is declared, or at the simulation if that is in another package.
func (c *checker) findWidth(t *types.Named, f *types.Var, owner, name string) {
	fixed := name + "32 or " + name + "64"
	if name == "uintptr" {
		fixed = "uint64"
	}
	h := &hazard{kind: width, pos: f.Pos(), param: -1}
	h.end = h.pos + 1
	h.message = fmt.Sprintf("%s has another width on 32-bit targets, and %s is part of the state of %s; make it %s", name, f.Name(), t.Obj().Name(), fixed)
	file := c.fileAt(f.Pos())
	if f.Pkg() != c.pass.Pkg || file == nil || file.generated {
		h.pos = t.Obj().Pos()
		h.message = fmt.Sprintf("%s has another width on 32-bit targets, and %s.%s is part of the state of %s; make it %s", name, owner, f.Name(), t.Obj().Name(), fixed)
	}
	h.end = h.pos + 1
	if !c.excuse(h.pos) {
		c.find(h, root{})
	}
}

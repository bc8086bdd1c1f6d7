package determinism

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
)

// code is a piece of a unit that runs as a whole: the unit itself, or a closure in it.
type code struct {
	u        *unit
	from, to token.Pos
}

// link leads from an item to code that it may run.
type link struct {
	to    code
	targs []types.Type // of the function, if it is generic
}

// allFloats says that each type parameter may be a floating-point type.
const allFloats = ^uint64(0)

func whole(u *unit) code { return code{u, u.node.Pos(), u.node.End()} }

// closure returns the code of a function literal.
func (c *checker) closure(lit *ast.FuncLit) (code, bool) {
	u := c.unitAt(lit.Pos())
	return code{u, lit.Pos(), lit.End()}, u != nil
}

// items returns what happens in a piece of code.
func (k code) items() []item {
	items := k.u.items
	lo := sort.Search(len(items), func(i int) bool { return items[i].pos >= k.from })
	hi := sort.Search(len(items), func(i int) bool { return items[i].pos >= k.to })
	return items[lo:hi]
}

// linkAll resolves where the items lead to.
func (c *checker) linkAll() {
	for _, u := range c.units {
		var extra []item
		for i := range u.items {
			it := &u.items[i]
			switch {
			case it.call.fn != nil:
				if to := c.funcs[it.call.fn]; to != nil {
					it.links = append(it.links, link{whole(to), it.call.targs})
				}
			case it.variable != nil:
				if init := c.vars[it.variable]; init != nil && init != u {
					it.links = append(it.links, link{to: whole(init)})
				}
				if c.carriesFunc(it.variable) {
					s := c.sourcesOf()
					s.variable(it.variable)
					c.linkSources(it, s)
				}
			case it.method != nil:
				for _, m := range c.implementations(it.method) {
					extra = append(extra, c.linkFunc(u, it, instance{fn: m})...)
				}
			}
		}
		if extra != nil {
			u.items = append(u.items, extra...)
			slices.SortStableFunc(u.items, func(a, b item) int { return int(a.pos - b.pos) })
		}
	}
}

// linkSources links an item to the functions that a variable may hold. What is wrong with a function of another
// package is known where it is named.
func (c *checker) linkSources(it *item, s *sources) {
	for _, lit := range s.lits {
		if to, ok := c.closure(lit); ok {
			it.links = append(it.links, link{to: to})
		}
	}
	for _, f := range s.funcs {
		if to := c.funcs[f.fn]; to != nil {
			it.links = append(it.links, link{whole(to), f.targs})
		} else if u := c.unitAt(f.node.Pos()); u != nil {
			it.links = append(it.links, link{to: code{u, f.node.Pos(), f.node.End()}})
		}
	}
}

// linkFunc links an item to a function. A function of another package becomes hazards instead.
func (c *checker) linkFunc(u *unit, it *item, f instance) (extra []item) {
	if to := c.funcs[f.fn]; to != nil {
		it.links = append(it.links, link{whole(to), f.targs})
		return nil
	}
	for _, h := range c.foreignHazards(u, f) {
		h.pos, h.end = it.pos, it.pos
		if !c.excuse(h.pos) {
			extra = append(extra, item{pos: h.pos, hazard: h})
		}
	}
	return extra
}

// foreignHazards returns what a function of any other package does.
func (c *checker) foreignHazards(u *unit, f instance) []*hazard {
	if f.fn.Pkg() == nil || f.fn.Pkg() == c.pass.Pkg {
		return nil
	}
	if standardPath(f.fn.Pkg().Path()) {
		if v, ok := standardFunc(f.fn); ok {
			return []*hazard{{kind: v.kind, param: -1, message: fmt.Sprintf("%s %s", qualifiedName(f.fn), v.why)}}
		}
		return nil
	}
	return c.remoteHazards(u, f.fn, f.targs)
}

// implementations returns the methods that a call of an interface's method may run: those of the types that the
// package uses as interfaces and that implement this one.
func (c *checker) implementations(method *types.Func) []*types.Func {
	if known, ok := c.dispatch[method]; ok {
		return known
	}
	c.dispatch[method] = nil
	iface, ok := method.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*types.Func
	for _, t := range c.conformed {
		if !types.Implements(t, iface) && !types.Implements(types.NewPointer(t), iface) {
			continue
		}
		if m := methodOf(t, method); m != nil && !isInterfaceMethod(m.Origin()) {
			out = append(out, m.Origin())
		}
	}
	c.dispatch[method] = out
	return out
}

// interfaceMethod finds a method by the name that a fact gives it, or nil if the package does not know the interface.
func (c *checker) interfaceMethod(name string) *types.Func {
	slash := strings.LastIndexByte(name, '/') + 1
	parts := strings.Split(name[slash:], ".")
	if len(parts) < 3 {
		return nil
	}
	// The last element of an import path may have dots in it.
	last := len(parts) - 2
	pkg := c.imported[name[:slash]+strings.Join(parts[:last], ".")]
	if pkg == nil {
		return nil
	}
	obj := pkg.Scope().Lookup(parts[last])
	if obj == nil {
		return nil
	}
	iface, ok := obj.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for m := range iface.Methods() {
		if m.Name() == parts[last+1] {
			return m
		}
	}
	return nil
}

// walker visits all code in reach.
type walker struct {
	c       *checker
	visited map[visited]bool
	item    func(k code, it *item, floats uint64)

	// border, if not nil, is asked before a link is followed.
	border func(from code, it *item, l link, floats uint64) bool
}

// visited is code under an assumption about which type parameters may be floating-point types.
type visited struct {
	node   token.Pos
	floats uint64
}

func (w *walker) walk(k code, floats uint64) {
	if w.visited == nil {
		w.visited = map[visited]bool{}
	}
	if w.visited[visited{k.from, floats}] {
		return
	}
	w.visited[visited{k.from, floats}] = true
	items := k.items()
	for i := range items {
		it := &items[i]
		w.item(k, it, floats)
		for _, l := range it.links {
			next := w.c.floatsOf(k.u, l, floats)
			if w.border == nil || w.border(k, it, l, next) {
				w.walk(l.to, next)
			}
		}
	}
}

// floatsOf returns which type parameters of the target of a link may be floating-point types, given those of u.
func (c *checker) floatsOf(u *unit, l link, floats uint64) uint64 {
	if len(l.targs) == 0 {
		if l.to.u == u {
			return floats // a closure, or the function itself
		}
		return allFloats
	}
	next := allFloats
	for i, t := range l.targs {
		floating, param := c.mayFloat(u, t)
		if param >= 0 {
			floating = floats>>param&1 == 1
		}
		if !floating && i < 64 {
			next &^= 1 << i
		}
	}
	return next
}

// exists reports whether a hazard exists under an assumption about type parameters.
func (h *hazard) exists(floats uint64) bool {
	return h.param < 0 || h.param >= 64 || floats>>h.param&1 == 1
}

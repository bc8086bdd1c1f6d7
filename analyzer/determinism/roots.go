package determinism

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// root is where simulation code begins.
type root struct {
	as   string // what it is, for messages
	code code

	// A function of another package has no code here; it is reported where it becomes a root.
	remote *types.Func
	at     ast.Node
}

// roots returns where simulation code begins, in the order of the source.
func (c *checker) roots() []root {
	var roots []root
	for _, t := range c.namedTypes() {
		if methods := c.simulationMethods(t); methods != nil {
			for _, m := range methods {
				roots = append(roots, c.rootAt(m, functionName(m), t.Obj()))
			}
		}
	}
	for _, h := range c.handed {
		roots = append(roots, c.handedRoots(h)...)
	}
	if execute := c.interfaceMethod(netcodePath + ".Action.Execute"); execute != nil {
		for _, m := range c.implementations(execute) {
			if c.funcs[m] != nil { // others belong to their own packages
				roots = append(roots, c.rootAt(m, functionName(m), m))
			}
		}
	}
	marked := c.markedMethods()
	for _, f := range c.files {
		for _, m := range f.marks.Deterministic {
			roots = append(roots, c.markRoots(f, m.Node)...)
		}
	}
	for _, t := range c.namedTypes() {
		for _, want := range marked {
			if m := c.implementing(t, want); m != nil {
				roots = append(roots, c.rootAt(m, functionName(m), t.Obj()))
			}
		}
	}
	return slices.DeleteFunc(roots, func(r root) bool { return r.code.u == nil && r.remote == nil })
}

// namedTypes returns the types that the package declares at its top level, in the order of the source.
func (c *checker) namedTypes() []*types.Named {
	var out []*types.Named
	scope := c.pass.Pkg.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if named, ok := tn.Type().(*types.Named); ok {
				out = append(out, named)
			}
		}
	}
	slices.SortFunc(out, func(a, b *types.Named) int { return int(a.Obj().Pos() - b.Obj().Pos()) })
	return out
}

// rootAt makes a root of a function, which is reported at an object if it belongs to another package.
func (c *checker) rootAt(fn *types.Func, as string, at types.Object) root {
	if u := c.funcs[fn]; u != nil {
		return root{as: as, code: whole(u)}
	}
	if fn.Pkg() == c.pass.Pkg || isInterfaceMethod(fn) {
		return root{}
	}
	return root{as: as, remote: fn, at: &ast.Ident{NamePos: at.Pos(), Name: at.Name()}}
}

// simulationMethods returns the methods by which a type implements netcode.Simulation, or nil if it does not. Types
// with type parameters count.
func (c *checker) simulationMethods(t *types.Named) []*types.Func {
	pkg := c.imported[netcodePath]
	if pkg == nil || types.IsInterface(t) {
		return nil
	}
	sim, ok := pkg.Scope().Lookup("Simulation").(*types.TypeName)
	if !ok {
		return nil
	}
	iface, ok := sim.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*types.Func
	for want := range iface.Methods() {
		m := methodOf(t, want)
		if m == nil || !types.Identical(m.Signature(), want.Signature()) {
			return nil
		}
		out = append(out, m.Origin())
	}
	slices.SortFunc(out, func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) })
	return out
}

// handedRoots returns the functions that a handler or validator may be. Parameters and fields through which they
// came are remembered, for other packages.
func (c *checker) handedRoots(h handed) []root {
	s := c.sourcesOf(h.expr)
	for _, v := range s.vars {
		if v.Pkg() == c.pass.Pkg && (v.IsField() || isParameter(v)) {
			c.pass.ExportObjectFact(v, &simulated{As: h.as})
		}
	}
	var out []root
	for _, lit := range s.lits {
		if k, ok := c.closure(lit); ok {
			out = append(out, root{as: h.as, code: k})
		}
	}
	for _, f := range s.funcs {
		if to := c.funcs[f.fn]; to != nil {
			out = append(out, root{as: functionName(f.fn), code: whole(to)})
		} else if u := c.unitAt(f.node.Pos()); u != nil {
			out = append(out, root{as: h.as, code: code{u, f.node.Pos(), f.node.End()}})
		}
	}
	return out
}

// isParameter reports whether a variable is a parameter. Other local variables are declared after the function's
// parameters, but only parameters are worth a fact.
func isParameter(v *types.Var) bool { return v.Kind() == types.ParamVar }

// markRoots returns the roots that a directive makes.
func (c *checker) markRoots(f *file, node ast.Node) []root {
	var out []root
	switch node := node.(type) {
	case *ast.FuncDecl:
		if fn, ok := c.info.Defs[node.Name].(*types.Func); ok {
			out = append(out, c.rootAt(fn, functionName(fn), fn))
		}
	case *ast.TypeSpec:
		tn, ok := c.info.Defs[node.Name].(*types.TypeName)
		if !ok {
			return nil
		}
		if named, ok := tn.Type().(*types.Named); ok && !types.IsInterface(named) {
			for m := range named.Methods() {
				out = append(out, c.rootAt(m, functionName(m), m))
			}
		}
	case *ast.File:
		for _, u := range c.units {
			if !c.isTest(u.file) || u.file == f {
				out = append(out, root{as: u.name, code: whole(u)})
			}
		}
	}
	return out
}

func (c *checker) isTest(f *file) bool {
	return strings.HasSuffix(c.pass.Fset.PositionFor(f.syntax.FileStart, false).Filename, "_test.go")
}

// markedMethods returns the interface methods, of this package and of those in reach, that are marked as simulation
// code, and tells importing packages of its own.
func (c *checker) markedMethods() []*types.Func {
	var out []*types.Func
	mark := func(m *types.Func) {
		out = append(out, m)
		c.pass.ExportObjectFact(m, &simulated{As: functionName(m)})
	}
	for _, f := range c.files {
		for _, d := range f.marks.Deterministic {
			switch node := d.Node.(type) {
			case *ast.Field:
				for _, name := range node.Names {
					if m, ok := c.info.Defs[name].(*types.Func); ok {
						mark(m)
					}
				}
			case *ast.TypeSpec:
				if t := c.typeOf(node.Name); types.IsInterface(t) {
					for m := range t.Underlying().(*types.Interface).ExplicitMethods() {
						if m.Pkg() == c.pass.Pkg {
							mark(m)
						}
					}
				}
			}
		}
	}
	return append(out, c.importedMarks()...)
}

// importedMarks returns the marked interface methods of other packages, in a stable order.
func (c *checker) importedMarks() []*types.Func {
	var out []*types.Func
	for _, f := range c.pass.AllObjectFacts() {
		if _, ok := f.Fact.(*simulated); !ok {
			continue
		}
		if m, ok := f.Object.(*types.Func); ok && m.Pkg() != c.pass.Pkg {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b *types.Func) int { return strings.Compare(pathName(a), pathName(b)) })
	return out
}

// implementing returns the method of t that implements an interface's method, or nil.
func (c *checker) implementing(t *types.Named, want *types.Func) *types.Func {
	iface, ok := want.Signature().Recv().Type().Underlying().(*types.Interface)
	if !ok || types.IsInterface(t) || !types.Implements(t, iface) && !types.Implements(types.NewPointer(t), iface) {
		return nil
	}
	m := methodOf(t, want)
	if m == nil {
		return nil
	}
	return m.Origin()
}

// finding is a hazard in simulation code.
type finding struct {
	*hazard
	root string    // where the code is reached from
	from token.Pos // the root's code
	to   token.Pos
}

// checkRoots finds the hazards in simulation code. A hazard that several roots reach is found once, for the first.
func (c *checker) checkRoots() {
	var current root
	w := walker{c: c}
	w.item = func(_ code, it *item, floats uint64) {
		if it.hazard != nil && it.hazard.exists(floats) {
			c.find(it.hazard, current)
		}
	}
	w.border = func(from code, it *item, l link, floats uint64) bool {
		if from.u.file.generated || !l.to.u.file.generated {
			return true
		}
		c.findGenerated(it, l, floats, current)
		return false
	}
	for _, current = range c.roots() {
		if current.remote == nil {
			w.walk(current.code, allFloats)
			continue
		}
		for _, h := range c.foreignHazards(c.unitAt(current.at.Pos()), instance{fn: current.remote}) {
			h.pos, h.end = current.at.Pos(), current.at.End()
			if !c.excuse(h.pos) {
				c.find(h, current)
			}
		}
	}
}

func (c *checker) find(h *hazard, r root) {
	if c.reported[h] {
		return
	}
	if f := c.fileAt(h.pos); f != nil && (f.generated || c.isTest(f) && !inTests) {
		return // nobody can mend it there, or nobody wants to
	}
	c.reported[h] = true
	c.found = append(c.found, &finding{hazard: h, root: r.as, from: r.code.from, to: r.code.to})
}

// findGenerated reports what is wrong with generated code at the place where written code calls it.
func (c *checker) findGenerated(it *item, l link, floats uint64, r root) {
	worst, known := c.behind[visited{l.to.from, floats}]
	if !known {
		w := walker{c: c, item: func(_ code, it *item, floats uint64) {
			if worst == nil && it.hazard != nil && it.hazard.exists(floats) {
				worst = it.hazard
			}
		}}
		w.walk(l.to, floats)
		c.behind[visited{l.to.from, floats}] = worst
	}
	if worst == nil || c.excuse(it.pos) {
		return
	}
	c.find(&hazard{
		kind: worst.kind, pos: it.pos, end: it.pos, param: -1,
		message: "generated " + l.to.u.name + " reaches this: " + worst.message + " (" + c.where(worst.pos) + ")",
	}, r)
}

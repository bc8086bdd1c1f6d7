package handlers

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// parameter is a *ssa.Parameter or a *ssa.FreeVar.
type parameter = ssa.Value

// summary says what a function does with the memory behind one of its parameters.
type summary struct {
	flow    *flow
	kept    []kept
	results map[int]bool // results that refer to it
}

// kept is a place where the memory is stored for later.
type kept struct {
	pos   token.Pos
	where string // for messages, such as "in g.queue"
	owner owner  // of the place; zero for a channel or a goroutine
	in    *flow  // of the function that pos is in
}

// flow follows the memory behind one parameter through a function. It is sensitive to fields, but not to the order
// of execution.
type flow struct {
	c       *checker
	fn      *ssa.Function
	source  parameter
	held    map[ssa.Value]bool     // values that refer to the memory
	results map[*ssa.Call][]int    // of calls with several results, those that refer to it
	local   map[ssa.Value][]string // paths in local variables under which a reference to it is stored
	changed bool
	out     *summary
}

// summarize returns what a function does with a parameter of its own.
func (c *checker) summarize(fn *ssa.Function, p parameter) *summary {
	if s := c.summaries[p]; s != nil {
		return s // perhaps unfinished, in a recursion
	}
	s := &summary{results: map[int]bool{}}
	c.summaries[p] = s
	if !refers(p.Type()) {
		return s
	}
	f := &flow{
		c: c, fn: fn, source: p, held: map[ssa.Value]bool{p: true},
		results: map[*ssa.Call][]int{}, local: map[ssa.Value][]string{}, out: s,
	}
	s.flow = f
	for f.changed = true; f.changed; {
		f.changed = false
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				f.visit(instr)
			}
		}
	}
	s.kept = slices.DeleteFunc(s.kept, func(k kept) bool { return f.cleared(k) })
	return s
}

// carries reports whether v refers to the memory, or to a local variable that does.
func (f *flow) carries(v ssa.Value) bool {
	if f.held[v] {
		return true
	}
	if !refers(v.Type()) {
		return false
	}
	p := placeOf(v)
	return p.root != v && f.held[p.root] || f.stores(p)
}

// stores reports whether a reference to the memory is stored somewhere in a place.
func (f *flow) stores(p place) bool {
	return slices.ContainsFunc(f.local[p.root], func(path string) bool { return overlaps(path, p.path) })
}

func (f *flow) hold(v ssa.Value) {
	if !f.held[v] && refers(v.Type()) {
		f.held[v] = true
		f.changed = true
	}
}

func (f *flow) holdIf(v ssa.Value, operands ...ssa.Value) {
	if slices.ContainsFunc(operands, f.carries) {
		f.hold(v)
	}
}

func (f *flow) visit(instr ssa.Instruction) {
	switch i := instr.(type) {
	case *ssa.UnOp:
		if p := placeOf(i.X); i.Op == token.MUL && (f.held[i.X] || f.held[p.root] || f.stores(p)) {
			f.hold(i)
		}
	case *ssa.FieldAddr:
		if f.held[i.X] {
			f.hold(i)
		}
	case *ssa.IndexAddr:
		if f.held[i.X] {
			f.hold(i)
		}
	case *ssa.Field:
		f.holdIf(i, i.X)
	case *ssa.Index:
		f.holdIf(i, i.X)
	case *ssa.Lookup:
		f.holdIf(i, i.X)
	case *ssa.Slice:
		f.holdIf(i, i.X)
	case *ssa.SliceToArrayPointer:
		f.holdIf(i, i.X)
	case *ssa.ChangeType:
		f.holdIf(i, i.X)
	case *ssa.ChangeInterface:
		f.holdIf(i, i.X)
	case *ssa.MakeInterface:
		f.holdIf(i, i.X)
	case *ssa.TypeAssert:
		f.holdIf(i, i.X)
	case *ssa.Range:
		f.holdIf(i, i.X)
	case *ssa.Next:
		f.holdIf(i, i.Iter)
	case *ssa.Phi:
		f.holdIf(i, i.Edges...)
	case *ssa.Extract:
		if call, ok := i.Tuple.(*ssa.Call); ok {
			if slices.Contains(f.results[call], i.Index) {
				f.hold(i)
			}
		} else {
			f.holdIf(i, i.Tuple)
		}
	case *ssa.MakeClosure:
		for n, binding := range i.Bindings {
			if f.carries(binding) && uses(i.Fn.(*ssa.Function), n) {
				f.hold(i)
			}
		}
	case *ssa.Call:
		f.call(i, &i.Call)
	case *ssa.Defer:
		f.call(nil, &i.Call)
	case *ssa.Go:
		if slices.ContainsFunc(i.Call.Args, f.carries) || f.carries(i.Call.Value) {
			f.keep(kept{pos: i.Pos(), where: "in another goroutine"})
		}
	case *ssa.Send:
		if f.carries(i.X) {
			f.send(i.Chan, i.Pos())
		}
	case *ssa.Select:
		for _, s := range i.States {
			if s.Dir == types.SendOnly && f.carries(s.Send) {
				f.send(s.Chan, s.Pos)
			}
		}
	case *ssa.Store:
		if f.carries(i.Val) {
			f.store(placeOf(i.Addr), i.Pos(), describe(i.Addr))
		}
	case *ssa.MapUpdate:
		if f.carries(i.Value) || f.carries(i.Key) {
			f.store(place{root: i.Map}, i.Pos(), describe(i.Map))
		}
	case *ssa.Return:
		for n, r := range i.Results {
			if f.carries(r) && !f.out.results[n] {
				f.out.results[n] = true
				f.changed = true
			}
		}
	}
}

// uses reports whether a closure reads a reference out of, or passes on, its n-th captured variable.
func uses(fn *ssa.Function, n int) bool {
	free := fn.FreeVars[n]
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			v, isValue := instr.(ssa.Value)
			switch instr.(type) {
			case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.DebugRef:
				continue // an address on the way to something
			}
			for _, op := range instr.Operands(nil) {
				if placeOf(*op).root != ssa.Value(free) {
					continue
				}
				if load, ok := instr.(*ssa.UnOp); ok && load.Op == token.MUL && isValue && !refers(v.Type()) {
					continue // a copy of something harmless
				}
				return true
			}
		}
	}
	return false
}

func (f *flow) send(ch ssa.Value, pos token.Pos) {
	if !f.c.ownerOf(ch).local {
		f.keep(kept{pos: pos, where: "in a channel"})
	}
}

// store notes that a reference to the memory is stored in a place.
func (f *flow) store(p place, pos token.Pos, name string) {
	if f.held[p.root] {
		return // in the memory itself, or in what holds it already
	}
	if _, ok := p.root.(*ssa.Alloc); ok {
		if !slices.Contains(f.local[p.root], p.path) {
			f.local[p.root] = append(f.local[p.root], p.path)
			f.changed = true
		}
		return
	}
	o := f.c.ownerOf(p.root)
	switch {
	case o.local:
		f.hold(p.root)
	case o.param != nil && ssa.Value(o.param) == f.source, o.free != nil && ssa.Value(o.free) == f.source:
		// It belongs to the memory.
	case o.known():
		where := "for later"
		if name != "" {
			where = "in " + name
		} else if o.global != nil {
			where = "in a package variable"
		}
		f.keep(kept{pos: pos, where: where, owner: o})
	}
}

func (f *flow) keep(k kept) {
	if k.in == nil {
		k.in = f
	}
	same := func(have kept) bool { return have.pos == k.pos && have.owner == k.owner }
	if !slices.ContainsFunc(f.out.kept, same) {
		f.out.kept = append(f.out.kept, k)
		f.changed = true
	}
}

// cleared reports whether a place is emptied again before the function returns, as decoders do with a reader that
// they keep.
func (f *flow) cleared(k kept) bool {
	name, ok := strings.CutPrefix(k.where, "in ")
	return ok && k.owner.known() && clears(f.fn, name, k.pos)
}

// clears reports whether a function, or a closure in it, empties a place behind a position.
func clears(fn *ssa.Function, name string, behind token.Pos) bool {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			s, ok := instr.(*ssa.Store)
			if !ok {
				continue
			}
			if zero, ok := s.Val.(*ssa.Const); !ok || zero.Value != nil {
				continue
			}
			if to := describe(s.Addr); to != "" && within(name, to) && s.Pos() > behind {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(inner *ssa.Function) bool { return clears(inner, name, token.NoPos) })
}

func (f *flow) call(result *ssa.Call, call *ssa.CallCommon) {
	if b, ok := call.Value.(*ssa.Builtin); ok {
		f.builtin(b.Name(), result, call)
		return
	}
	callee := f.c.callee(call)
	if callee == nil {
		if result != nil && aliases(call.StaticCallee()) && slices.ContainsFunc(call.Args, f.carries) {
			f.hold(result)
			if n := call.Signature().Results().Len(); n > 1 {
				for i := range n {
					f.holdResult(result, i)
				}
			}
		}
		return
	}
	for i, arg := range call.Args {
		if i < len(callee.Params) && f.carries(arg) {
			f.apply(callee, callee.Params[i], result, call)
		}
	}
	if closure, ok := call.Value.(*ssa.MakeClosure); ok {
		for i, binding := range closure.Bindings {
			if i < len(callee.FreeVars) && f.carries(binding) {
				f.apply(callee, callee.FreeVars[i], result, call)
			}
		}
	}
}

// apply takes in what a callee does with its parameter p, which refers to the memory.
func (f *flow) apply(callee *ssa.Function, p parameter, result *ssa.Call, call *ssa.CallCommon) {
	s := f.c.summarize(callee, p)
	for _, k := range s.kept {
		through := func(k kept) kept {
			if callee.Parent() != f.fn { // else it is in sight
				k.where = fmt.Sprintf("%s by calling %s", k.where, name(callee))
				k.pos, k.in = call.Pos(), f
			}
			return k
		}
		switch {
		case k.owner.param != nil:
			if i := slices.Index(callee.Params, k.owner.param); i >= 0 {
				f.storeThrough(call.Args[i], through(k))
			}
		case k.owner.free != nil:
			closure, ok := call.Value.(*ssa.MakeClosure)
			if i := slices.Index(callee.FreeVars, k.owner.free); ok && i >= 0 {
				f.storeThrough(closure.Bindings[i], through(k))
			}
		default:
			f.keep(through(k))
		}
	}
	if result == nil {
		return
	}
	for i := range s.results {
		if call.Signature().Results().Len() == 1 {
			f.hold(result)
		} else {
			f.holdResult(result, i)
		}
	}
}

// storeThrough is store for what a callee does with an argument.
func (f *flow) storeThrough(arg ssa.Value, k kept) {
	p := placeOf(arg)
	if f.held[arg] || f.held[p.root] {
		return
	}
	if _, ok := p.root.(*ssa.Alloc); ok && !k.owner.deep {
		f.store(p, k.pos, "")
		return
	}
	o := f.c.argumentOwner(p.root, k.owner.deep, map[ssa.Value]bool{})
	switch {
	case o.local:
		f.hold(p.root)
	case o.known():
		if (o.param == nil || ssa.Value(o.param) != f.source) && (o.free == nil || ssa.Value(o.free) != f.source) {
			k.owner = o
			f.keep(k)
		}
	}
}

func (f *flow) holdResult(call *ssa.Call, i int) {
	if !slices.Contains(f.results[call], i) {
		f.results[call] = append(f.results[call], i)
		f.changed = true
	}
}

func (f *flow) builtin(name string, result *ssa.Call, call *ssa.CallCommon) {
	switch name {
	case "append":
		if result == nil {
			return
		}
		// append(b[:0:0], b...) copies.
		if s, ok := call.Args[0].(*ssa.Slice); ok && isZero(s.Max) {
			break
		}
		f.holdIf(result, call.Args[0])
	case "copy":
		if s, ok := call.Args[0].Type().Underlying().(*types.Slice); ok && refers(s.Elem()) && f.carries(call.Args[1]) {
			p := placeOf(call.Args[0])
			p.path += "[]"
			f.store(p, call.Pos(), describe(call.Args[0]))
		}
		return
	default:
		return
	}
	if len(call.Args) > 1 {
		if s, ok := call.Args[1].Type().Underlying().(*types.Slice); ok && refers(s.Elem()) {
			f.holdIf(result, call.Args[1])
		}
	}
}

func isZero(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && k.Int64() == 0
}

// name returns how a function is called in the source.
func name(f *ssa.Function) string {
	if f.Parent() != nil {
		return "a function"
	}
	return f.Name()
}

// aliases reports whether the results of a function of the standard library refer to the memory of its arguments.
func aliases(f *ssa.Function) bool {
	if f == nil || f.Object() == nil || f.Object().Pkg() == nil || f.Signature.Recv() != nil {
		return false
	}
	name := f.Object().Name()
	switch f.Object().Pkg().Path() {
	case "bytes":
		for _, prefix := range []string{"Trim", "Cut", "Split", "Fields", "NewReader", "NewBuffer"} {
			if strings.HasPrefix(name, prefix) && name != "NewBufferString" {
				return true
			}
		}
	case "slices":
		switch name {
		case "Clip", "Compact", "CompactFunc", "Delete", "DeleteFunc", "Grow", "Insert":
			return true
		}
	}
	return false
}

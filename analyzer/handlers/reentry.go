package handlers

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// busy lists the methods of package session that refuse to be called from inside a step, by their types.
var busy = map[string][]string{
	"Commands": {"Send"},
	"Host":     {"Tick", "Cancel", "Capture", "Restore", "ApplyOutcome"},
	"Server":   {"Receive", "BroadcastStep"},
	"Client":   {"Receive"},
}

// reentry reports calls back into the session from what it calls itself.
func (c *checker) reentry(roles []role) {
	for _, r := range roles {
		if r.step {
			w := walk{c: c, role: r, seen: map[*ssa.Function]bool{}}
			w.visit(r.fn)
		}
	}
}

// walk follows the calls of a role within the package.
type walk struct {
	c    *checker
	role role
	seen map[*ssa.Function]bool
}

func (w *walk) visit(fn *ssa.Function) {
	if w.seen[fn] {
		return
	}
	w.seen[fn] = true
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			common := call.Common()
			if typ, method := sessionMethod(common.StaticCallee()); slices.Contains(busy[typ], method) {
				w.report(fn, common.Pos(), typ, method)
				continue
			}
			if callee := w.c.callee(common); callee != nil {
				w.visit(callee)
			} else if callsBack(common.StaticCallee()) {
				for _, arg := range common.Args {
					for _, f := range w.c.functionsOf(arg, nil) {
						w.visit(f.Function)
					}
				}
			}
		}
	}
}

func (w *walk) report(in *ssa.Function, pos token.Pos, typ, method string) {
	if w.c.inTest(pos) {
		return
	}
	via := ""
	if in != w.role.fn && in.Parent() == nil {
		via = ", which gets here through " + name(in)
	}
	advice := "note what is to happen, and do it after the tick"
	if method == "Send" {
		advice = "note what is to be sent, and send it after the tick"
	}
	w.c.report(analysis.Diagnostic{Pos: pos, Category: Reentry},
		"%s.%s is called by %s%s, and the session is busy then: it refuses with session.ErrBusy; %s",
		typ, method, w.role.what, via, advice)
}

// sessionMethod returns the names of a method of package session and of its type.
func sessionMethod(f *ssa.Function) (typ, method string) {
	if f == nil {
		return "", ""
	}
	obj, ok := f.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg().Path() != sessionPath {
		return "", ""
	}
	recv := obj.Signature().Recv()
	if recv == nil {
		return "", ""
	}
	named, ok := types.Unalias(elem(recv.Type())).(*types.Named)
	if !ok {
		return "", ""
	}
	return named.Obj().Name(), obj.Name()
}

// callsBack reports whether a function of the standard library calls the functions that it gets before it returns.
func callsBack(f *ssa.Function) bool {
	if f == nil {
		return false
	}
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	if f.Object() == nil || f.Object().Pkg() == nil {
		return false
	}
	switch f.Object().Pkg().Path() {
	case "slices", "maps", "sort", "strings", "bytes":
		return true
	}
	return false
}

package handlers

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// role is a function of the package that a session calls.
type role struct {
	fn   *ssa.Function
	what string // for messages, such as "the executor"
	step bool   // the session is busy while it runs
	lent []lent
}

// lent is a parameter whose memory the function must not keep.
type lent struct {
	param *ssa.Parameter
	what  string // for messages, such as "the frame"
	why   string // what becomes of it
}

// roles finds the functions that a session calls, in the order of the source.
func (c *checker) roles() []role {
	var roles []role
	shared := c.sharedTypes()
	for _, f := range c.functions {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.Store:
					if field, ok := instr.Addr.(*ssa.FieldAddr); ok {
						roles = append(roles, c.fieldRoles(field, instr.Val, shared)...)
					}
				case *ssa.ChangeType:
					if isNamed(instr.Type(), sessionPath, "Validator") {
						for _, fn := range c.functionsOf(instr.X, nil) {
							roles = append(roles, role{fn.Function, "the validator", true, fn.lend(1, "the payload", "it is part of a frame that is used again")})
						}
					}
				}
			}
		}
	}
	return append(roles, c.methodRoles()...)
}

// fieldRoles returns the roles of a function that is stored into a field.
func (c *checker) fieldRoles(field *ssa.FieldAddr, val ssa.Value, shared map[types.Type]bool) []role {
	owner := elem(field.X.Type())
	s, ok := owner.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	name := s.Field(field.Field).Name()
	var roles []role
	switch {
	case isNamed(owner, sessionPath, "Handlers"):
		payload := types.Unalias(owner).(*types.Named).TypeArgs().At(0)
		for _, fn := range c.functionsOf(val, nil) {
			r := role{fn: fn.Function, step: true}
			const sender = "it may belong to whoever sent the command"
			switch name {
			case "Validate":
				r.what, r.lent = "the validator", fn.lend(0, "what the payload points to", sender)
			case "Mutate":
				r.what = "the mutator"
				r.lent = append(fn.lend(0, "the command", "it is used again for the next one"),
					fn.lend(1, "the Preparation", "it is a copy that is forgotten")...)
			case "Execute":
				r.what = "the executor"
				if shared[payload] {
					r.lent = fn.lend(0, "what the payload points to", "the type is registered as Shared, so every replay sees the same memory")
				}
			default:
				continue
			}
			roles = append(roles, r)
		}
	case isNamed(owner, registryPath, "Codec") && name == "Decode":
		for _, fn := range c.functionsOf(val, nil) {
			roles = append(roles, role{fn.Function, "the codec", false, fn.lend(1, "the encoded payload", decoded)})
		}
	}
	return roles
}

const decoded = "it is part of a buffer that is used again"

// methodRoles returns the methods that a session calls through interfaces, and the decoders among them.
func (c *checker) methodRoles() []role {
	transport := c.iface(sessionPath, "Transport")
	simulation := c.iface(netcodePath, "Simulation")
	var roles []role
	for _, f := range c.functions {
		recv := f.Signature.Recv()
		if recv == nil || f.Object() == nil {
			continue
		}
		implements := func(i *types.Interface) bool {
			t := elem(recv.Type())
			return i != nil && (types.Implements(t, i) || types.Implements(types.NewPointer(t), i))
		}
		fn := function{Function: f, shift: 1}
		switch f.Name() {
		case "Send":
			if implements(transport) {
				roles = append(roles, role{f, "Send", false, fn.lend(1, "the frame", "it is built in a buffer that is used again")})
			}
		case "Tick", "AppendBinary":
			if implements(simulation) {
				roles = append(roles, role{fn: f, what: f.Name() + " of the simulation", step: true})
			}
		case "UnmarshalBinary":
			sig := f.Signature
			if sig.Params().Len() == 1 && types.Identical(sig.Params().At(0).Type(), types.NewSlice(types.Typ[types.Byte])) {
				r := role{fn: f, what: "UnmarshalBinary", lent: fn.lend(0, "its argument", decoded)}
				if implements(simulation) {
					r.what, r.step = "UnmarshalBinary of the simulation", true
				}
				roles = append(roles, r)
			}
		}
	}
	return roles
}

func (c *checker) iface(path, name string) *types.Interface {
	p := c.imported[path]
	if p == nil {
		return nil
	}
	obj, ok := p.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil
	}
	i, _ := obj.Type().Underlying().(*types.Interface)
	return i
}

// sharedTypes returns the payload types that the package registers as Shared.
func (c *checker) sharedTypes() map[types.Type]bool {
	shared := map[types.Type]bool{}
	for _, f := range c.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || !isNamed(c.TypesInfo.TypeOf(lit), registryPath, "Options") {
				return true
			}
			for _, elt := range lit.Elts {
				kv, ok := elt.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				key, ok := kv.Key.(*ast.Ident)
				value := c.TypesInfo.Types[kv.Value].Value
				if ok && key.Name == "Shared" && value != nil && constant.BoolVal(value) {
					options := types.Unalias(c.TypesInfo.TypeOf(lit)).(*types.Named)
					shared[options.TypeArgs().At(0)] = true
				}
			}
			return true
		})
	}
	return shared
}

// function is a function of the package that was used as a value. Its parameters begin at shift: a method that was
// bound to its receiver has that in front.
type function struct {
	*ssa.Function
	shift int
}

// lend returns parameter i, as seen by who calls the value, as lent memory. It is empty for a parameter that refers
// to no memory.
func (f function) lend(i int, what, why string) []lent {
	if f.Blocks == nil || f.shift+i >= len(f.Params) {
		return nil
	}
	p := f.Params[f.shift+i]
	if !refers(p.Type()) {
		return nil
	}
	return []lent{{p, what, why}}
}

// functionsOf returns the functions with a body that a value may be, as far as that is evident. For a parameter these
// are what the calls in the package pass.
func (c *checker) functionsOf(v ssa.Value, seen map[ssa.Value]bool) []function {
	if seen == nil {
		seen = map[ssa.Value]bool{}
	}
	if seen[v] {
		return nil
	}
	seen[v] = true
	var all []function
	switch v := v.(type) {
	case *ssa.Function:
		return declared(v)
	case *ssa.MakeClosure:
		return declared(v.Fn.(*ssa.Function))
	case *ssa.ChangeType:
		return c.functionsOf(v.X, seen)
	case *ssa.Phi:
		for _, e := range v.Edges {
			all = append(all, c.functionsOf(e, seen)...)
		}
	case *ssa.Parameter:
		i := slices.Index(v.Parent().Params, v)
		for _, call := range c.callsOf(v.Parent()) {
			all = append(all, c.functionsOf(call.Args[i], seen)...)
		}
	}
	return all
}

// callsOf returns the evident calls of a function.
func (c *checker) callsOf(callee *ssa.Function) []*ssa.CallCommon {
	if c.calls == nil {
		c.calls = map[*ssa.Function][]*ssa.CallCommon{}
		for _, f := range c.functions {
			for _, b := range f.Blocks {
				for _, instr := range b.Instrs {
					if call, ok := instr.(ssa.CallInstruction); ok {
						if f := c.callee(call.Common()); f != nil {
							c.calls[f] = append(c.calls[f], call.Common())
						}
					}
				}
			}
		}
	}
	return c.calls[callee]
}

// declared looks through the wrappers of method values and of instances.
func declared(f *ssa.Function) []function {
	shift := 0
	if f.Synthetic != "" {
		obj, ok := f.Object().(*types.Func)
		if !ok {
			return nil
		}
		if recv := obj.Signature().Recv(); recv != nil && len(f.FreeVars) == 1 && len(f.Params) == obj.Signature().Params().Len() {
			shift = 1 // bound to its receiver
		}
		f = f.Prog.FuncValue(obj.Origin())
	}
	if f == nil || f.Blocks == nil {
		return nil
	}
	return []function{{f, shift}}
}

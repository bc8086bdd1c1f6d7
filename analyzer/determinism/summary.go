package determinism

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// summary is what a piece of code reaches.
type summary struct {
	hazards []reached // at most maxHazards
	dynamic []string  // at most maxNames, as are the fields
	fields  []string
}

// reached is a hazard under the condition that a type parameter of the code's function is a floating-point type; see
// hazard.param.
type reached struct {
	*hazard
	param int
}

// before puts certain hazards before those with a condition, and then goes by position.
func (a reached) before(b reached) int {
	return cmp.Or(cmp.Compare(min(a.param, 0), min(b.param, 0)), cmp.Compare(a.pos, b.pos), cmp.Compare(a.kind, b.kind), cmp.Compare(a.param, b.param))
}

// exportFacts tells importing packages what the functions and variables of this one do.
func (c *checker) exportFacts() {
	sums := c.summarize()
	for _, u := range c.units {
		sum := sums[u.node.Pos()]
		b := c.behaviour(u, sum)
		for _, v := range u.vars {
			if v.Exported() && len(b.Hazards) > 0 {
				c.pass.ExportObjectFact(v, &behaviour{Hazards: b.Hazards})
			}
		}
		if u.fn != nil && u.fn.Exported() && !b.empty() {
			c.pass.ExportObjectFact(u.fn, b)
		}
	}
}

func (c *checker) behaviour(u *unit, sum *summary) *behaviour {
	b := &behaviour{Dynamic: sum.dynamic, Fields: sum.fields}
	for _, r := range sum.hazards {
		remote := remoteHazard{Kind: r.kind, Text: r.message, Place: c.where(r.pos), Param: r.param}
		if r.origin != nil { // what is in between would be of no help
			remote.Text, remote.Place = r.origin.Text, r.origin.Place
		}
		b.Hazards = append(b.Hazards, remote)
	}
	if u.fn == nil {
		return b
	}
	b.Pure = c.isPure(u.fn)
	if r := c.summaries[u.fn]; r != nil {
		b.Sums = slices.SortedFunc(maps.Keys(r.sums), paramPart.compare)
		b.Products = slices.SortedFunc(maps.Keys(r.products), resultPart.compare)
		b.Passes = slices.SortedFunc(maps.Keys(r.passes), passedPart.compare)
	}
	return b
}

// summarize follows all links until nothing new turns up. The summaries are keyed by where the code begins.
func (c *checker) summarize() map[token.Pos]*summary {
	owners := c.fieldOwners()
	sums := map[token.Pos]*summary{}
	var codes []code
	add := func(k code) {
		if sums[k.from] == nil {
			sums[k.from] = &summary{}
			codes = append(codes, k)
		}
	}
	for _, u := range c.units {
		add(whole(u))
	}
	for _, u := range c.units {
		for i := range u.items {
			for _, l := range u.items[i].links {
				add(l.to) // a closure
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, k := range codes {
			sum := sums[k.from]
			next := &summary{hazards: sum.hazards, dynamic: sum.dynamic, fields: sum.fields}
			items := k.items()
			for i := range items {
				c.summarizeItem(k, &items[i], next, sums, owners)
			}
			if !slices.Equal(sum.hazards, next.hazards) || !slices.Equal(sum.dynamic, next.dynamic) || !slices.Equal(sum.fields, next.fields) {
				*sum = *next
				changed = true
			}
		}
	}
	return sums
}

func (c *checker) summarizeItem(k code, it *item, sum *summary, sums map[token.Pos]*summary, owners map[*types.Var]string) {
	if it.hazard != nil && !c.reported[it.hazard] {
		sum.addHazard(reached{it.hazard, it.hazard.param})
	}
	if it.method != nil && namedOf(it.method.Signature().Recv().Type()) != nil {
		sum.dynamic = addName(sum.dynamic, pathName(it.method))
	}
	if it.field != nil {
		if owner := owners[it.field]; owner != "" {
			sum.fields = addName(sum.fields, owner+"."+it.field.Name())
		}
	}
	if it.remote != nil {
		if b := c.behaviourOf(it.remote); b != nil {
			for _, name := range b.Fields {
				sum.fields = addName(sum.fields, name)
			}
		}
	}
	for _, l := range it.links {
		target := sums[l.to.from]
		for _, r := range target.hazards {
			if r.param >= 0 && l.to.u != k.u {
				if r.param >= len(l.targs) {
					r.param = -1
				} else {
					floating, param := c.mayFloat(k.u, l.targs[r.param])
					if !floating {
						continue
					}
					r.param = param
				}
			}
			sum.addHazard(r)
		}
		for _, name := range target.dynamic {
			sum.dynamic = addName(sum.dynamic, name)
		}
		for _, name := range target.fields {
			sum.fields = addName(sum.fields, name)
		}
	}
}

// addHazard keeps the first few.
func (s *summary) addHazard(r reached) {
	i, found := slices.BinarySearchFunc(s.hazards, r, reached.before)
	if found || i == maxHazards {
		return
	}
	s.hazards = slices.Insert(slices.Clone(s.hazards), i, r)
	if len(s.hazards) > maxHazards {
		s.hazards = s.hazards[:maxHazards]
	}
}

// addName keeps the first few in the order of the alphabet.
func addName(list []string, name string) []string {
	i, found := slices.BinarySearch(list, name)
	if found || i == maxNames {
		return list
	}
	list = slices.Insert(slices.Clone(list), i, name)
	if len(list) > maxNames {
		list = list[:maxNames]
	}
	return list
}

// fieldOwners names the struct types that declare the fields of this package that have integers of varying width.
func (c *checker) fieldOwners() map[*types.Var]string {
	owners := map[*types.Var]string{}
	for _, t := range c.namedTypes() {
		s, ok := t.Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for f := range s.Fields() {
			if _, wide := varying(f.Type(), 0); wide {
				owners[f] = t.Obj().Pkg().Path() + "." + t.Obj().Name()
			}
		}
	}
	return owners
}

package determinism

import (
	"fmt"
	"strings"
)

// behaviour is the fact about a function, or about the initialisation of a package variable, that callers in other
// packages need. All lists are sorted.
type behaviour struct {
	Hazards []remoteHazard // what it reaches, if nobody has reported it; at most maxHazards
	Dynamic []string       // methods of interfaces it calls, as "import/path.Interface.Method"; at most maxNames
	Fields  []string       // integer fields without a fixed width it uses, as "import/path.Struct.Field"; at most maxNames
	Pure    bool           // it changes nothing but its own variables

	Products []resultPart // what it returns as a product that was never rounded
	Sums     []paramPart  // what it adds without rounding it first
	Passes   []passedPart // what it returns as it came
}

const (
	maxHazards = 3
	maxNames   = 24
)

// remoteHazard describes a hazard in a function to the callers of the function.
type remoteHazard struct {
	Kind  kind
	Text  string // its message
	Place string // where it is, as "file.go:12"
	Param int    // as in hazard, of the function that has the fact
}

// resultPart is a part of a result: the field Part of it, "[]" for all elements of an array, or "" for all of it.
type resultPart struct {
	Result int
	Part   string
}

// paramPart is a part of a parameter. The receiver has number -1.
type paramPart struct {
	Param int
	Part  string
}

// passedPart says that part of a parameter becomes part of a result.
type passedPart struct {
	From paramPart
	To   resultPart
}

func (*behaviour) AFact() {}

// String makes the fact readable in tests.
func (b *behaviour) String() string {
	var out []string
	for _, h := range b.Hazards {
		out = append(out, string(h.Kind))
	}
	if b.Pure {
		out = append(out, "pure")
	}
	for _, p := range b.Products {
		out = append(out, fmt.Sprintf("product(%d%s)", p.Result, dotted(p.Part)))
	}
	for _, p := range b.Sums {
		out = append(out, fmt.Sprintf("sum(%d%s)", p.Param, dotted(p.Part)))
	}
	for _, p := range b.Passes {
		out = append(out, fmt.Sprintf("pass(%d%s to %d%s)", p.From.Param, dotted(p.From.Part), p.To.Result, dotted(p.To.Part)))
	}
	for _, d := range b.Dynamic {
		out = append(out, "calls "+d)
	}
	for _, f := range b.Fields {
		out = append(out, "uses "+f)
	}
	return strings.Join(out, " ")
}

func dotted(part string) string {
	if part == "" || part == elements {
		return part
	}
	return "." + part
}

func (b *behaviour) empty() bool {
	return len(b.Hazards)+len(b.Dynamic)+len(b.Fields)+len(b.Products)+len(b.Sums)+len(b.Passes) == 0 && !b.Pure
}

// simulated is the fact about something that runs as simulation code: a parameter or a field whose function becomes
// a handler or a validator, or a method of an interface that is marked as deterministic.
type simulated struct {
	As string // what the code is, for messages
}

func (*simulated) AFact() {}

// String makes the fact readable in tests.
func (s *simulated) String() string { return "runs as " + s.As }

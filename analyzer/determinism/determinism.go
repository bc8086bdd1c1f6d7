package determinism

import (
	_ "embed"

	"golang.org/x/tools/go/analysis"

	"github.com/ariadne-netcode/ariadne/analyzer/internal/doc"
)

// The packages of Ariadne that the analyzer knows, by their import paths.
const (
	netcodePath = "github.com/ariadne-netcode/ariadne/netcode"
	sessionPath = "github.com/ariadne-netcode/ariadne/session"
)

// Analyzer reports nondeterministic code in simulations. Its diagnostics carry the kind of hazard as their category.
//
// The flag tests makes it report what is in test files too: the simulations of tests are often meant to misbehave.
var Analyzer = &analysis.Analyzer{
	Name:      "determinism",
	Doc:       doc.Of(source, "determinism"),
	URL:       "https://pkg.go.dev/github.com/ariadne-netcode/ariadne/analyzer/determinism",
	Run:       run,
	FactTypes: []analysis.Fact{new(behaviour), new(simulated)},
}

// inTests is the flag.
var inTests bool

func init() {
	Analyzer.Flags.BoolVar(&inTests, "tests", false, "report nondeterministic code in test files too")
}

//go:embed doc.go
var source string

func run(pass *analysis.Pass) (any, error) {
	if isStandard(pass) {
		return nil, nil // what matters about these packages is known; see std.go
	}
	c := newChecker(pass)
	c.traceFlows()
	c.summarizeRounding()
	for _, u := range c.units {
		c.scan(u)
	}
	c.linkAll()
	if c.concerned() {
		c.checkRoots()
		c.checkState()
		c.checkExcuses()
		c.publish()
	}
	c.exportFacts()
	return nil, nil
}

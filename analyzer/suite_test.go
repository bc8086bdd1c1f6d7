package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/suite/vet"

	"github.com/ariadne-netcode/ariadne/analyzer"
)

func ExampleSuite() {
	for _, a := range analyzer.Suite() {
		title, _, _ := strings.Cut(a.Doc, "\n")
		fmt.Printf("%s: %s\n", a.Name, title)
	}
	// Output:
	// cmdid: check the directives, ids and generated code of command types
	// determinism: report nondeterministic code in simulations
	// handlers: check the handlers of commands, and what borrows memory from a session
}

// The analyzers get along with those of go vet, whose command line they share.
func TestSuite(t *testing.T) {
	suite := analyzer.Suite()
	require.NoError(t, analysis.Validate(append(analyzer.Suite(), vet.Suite...)))
	require.True(t, slices.IsSortedFunc(suite, func(a, b *analysis.Analyzer) int { return strings.Compare(a.Name, b.Name) }))
	for _, a := range suite {
		require.Equal(t, "https://pkg.go.dev/github.com/ariadne-netcode/ariadne/analyzer/"+a.Name, a.URL)
		require.False(t, strings.HasSuffix(strings.SplitN(a.Doc, "\n", 2)[0], "."), "the title of %s ends in a full stop", a.Name)
	}

	suite[0] = nil
	require.NotNil(t, analyzer.Suite()[0], "the slice is the caller's")
}

package handlers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ariadne-netcode/ariadne/analyzer/handlers"
)

// The packages are loaded in one go, because most of the time goes into what they import.
func TestFindings(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), handlers.Analyzer,
		"./executor", "./twice", "./frame", "./payload", "./decode", "./reentry", "./quiet")
}

func TestAnalyzer(t *testing.T) {
	require.NoError(t, analysis.Validate([]*analysis.Analyzer{handlers.Analyzer}))
	for _, category := range []string{handlers.Executor, handlers.Twice, handlers.Borrowed, handlers.Reentry} {
		require.Contains(t, handlers.Analyzer.Doc, "# "+category+"\n", "the documentation explains every category")
	}
}

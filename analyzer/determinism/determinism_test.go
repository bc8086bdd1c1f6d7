package determinism_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ariadne-netcode/ariadne/analyzer/determinism"
)

const testdata = "./analyzer/determinism/testdata/src/"

// moduleRoot returns the folder of the module. The packages under testdata belong to it, so that they use the real
// packages of Ariadne.
func moduleRoot(t *testing.T) string {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	return root
}

func TestAnalyzer(t *testing.T) {
	analysistest.Run(t, moduleRoot(t), determinism.Analyzer,
		testdata+"facts/vec", testdata+"facts/kit", testdata+"facts/rules", testdata+"facts/game",
		testdata+"marked", testdata+"marks", testdata+"excused", testdata+"generated", testdata+"intests")
}

func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, moduleRoot(t), determinism.Analyzer, testdata+"fixes")
}

package determinism_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// TestVet runs the analyzer as go vet does: one process per package, and facts in files between them.
func TestVet(t *testing.T) {
	// A binary of its own is quicker than this one, which may have the race detector in it.
	tool := filepath.Join(t.TempDir(), "vettool")
	_, err := command(t, "build", "-o", tool, "./analyzer/determinism/testdata/vettool")
	require.NoError(t, err)
	out, err := command(t, "vet", "-vettool="+tool, testdata+"facts/game", testdata+"facts/vec", testdata+"intests")
	require.Error(t, err, "there are findings")

	var got []string
	for line := range strings.Lines(out) {
		if m := regexp.MustCompile(`([^/]*\.go:\d+):\d+: `).FindStringSubmatch(line); m != nil {
			got = append(got, m[1])
		}
	}
	require.Equal(t, wantedLines(t, "facts/game/game.go", "facts/vec/vec.go", "intests/intests.go"), slices.Sorted(slices.Values(got)), "%s", out)
}

// command runs the go command in the module and returns what it prints.
func command(t *testing.T, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = moduleRoot(t)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// wantedLines returns the lines of files that have comments for diagnostics, once for each diagnostic.
func wantedLines(t *testing.T, files ...string) []string {
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join("testdata/src", file))
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			_, want, _ := strings.Cut(line, "// want ")
			for range regexp.MustCompile("(^|[^:])`[^`]+`").FindAllString(want, -1) {
				out = append(out, fmt.Sprintf("%s:%d", filepath.Base(file), i+1))
			}
		}
	}
	return slices.Sorted(slices.Values(out))
}

// TestTestFiles switches the flag on, which TestAnalyzer leaves off.
func TestTestFiles(t *testing.T) {
	require.NoError(t, determinism.Analyzer.Flags.Set("tests", "true"))
	defer func() { require.NoError(t, determinism.Analyzer.Flags.Set("tests", "false")) }()
	got := analyze(t, true, testdata+"intests")
	file := filepath.Join(moduleRoot(t), testdata, "intests/intests_test.go")
	require.Len(t, got[file], 2, "a clock and a useless excuse")
	require.Equal(t, "clock", got[file][0].category)
	require.Equal(t, "useless", got[file][1].category)
}

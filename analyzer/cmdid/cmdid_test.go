package cmdid_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/ariadne-netcode/ariadne/analyzer/cmdid"
	"github.com/ariadne-netcode/ariadne/registry"
)

// withoutFacts is a test that does not mind facts that nobody has asked for.
type withoutFacts struct{ *testing.T }

func (t withoutFacts) Errorf(format string, args ...any) {
	t.Helper()
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unexpected fact") {
		t.Error(text)
	}
}

// The packages are loaded in one go, because most of the time goes into what they import.
func TestFindings(t *testing.T) {
	results := analysistest.RunWithSuggestedFixes(withoutFacts{t}, analysistest.TestData(), cmdid.Analyzer,
		"./zero", "./directives", "./own", "./impossible", "./absent", "./missing", "./gone", "./renumbered",
		"./changed", "./selected", "./quiet")
	for _, r := range results {
		for _, d := range r.Diagnostics {
			require.True(t, strings.HasPrefix(d.Message, d.Category+": "), d.Message)
			require.Contains(t, d.URL, "/analyzer/cmdid#hdr-"+d.Category)
		}
	}
}

// Ids travel from package to package.
func TestFacts(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), cmdid.Analyzer, "./collide", "./left", "./right", "./meet", "./above")
}

// Ids that follow from names are reported if that is asked for.
func TestUnpinned(t *testing.T) {
	set := func(v string) { require.NoError(t, cmdid.Analyzer.Flags.Set("unpinned", v)) }
	set("true")
	defer set("false")
	analysistest.RunWithSuggestedFixes(withoutFacts{t}, analysistest.TestData(), cmdid.Analyzer, "./unpinned")
}

// Directives count in files that are not part of the build, too. Expectations would not be found there.
func TestIgnoredFiles(t *testing.T) {
	collect := new(errorList)
	results := analysistest.Run(collect, analysistest.TestData(), cmdid.Analyzer, "./ignored")
	require.Len(t, results, 1)
	var got []string
	for _, d := range results[0].Diagnostics {
		pos := results[0].Pass.Fset.Position(d.Pos)
		line := fmt.Sprintf("%s:%d %s", filepath.Base(pos.Filename), pos.Line, d.Category)
		for _, fix := range d.SuggestedFixes {
			line += ": " + fix.Message
		}
		got = append(got, line)
	}
	require.Equal(t, []string{
		"misspelt.go:5 DNET0005: write //netcode:command",
		"named.go:5 DNET0005: write //netcode:command",
		"zero.go:5 DNET0002: pin id=" + registry.HashName("example.com/game/ignored.Other").String(),
	}, got)
	require.Len(t, *collect, 3, "each was unexpected")
}

type errorList []string

func (l *errorList) Errorf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

func TestAnalyzer(t *testing.T) {
	require.NoError(t, analysis.Validate([]*analysis.Analyzer{cmdid.Analyzer}))
	for _, code := range []string{
		cmdid.Unpinned, cmdid.ZeroID, cmdid.Collision, cmdid.Impossible, cmdid.Malformed, cmdid.Stale,
	} {
		require.Contains(t, cmdid.Analyzer.Doc, "# "+code+"\n", "the documentation explains every code")
	}
}

package determinism_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ariadne-netcode/ariadne/analyzer/determinism"
)

var update = flag.Bool("update", false, "write the table of the README")

// The corpus: one snippet per file, in one package per sort. The name of a file begins with the kind of hazard that
// the snippet has, or only seems to have.
var corpus = []struct {
	dir   string
	wrong bool // the snippets are nondeterministic
	found bool // the analyzer says so
}{
	{"positive", true, true},
	{"missed", true, false},
	{"negative", false, false},
	{"alarms", false, true},
}

// quiet are packages of this module that have to be free of findings, but are no snippets. The last one imports much of
// the standard library, which must not be analysed with it: that would take minutes and find a lot.
var quiet = []string{
	"./netcode", "./registry", "./protocol", "./journal", "./rollback", "./session", "./examples/maze/game",
	testdata + "heavy",
}

// score counts the snippets of one kind.
type score struct {
	kind                        string
	wrong, found, right, alarms int
}

func TestCorpus(t *testing.T) {
	patterns := slices.Clone(quiet)
	for _, c := range corpus {
		patterns = append(patterns, testdata+c.dir)
	}
	diagnostics := analyze(t, false, patterns...)

	var scores []score
	wrong, right := 0, 0
	for _, c := range corpus {
		dir := filepath.Join(moduleRoot(t), "analyzer/determinism/testdata/src", c.dir)
		files, err := filepath.Glob(filepath.Join(dir, "*_*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			found := requireWanted(t, file, diagnostics[file])
			delete(diagnostics, file)
			require.Equal(t, c.found, found, "%s is in the wrong package", file)

			kind, _, _ := strings.Cut(filepath.Base(file), "_")
			s := scoreOf(&scores, kind)
			if c.wrong {
				wrong++
				s.wrong++
				if found {
					s.found++
				}
			} else {
				right++
				s.right++
				if found {
					s.alarms++
				}
			}
		}
	}
	require.Empty(t, diagnostics, "packages that are deterministic")
	require.GreaterOrEqual(t, wrong, 60)
	require.GreaterOrEqual(t, right, 60)
	requireTable(t, scores)
}

func scoreOf(scores *[]score, kind string) *score {
	i := slices.IndexFunc(*scores, func(s score) bool { return s.kind == kind })
	if i < 0 {
		i = len(*scores)
		*scores = append(*scores, score{kind: kind})
	}
	return &(*scores)[i]
}

// analyze runs the analyzer over packages of the module, perhaps with their tests, and returns what it reports, by
// file. What it reports about a package and its test variant counts once.
func analyze(t *testing.T, tests bool, patterns ...string) map[string][]diagnostic {
	pkgs, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax | packages.NeedModule,
		Dir:   moduleRoot(t),
		Tests: tests,
	}, patterns...)
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(pkgs))
	graph, err := checker.Analyze([]*analysis.Analyzer{determinism.Analyzer}, pkgs, &checker.Options{SanityCheck: true})
	require.NoError(t, err)
	out := map[string][]diagnostic{}
	for _, act := range graph.Roots {
		require.NoError(t, act.Err)
		for _, d := range act.Diagnostics {
			pos := act.Package.Fset.Position(d.Pos)
			found := diagnostic{pos.Line, pos.Column, d.Category, d.Message}
			if !slices.Contains(out[pos.Filename], found) {
				out[pos.Filename] = append(out[pos.Filename], found)
			}
		}
	}
	return out
}

type diagnostic struct {
	line, column      int
	category, message string
}

var wantComment = regexp.MustCompile("// want ((?:`[^`]*` ?)+)")

// requireWanted compares the diagnostics in a file with its comments, and reports whether there are any.
func requireWanted(t *testing.T, file string, got []diagnostic) bool {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	kind, _, _ := strings.Cut(filepath.Base(file), "_")
	wants := map[int][]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if m := wantComment.FindStringSubmatch(line); m != nil {
			wants[i+1] = strings.Split(strings.Trim(strings.TrimSpace(m[1]), "`"), "` `")
		}
	}
	for _, d := range got {
		require.Equal(t, kind, d.category, "%s:%d: %s", file, d.line, d.message)
		i := slices.IndexFunc(wants[d.line], func(want string) bool { return regexp.MustCompile(want).MatchString(d.message) })
		require.GreaterOrEqual(t, i, 0, "%s:%d: unexpected: %s", file, d.line, d.message)
		wants[d.line] = slices.Delete(wants[d.line], i, i+1)
	}
	for line, rest := range wants {
		require.Empty(t, rest, "%s:%d: missing", file, line)
	}
	return len(got) > 0
}

const (
	tableBegin = "<!-- The table is kept by TestCorpus: go test ./analyzer/determinism -update -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

// requireTable compares the table in the README with the scores.
func requireTable(t *testing.T, scores []score) {
	order := determinism.Kinds()
	slices.SortFunc(scores, func(a, b score) int {
		return slices.Index(order, a.kind) - slices.Index(order, b.kind)
	})
	var b strings.Builder
	b.WriteString("\n| hazard | wrong snippets | found | right snippets | false alarms | precision | recall |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|\n")
	all := score{kind: "**all**"}
	for _, s := range scores {
		if s.kind == "whole" { // many kinds of code, and nothing wrong in it
			s.kind = "(all kinds)"
		}
		all.wrong += s.wrong
		all.found += s.found
		all.right += s.right
		all.alarms += s.alarms
		b.WriteString(s.row())
	}
	b.WriteString(all.row() + "\n")

	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(readme), tableBegin)
	require.True(t, ok, "the README has lost its table")
	have, after, ok := strings.Cut(rest, tableEnd)
	require.True(t, ok, "the README has lost the end of its table")
	if *update {
		require.NoError(t, os.WriteFile("README.md", []byte(before+tableBegin+b.String()+tableEnd+after), 0o666))
		return
	}
	require.Equal(t, b.String(), have, "the table of the README is stale; run the test with -update")
}

func (s score) row() string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %s | %s |\n", s.kind, s.wrong, s.found, s.right, s.alarms,
		ratio(s.found, s.found+s.alarms), ratio(s.found, s.wrong))
}

func ratio(n, of int) string {
	if of == 0 {
		return "–"
	}
	return strconv.FormatFloat(float64(n)/float64(of), 'f', 2, 64)
}

package hazards

import (
	"encoding/json"
	"go/importer"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/ariadne-netcode/ariadne/analyzer/determinism"
)

// asAnalyzer makes this test binary the analyzer's driver, so that the fixes are applied by the one that users have.
const asAnalyzer = "HAZARDS_RUN_AS_ANALYZER"

func TestMain(m *testing.M) {
	if os.Getenv(asAnalyzer) != "" {
		singlechecker.Main(determinism.Analyzer)
		return
	}
	os.Exit(m.Run())
}

// proofs says where each number has to differ from the one of amd64 v1. The name begins with the kind of hazard. The
// program's own main.go has the same list.
var proofs = []struct {
	name string
	on   string // the targets, or "runs" if each run of one program may differ from the others
}{
	{"fused_sum", "v3 arm64 s390x"},
	{"fused_difference", "arm64"},
	{"fused_float32", "v3 arm64 s390x"},
	{"fused_compound", "v3 arm64 s390x"},
	{"fused_variable", "v3 arm64 s390x"},
	{"fused_scaled", "v3 arm64 s390x"},
	{"fused_field", "v3 arm64 s390x"},
	{"fused_element", "v3 arm64 s390x"},
	{"fused_result", "v3 arm64 s390x"},
	{"fused_argument", "v3 arm64 s390x"},
	{"fused_struct", "v3 arm64 s390x"},
	{"fused_closure", "v3 arm64 s390x"},
	{"fused_generic", "v3 arm64 s390x"},
	{"fused_interface", "arm64 s390x"},
	{"floatint_int32", "arm64 arm s390x wasm"},
	{"floatint_uint8", "arm64 arm s390x wasm"},
	{"floatint_uint64", "arm64 arm s390x wasm"},
	{"maporder_float", "runs"},
	{"maporder_append", "runs"},
	{"maporder_argmax", "runs"},
	{"sort_slice", "othersort"},
	{"sort_func", "othersort"},
	{"sort_interface", "othersort"},
	{"fused_complex", "arm64 s390x"},
	{"fused_complex_quotient", "v3 arm64 s390x"},
	{"math_cmplx", "arm64 s390x"},
	{"random_normal", "v3 arm64 s390x"},
	{"random_exponential", "arm64 s390x"},
	{"random_zipf", "arm64 arm s390x wasm"},
	{"random_width", "arm"},
	{"random_global", "runs"},
	{"width_int", "arm"},
	{"address_text", "runs"},
	{"environment_order", "s390x"},
	{"hash_maphash", "runs"},
	{"maporder_syncmap", "runs"},
	{"concurrency_select", "runs"},
}

// repetitions is how often the program runs on one target to catch what differs between runs.
const repetitions = 10

func TestHazards(t *testing.T) {
	wrong := copyProgram(t)
	kinds := analyze(t, wrong)
	for _, p := range proofs {
		kind, _, _ := strings.Cut(p.name, "_")
		require.Contains(t, kinds, kind, "the analyzer does not find %s", p.name)
	}

	right := copyProgram(t)
	mend(t, right)

	before, after := make([][]results, len(targets)), make([][]results, len(targets))
	t.Run("run", func(t *testing.T) {
		for i, tg := range targets {
			t.Run(tg.name, func(t *testing.T) {
				t.Parallel()
				tg.needs(t)
				times := 1
				if tg.name == "v1" {
					times = repetitions
				}
				bin := tg.build(t, wrong)
				mended := tg.build(t, right)
				for range times {
					before[i] = append(before[i], tg.run(t, bin))
					after[i] = append(after[i], tg.run(t, mended))
				}
			})
		}
	})

	v1 := before[0]
	for _, p := range proofs {
		t.Run(p.name, func(t *testing.T) {
			if v1 == nil {
				targets[0].needs(t)
			}
			requireWrong(t, p.name, p.on, before)
			require.NotEmpty(t, after[0][0][p.name])
			for i, tg := range targets {
				for _, r := range after[i] {
					require.Equal(t, after[0][0][p.name], r[p.name], "on %s, after the fixes", tg.name)
				}
			}
		})
	}
	t.Run("math", func(t *testing.T) { requireSafeMath(t, before) })
}

// requireWrong requires the numbers of a proof to differ as they should.
func requireWrong(t *testing.T, name, on string, before [][]results) {
	v1 := before[0][0][name]
	require.NotEmpty(t, v1)
	if on == "runs" {
		seen := map[string]bool{}
		for _, r := range before[0] {
			seen[r[name]] = true
		}
		require.Greater(t, len(seen), 1, "all runs agree")
		return
	}
	for _, other := range strings.Fields(on) {
		i := slices.IndexFunc(targets, func(tg target) bool { return tg.name == other })
		if before[i] == nil {
			targets[i].needs(t)
		}
		require.NotEqual(t, v1, before[i][0][name], "%s agrees with v1", other)
	}
}

// requireSafeMath compares the analyzer's list of safe functions with the results of all functions of package math.
// Those that are listed must agree everywhere, and each of the others must differ somewhere.
func requireSafeMath(t *testing.T, before [][]results) {
	for i, tg := range targets {
		if before[i] == nil {
			tg.needs(t)
		}
	}
	safe := determinism.SafeMath()
	pkg, err := importer.ForCompiler(token.NewFileSet(), "source", nil).Import("math")
	require.NoError(t, err)
	checked := 0
	for _, name := range pkg.Scope().Names() {
		fn, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !fn.Exported() {
			continue
		}
		checked++
		seen := map[string]bool{}
		for i, tg := range targets {
			number := before[i][0]["math."+name]
			require.NotEmpty(t, number, "the program does not run math.%s on %s", name, tg.name)
			seen[number] = true
		}
		if slices.Contains(safe, name) {
			require.Len(t, seen, 1, "math.%s is listed as safe, and targets disagree", name)
		} else {
			require.Greater(t, len(seen), 1, "math.%s is not listed as safe, and all targets agree", name)
		}
	}
	require.GreaterOrEqual(t, checked, 60)
	for _, name := range safe {
		require.NotNil(t, pkg.Scope().Lookup(name), "math.%s is listed as safe, and does not exist", name)
	}
}

// copyProgram makes a module of the program and returns its folder.
func copyProgram(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "program"), os.DirFS("testdata/program")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "netcode"), os.DirFS("testdata/netcode")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module github.com/ariadne-netcode/ariadne\n\ngo 1.26\n"), 0o666))
	return dir
}

// driver runs the analyzer's driver in a module. It fails if there are findings.
func driver(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asAnalyzer+"=1", "GOWORK=off", "GOFLAGS=")
	return cmd.CombinedOutput()
}

// analyze returns how many findings there are in the program, by kind.
func analyze(t *testing.T, module string) map[string]int {
	out, err := driver(module, "-json", "./program")
	require.NoError(t, err, "%s", out)
	// {package: {analyzer: [diagnostics]}}
	var tree map[string]map[string][]struct {
		Category string `json:"category"`
	}
	require.NoError(t, json.Unmarshal(out, &tree), "%s", out)
	kinds := map[string]int{}
	for _, analyzers := range tree {
		for _, diagnostics := range analyzers {
			for _, d := range diagnostics {
				kinds[d.Category]++
			}
		}
	}
	return kinds
}

// mend lets the driver fix the program, and replaces what it cannot fix.
func mend(t *testing.T, module string) {
	out, _ := driver(module, "-fix", "./program") // it complains about the rest
	t.Logf("%s", out)

	byHand, err := filepath.Glob("testdata/mended/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, byHand)
	for _, file := range byHand {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		old := filepath.Join(module, "program", filepath.Base(file))
		require.FileExists(t, old)
		require.NoError(t, os.WriteFile(old, text, 0o666))
	}
	require.Empty(t, slices.Sorted(maps.Keys(analyze(t, module))), "findings in the mended program")
	requireFixed(t, module)
}

// requireFixed requires that the driver has changed every file that has no replacement, and nothing but them.
func requireFixed(t *testing.T, module string) {
	files, err := filepath.Glob("testdata/program/*.go")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		now, err := os.ReadFile(filepath.Join(module, "program", filepath.Base(file)))
		require.NoError(t, err)
		if filepath.Base(file) == "main.go" {
			require.Equal(t, string(text), string(now))
		} else {
			require.NotEqual(t, string(text), string(now), file)
		}
	}
}

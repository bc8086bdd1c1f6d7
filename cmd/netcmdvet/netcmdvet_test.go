package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// module is a scratch module that uses this repository as it is.
type module struct {
	*testing.T
	dir string
}

// newModule makes a module with the game in it, whose go.mod has the tools as `go get -tool` puts them there. The
// versions and sums are those of the repository, so nothing is fetched.
func newModule(t *testing.T) module {
	m := module{t, t.TempDir()}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	ours, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	const path = "github.com/ariadne-netcode/ariadne"
	requires := regexp.MustCompile(`(?ms)^require \(.*?^\)`).FindAll(ours, -1)
	m.write("go.mod", fmt.Sprintf("module example.com/scratch\n\n%s\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n\n"+
		"tool (\n\t%[2]s/cmd/netcmdgen\n\t%[2]s/cmd/netcmdvet\n)\n\n%[4]s\n",
		regexp.MustCompile(`(?m)^go .*$`).Find(ours), path, root, bytes.Join(requires, []byte("\n"))))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	m.write("go.sum", string(sums))
	m.add("game.txtar")
	return m
}

func (m module) write(name, text string) {
	m.Helper()
	name = filepath.Join(m.dir, name)
	require.NoError(m, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(m, os.WriteFile(name, []byte(text), 0o666))
}

func (m module) read(name string) string {
	m.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, name))
	require.NoError(m, err)
	return string(text)
}

// add writes the files of an archive.
func (m module) add(archive string) {
	m.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	require.NoError(m, err)
	for _, f := range a.Files {
		m.write(f.Name, string(f.Data))
	}
}

func (m module) replace(name, old, new string) {
	m.Helper()
	text := m.read(name)
	require.Contains(m, text, old)
	m.write(name, strings.Replace(text, old, new, 1))
}

// run runs a command in the module and returns what it writes and the code with which it exits.
func (m module) run(name string, args ...string) (stdout, stderr string, code int) {
	m.Helper()
	return run(m.T, m.dir, name, args...)
}

func run(t *testing.T, dir, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local", "PWD="+dir)
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		require.NoError(t, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must is run for commands that succeed without a word on stderr.
func (m module) must(name string, args ...string) (stdout string) {
	m.Helper()
	stdout, stderr, code := m.run(name, args...)
	require.Empty(m, stderr)
	require.Zero(m, code, stdout)
	return stdout
}

// vettool returns the path of the tool, as the documented command line does.
func (m module) vettool() string {
	m.Helper()
	return strings.TrimSpace(m.must("go", "tool", "-n", "netcmdvet"))
}

// expected returns the findings that the sources announce, as "file:line analyzer", sorted.
func (m module) expected() []string {
	m.Helper()
	var want []string
	require.NoError(m, filepath.WalkDir(m.dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		rel, err := filepath.Rel(m.dir, name)
		require.NoError(m, err)
		for i, line := range strings.Split(m.read(rel), "\n") {
			if _, analyzers, ok := strings.Cut(line, "// finds "); ok {
				for _, a := range strings.Fields(analyzers) {
					want = append(want, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), i+1, a))
				}
			}
		}
		return nil
	}))
	slices.Sort(want)
	return want
}

type finding struct {
	Category string
	Posn     string
	Message  string
	Fixes    []struct {
		Message string
		Edits   []struct {
			Filename   string
			Start, End int
			New        string
		}
	} `json:"suggested_fixes"`
}

// findings reads the output of -json: "file:line analyzer" for each finding, sorted, without the doubles that
// packages and their test variants cause.
func (m module) findings(stdout string) (list []string, all []finding) {
	m.Helper()
	// macOS and others reach their temporary folders by links.
	real, err := filepath.EvalSymlinks(m.dir)
	require.NoError(m, err)
	d := json.NewDecoder(strings.NewReader(stdout))
	for {
		var byPackage map[string]map[string][]finding
		err := d.Decode(&byPackage)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(m, err, stdout)
		for _, byAnalyzer := range byPackage {
			for analyzer, found := range byAnalyzer {
				for _, f := range found {
					parts := strings.Split(f.Posn, ":")
					name, line := strings.Join(parts[:len(parts)-2], ":"), parts[len(parts)-2]
					name = strings.TrimPrefix(strings.TrimPrefix(name, m.dir), real)
					list = append(list, fmt.Sprintf("%s:%s %s", strings.TrimPrefix(filepath.ToSlash(name), "/"), line, analyzer))
					all = append(all, f)
				}
			}
		}
	}
	slices.Sort(list)
	return list, all
}

// lines returns "file:line" of findings that were printed as text, sorted. Exact doubles count once, because one
// driver prints them twice.
func (m module) lines(text string) []string {
	m.Helper()
	var list []string
	real, err := filepath.EvalSymlinks(m.dir)
	require.NoError(m, err)
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.ReplaceAll(line, m.dir+string(filepath.Separator), ""), real+string(filepath.Separator), "")
		if match := regexp.MustCompile(`^(?:\./)?([^:#\s]+:\d+):\d+: `).FindStringSubmatch(line); match != nil {
			list = append(list, filepath.ToSlash(match[1]))
		}
	}
	slices.Sort(list)
	return list
}

func withoutAnalyzers(findings []string) []string {
	var list []string
	for _, f := range findings {
		place, _, _ := strings.Cut(f, " ")
		list = append(list, place)
	}
	return list
}

func TestNothingToFind(t *testing.T) {
	m := newModule(t)
	m.must("go", "generate", "./...")
	m.must("go", "vet", "-vettool="+m.vettool(), "./...")
	m.must("go", "tool", "netcmdvet", "./...")
}

func TestFindings(t *testing.T) {
	m := newModule(t)
	m.must("go", "generate", "./...")
	m.add("mistakes.txtar")
	want := m.expected()
	require.Len(t, want, 10)
	tool := "-vettool=" + m.vettool()

	t.Run("by go vet, as text", func(t *testing.T) {
		_, stderr, code := m.run("go", "vet", tool, "./...")
		require.Equal(t, 1, code)
		require.Equal(t, withoutAnalyzers(want), m.lines(stderr), stderr)
	})
	t.Run("by go vet, as JSON", func(t *testing.T) {
		stdout := m.must("go", "vet", tool, "-json", "./...")
		got, all := m.findings(stdout)
		require.Equal(t, want, got, stdout)
		checkEdits(t, m, all)
	})
	t.Run("by itself, as text", func(t *testing.T) {
		_, stderr, code := m.run("go", "tool", "netcmdvet", "./...")
		require.Equal(t, 3, code)
		require.Equal(t, withoutAnalyzers(want), m.lines(stderr), stderr)

		_, stderr, code = m.run("go", "tool", "netcmdvet", "-handlers", "./wire")
		require.Equal(t, 3, code)
		require.Equal(t, []string{"wire/mistakes.go:8"}, m.lines(stderr), stderr)
	})
	t.Run("by itself, as JSON", func(t *testing.T) {
		stdout := m.must("go", "tool", "netcmdvet", "-json", "./...")
		got, all := m.findings(stdout)
		require.Equal(t, want, got, stdout)
		checkEdits(t, m, all)
	})
}

// checkEdits looks at what is beyond the places of findings.
func checkEdits(t *testing.T, m module, all []finding) {
	t.Helper()
	fixes := 0
	for _, f := range all {
		require.NotEmpty(t, f.Message)
		for _, fix := range f.Fixes {
			fixes++
			for _, e := range fix.Edits {
				info, err := os.Stat(e.Filename)
				require.NoError(t, err)
				require.True(t, 0 <= e.Start && e.Start <= e.End && int64(e.End) <= info.Size())
			}
		}
	}
	require.GreaterOrEqual(t, fixes, 5)
}

func TestFixes(t *testing.T) {
	for _, driver := range []string{"go vet", "standalone"} {
		t.Run(driver, func(t *testing.T) {
			m := newModule(t)
			m.must("go", "generate", "./...")
			m.add("mistakes.txtar")
			command := []string{m.vettool()}
			if driver == "go vet" {
				command = []string{"go", "vet", "-vettool=" + command[0]}
			}
			vet := func(args ...string) (string, string, int) {
				return m.run(command[0], append(command[1:len(command):len(command)], args...)...)
			}

			before := m.read("mistakes.go")
			stdout, stderr, _ := vet("-fix", "-diff", "./...")
			require.Equal(t, before, m.read("mistakes.go"), "a diff changes nothing")
			for _, line := range []string{
				"-//netcode:command id=0x0", "+//netcode:command id=0x", "+//netcode:command id=0x5EEE",
				"+\treturn float64(a*b) + d", "+\t\tlast = append([]byte(nil), payload...)", "+\tc <- append([]byte(nil), frame...)",
			} {
				require.Contains(t, stdout, line, stderr)
			}

			_, stderr, code := vet("-fix", "./...")
			require.Zero(t, code, stderr)
			after := m.read("mistakes.go")
			require.NotEqual(t, before, after)
			m.must("go", "build", "./...")
			m.must("go", "generate", "./...")

			// What is left has no fix.
			_, stderr, code = vet("./...")
			require.NotZero(t, code)
			var left []string
			for line := range strings.Lines(stderr) {
				for _, part := range []string{"time.Now", "meet here", "Printf", "and not this one"} {
					if strings.Contains(line, part) {
						left = append(left, part)
					}
				}
			}
			slices.Sort(left)
			require.Equal(t, []string{"Printf", "and not this one", "and not this one", "meet here", "time.Now"}, left, stderr)
			require.Len(t, m.lines(stderr), len(left), stderr)
		})
	}
}

// One command line pins all ids, and changes nothing about them.
func TestPinning(t *testing.T) {
	m := newModule(t)
	m.must("go", "generate", "./...")
	tool := "-vettool=" + m.vettool()
	m.must("go", "vet", tool, "./...")

	_, stderr, code := m.run("go", "vet", tool, "-cmdid.unpinned", "./...")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "game.go:17:6: DNET0001: the id of Move follows from its name")
	require.Len(t, m.lines(stderr), 1)

	generated := m.read("netcode_commands.go")
	m.must("go", "tool", "netcmdvet", "-cmdid", "-cmdid.unpinned", "-fix", "./...")
	require.Regexp(t, `//netcode:command id=0x[0-9A-F]{16} predicted\ntype Move struct`, m.read("game.go"))
	m.must("go", "vet", tool, "-cmdid.unpinned", "./...")
	m.must("go", "generate", "./...")
	require.Equal(t, generated, m.read("netcode_commands.go"))
}

// Generated code that is stale is found whether it compiles or not.
func TestStaleCode(t *testing.T) {
	m := newModule(t)
	tool := m.vettool()
	stale := func(message string) {
		t.Helper()
		_, stderr, code := m.run("go", "vet", "-vettool="+tool, "./...")
		require.Equal(t, 1, code)
		require.Contains(t, stderr, "DNET0006: "+message)
		require.Len(t, m.lines(stderr), 1, stderr)
	}
	m.must("go", "generate", "./...")

	// It compiles, but the peers would not understand each other.
	m.replace("game.go", "id=0x5EED", "id=0x5EEE")
	stale("Say has the id 0x0000000000005EEE, and the generated code has 0x0000000000005EED")
	m.replace("game.go", "id=0x5EEE", "id=0x5EED predicted")
	stale("the generated code was made from other commands")
	m.replace("game.go", "id=0x5EED predicted", "id=0x5EED")
	m.must("go", "vet", "-vettool="+tool, "./...")

	// It does not compile.
	m.replace("game.go", "DX, DY int8", "DX, DY int16")
	_, stderr, code := m.run(tool, "./...")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "netcode_commands.go:", "what the compiler says")
	require.Contains(t, stderr, "DNET0006: the generated code was made from other commands")

	// It was never written.
	require.NoError(t, os.Remove(filepath.Join(m.dir, "netcode_commands.go")))
	_, stderr, code = m.run(tool, "./...")
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "DNET0006: the generated code does not have the command Move")
	require.Contains(t, stderr, "DNET0006: the generated code does not have the command Say")

	m.must("go", "generate", "./...")
	m.must("go", "vet", "-vettool="+tool, "./...")
}

func TestHelp(t *testing.T) {
	m := newModule(t)
	tool := m.vettool()
	stdout, _, code := m.run(tool, "help")
	require.Zero(t, code)
	for _, name := range []string{"cmdid", "determinism", "handlers", "printf", "copylocks", "waitgroup"} {
		require.Regexp(t, `(?m)^\s+`+name+`\s`, stdout)
	}
	stdout, _, code = m.run(tool, "help", "cmdid")
	require.Zero(t, code)
	require.Contains(t, stdout, "DNET0001")
	require.Contains(t, stdout, "-cmdid.unpinned")

	_, _, code = m.run(tool)
	require.Equal(t, 1, code)
}

// The repository practises what it preaches: no finding in any of its packages, the example game's among them.
func TestOwnPackages(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "netcmdvet.exe")
	stdout, stderr, code := run(t, ".", "go", "build", "-o", tool, ".")
	require.Zero(t, code, stdout+stderr)
	packages := "./..."
	if testing.Short() {
		packages = "./examples/..."
	}
	stdout, stderr, code = run(t, "../..", "go", "vet", "-vettool="+tool, packages)
	require.Zero(t, code, stdout+stderr)
	require.Empty(t, stdout+stderr)
}

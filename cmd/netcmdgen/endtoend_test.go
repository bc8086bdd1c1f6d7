package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// runIn runs a program in a folder, without a network, and returns what it prints.
func runIn(t *testing.T, dir string, env []string, name string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Env = append(append(os.Environ(), goEnv...), env...)
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// TestReadme does what the README says, line by line, in a folder outside of this module, with the working copy in
// the place of a release. The tool is got and built by the go command, as it is by users.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(go|sh)\n(.*?)```").FindAllStringSubmatch(string(readme), -1)
	require.Len(t, blocks, 8)
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		stdout, stderr, err := runIn(t, dir, []string{"GOFLAGS="}, name, args...)
		require.NoError(t, err, "%s %v\n%s%s", name, args, stdout, stderr)
		return stdout
	}
	printed := map[string]string{}
	for _, b := range blocks {
		if b[1] == "go" {
			name, ok := strings.CutPrefix(strings.SplitN(b[2], "\n", 2)[0], "// ")
			require.True(t, ok)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(b[2]), 0o666))
			continue
		}
		for line := range strings.Lines(b[2]) {
			words := strings.Fields(line)
			if words[0] == "mkdir" {
				require.Equal(t, "mkdir sled && cd sled\n", line)
				dir = filepath.Join(dir, "sled")
				require.NoError(t, os.Mkdir(dir, 0o777))
				continue
			}
			require.Equal(t, "go", words[0], "%s", line)
			printed[strings.TrimSpace(line)] = run(words[0], words[1:]...)
			if words[1] == "mod" {
				run("go", "mod", "edit", "-replace", ariadne+"="+root(t))
			}
		}
	}
	require.Regexp(t, `Push\.Force: value is out of range: 21\n\{Pos:28 Vel:7 Cheers:1\}\n$`, printed["go run ."])
	require.Regexp(t, `^ok\s`, printed["go test ."])

	stdout, stderr, err := runIn(t, dir, []string{"GOFLAGS="}, "go", "tool", "netcmdgen", "-check", "./...")
	require.NoError(t, err)
	require.Empty(t, stdout+stderr)
}

// The packages that everything is tested with are what the generator makes of them today, on any machine.
func TestKindsAreFresh(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, dir := range []string{"internal/kinds", "internal/replicated"} {
		for _, env := range [][]string{nil, {"GOOS=windows", "GOARCH=arm64"}, {"GOOS=linux", "GOARCH=s390x"}} {
			stdout, stderr, err := runIn(t, dir, append(env, asTool+"=1"), self, "-check")
			require.NoError(t, err, "%v\n%s%s", env, stdout, stderr)
			require.Empty(t, stdout+stderr)
		}
	}
}

// A file that is as it should be is not written again, and one that is not is written as a whole.
func TestWritesOnlyChanges(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", goMod(t, "example.com/game"))
	write("game.go", "package game\n\n//netcode:command\ntype Move struct{ X int8 }\n")
	generate := func() {
		t.Helper()
		_, stderr, err := runIn(t, dir, []string{asTool + "=1"}, self)
		require.NoError(t, err, stderr)
	}
	generate()
	file := filepath.Join(dir, "netcode_commands.go")
	want, err := os.ReadFile(file)
	require.NoError(t, err)

	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	require.NoError(t, os.Chtimes(file, long, long))
	generate()
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, long, info.ModTime())

	write("netcode_commands.go", string(want)+"\n// more\n")
	generate()
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have))
}

// Folders of several modules can be done at once.
func TestSeveralModules(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		sub := filepath.Join(dir, name)
		require.NoError(t, os.Mkdir(sub, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(sub, "go.mod"), []byte(goMod(t, "example.com/"+name)), 0o666))
		require.NoError(t, os.WriteFile(filepath.Join(sub, "x.go"), []byte("package x\n\n//netcode:command\ntype Move struct{ X int8 }\n"), 0o666))
	}
	_, stderr, err := runIn(t, dir, []string{asTool + "=1"}, self, "one", "two")
	require.NoError(t, err, stderr)
	for _, name := range []string{"one", "two"} {
		text, err := os.ReadFile(filepath.Join(dir, name, "netcode_commands.go"))
		require.NoError(t, err)
		require.Contains(t, string(text), "example.com/"+name+".Move")
	}
}

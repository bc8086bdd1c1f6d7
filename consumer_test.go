package ariadne

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConsumer builds a program of another module that uses only the core. It gets an empty module cache and
// no network, so that it would fail if any requirement of this module were needed to build the core.
func TestConsumer(t *testing.T) {
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	dir := t.TempDir()
	ours, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	goLine := regexp.MustCompile(`(?m)^go .*$`).Find(ours)
	mod := fmt.Sprintf("module example.com/consumer\n\n%[3]s\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n", module, here, goLine)
	var program strings.Builder
	program.WriteString("package main\n\nimport (\n")
	for _, dir := range core {
		fmt.Fprintf(&program, "\t_ %q\n", module+"/"+dir)
	}
	program.WriteString(")\n\nfunc main() {}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program.String()), 0o666))

	env := []string{
		"GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local",
		"GOMODCACHE=" + filepath.Join(t.TempDir(), "empty"),
	}
	runGo(t, dir, env, "build", "-o", filepath.Join(t.TempDir(), "consumer"), ".")

	deps := goList(t, dir, env, "list", "-deps", "-json=ImportPath,Standard,Module", ".")
	seen := 0
	for _, d := range deps {
		switch {
		case d.Standard:
		case d.Module.Path == module:
			seen++
		case d.ImportPath != "example.com/consumer":
			t.Errorf("a program that uses only the core is linked with %s of module %s", d.ImportPath, d.Module.Path)
		}
	}
	require.GreaterOrEqual(t, seen, len(core))
	require.NoFileExists(t, filepath.Join(dir, "go.sum"), "the core needs no other module, so there is nothing to sum")
	after, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.Equal(t, mod, string(after), "the core adds no requirement")
}

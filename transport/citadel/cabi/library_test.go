package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program returns the path of a program that the tests need. Where it is missing a plain clone goes without the
// test; CI must not.
func program(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing", name)
		}
		t.Skipf("%s is not installed", name)
	}
	return path
}

func run(t *testing.T, name string, args ...string) string {
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s %s\n%s", name, strings.Join(args, " "), out)
	return string(out)
}

// TestConformanceC builds the library, and a C program that replays the conformance data through it, and runs that
// program: once as it is and once under valgrind.
func TestConformanceC(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the C program is built for Linux only")
	}
	gcc := program(t, "gcc")
	dir := t.TempDir()
	library := filepath.Join(dir, "libcitadel.so")
	run(t, "go", "build", "-buildmode=c-shared", "-o", library, ".")

	var s script
	addScalars(t, &s)
	addQuats(t, &s)
	addHashes(t, &s)
	addBunches(t, &s)
	addMistakes(&s)
	words := filepath.Join(dir, "words")
	require.NoError(t, os.WriteFile(words, []byte(s.String()), 0o666))

	check := filepath.Join(dir, "check")
	run(t, gcc, "-std=c11", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-I", ".", "-o", check, filepath.Join("testdata", "check.c"),
		library, "-Wl,-rpath,"+dir)
	t.Log(run(t, check, words))

	// The threads of the Go runtime live as long as the process, so what belongs to them counts as possibly lost.
	// Whatever is really lost, and every invalid access, is an error.
	valgrind := program(t, "valgrind")
	t.Setenv("GODEBUG", "asyncpreemptoff=1")
	t.Setenv("GOGC", "off") // the collector looks at stacks as their growth does
	run(t, valgrind, "--quiet", "--error-exitcode=9", "--suppressions=testdata/go.supp", "--leak-check=full",
		"--show-leak-kinds=definite,indirect", "--errors-for-leak-kinds=definite,indirect", check, words)
}

// TestHeader compiles the header against the prototypes of the exported functions, which the go command writes. They
// know no const, so that is taken out of the header first.
func TestHeader(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the header is compiled on Linux only")
	}
	gcc := program(t, "gcc")
	dir := t.TempDir()
	run(t, "go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libcitadel.so"), ".")

	header, err := os.ReadFile("citadel.h")
	require.NoError(t, err)
	plain := strings.ReplaceAll(string(header), "const ", "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "citadel.h"), []byte(plain), 0o666))
	both := filepath.Join(dir, "both.c")
	text := "#include \"citadel.h\"\n#include \"libcitadel.h\"\nint main(void) { return 0; }\n"
	require.NoError(t, os.WriteFile(both, []byte(text), 0o666))
	run(t, gcc, "-std=c11", "-Wall", "-Werror", "-Wno-array-parameter", "-I", dir, "-fsyntax-only", both)

	generated, err := os.ReadFile(filepath.Join(dir, "libcitadel.h"))
	require.NoError(t, err)
	for _, line := range strings.Split(plain, "\n") {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "citadel_status "), "("); ok && strings.HasPrefix(line, "citadel_status ") {
			require.Contains(t, string(generated), name+"(", "declared but not exported")
		}
	}
}

package source

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeFile returns a file without content.
func fakeFile(pkg string, test bool, x constraint.Expr) *File {
	return &File{Syntax: &ast.File{Name: ast.NewIdent(pkg)}, Test: test, Constraint: x}
}

func expr(t testing.TB, s string) constraint.Expr {
	t.Helper()
	if s == "" {
		return nil
	}
	x, err := constraint.Parse("//go:build " + s)
	require.NoError(t, err)
	return x
}

func TestSatisfy(t *testing.T) {
	home := Setup{GOOS: "linux", GOARCH: "amd64", Tags: []string{"mine"}}
	for _, c := range []struct{ constraint, want string }{
		{"", "linux/amd64 false [mine]"},
		{"linux", "linux/amd64 false [mine]"},
		{"debug", "linux/amd64 false [debug mine]"},
		{"!mine", "linux/amd64 false []"},
		{"debug || mine", "linux/amd64 false [mine]"},
		{"debug && !mine || other && more", "linux/amd64 false [debug]"},
		{"windows", "windows/amd64 false [mine]"},
		{"!linux && !darwin && !windows", "js/wasm false [mine]"},
		{"!unix", "windows/amd64 false [mine]"},
		{"arm64 && unix && !darwin", "linux/arm64 false [mine]"},
		{"linux && !linux", ""},
		{"plan9 && arm", "plan9/arm false [mine]"},
		{"plan9 && s390x", ""},
		{"android", "android/arm64 false [mine]"},
		{"darwin && !macos && ios", "ios/arm64 false [mine]"},
		{"illumos && solaris", "illumos/amd64 false [mine]"},
		{"cgo", "linux/amd64 true [mine]"},
		{"go1.18", "linux/amd64 false [mine]"},
		{"go1.9999", "linux/amd64 false [go1.9999 mine]"},
		{"!go1.18", ""},
		{"gccgo", ""},
	} {
		got := ""
		if s, ok := home.Satisfy(expr(t, c.constraint)); ok {
			got = fmt.Sprintf("%s/%s %t %v", s.GOOS, s.GOARCH, s.Cgo, s.Tags)
		}
		require.Equal(t, c.want, got, "%s", c.constraint)
	}
}

// The list of platforms is that of the go command.
func TestPlatforms(t *testing.T) {
	out, err := exec.Command("go", "tool", "dist", "list").Output()
	require.NoError(t, err)
	for p := range strings.FieldsSeq(string(out)) {
		require.Contains(t, platforms, p)
	}
}

func TestCompatible(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"debug", "", true},
		{"debug", "!debug", false},
		{"linux", "windows", false},
		{"linux", "amd64", true},
		{"linux", "android", true},
		{"unix", "windows", false},
	} {
		require.Equal(t, c.want, Compatible(expr(t, c.a), expr(t, c.b)), "%s and %s", c.a, c.b)
	}
}

func TestFileNames(t *testing.T) {
	for _, c := range []struct {
		pkg        string
		test       bool
		constraint string
		file       string
		suffix     string
	}{
		{"game", false, "", "cmds.go", ""},
		{"game", true, "", "cmds_test.go", "Test"},
		{"game_test", true, "", "cmds_external_test.go", "Test"},
		{"game", false, "debug", "cmds_debug.go", "Debug"},
		{"game", true, "debug", "cmds_debug_test.go", "DebugTest"},
		{"game_test", true, "debug", "cmds_debug_external_test.go", "DebugTest"},
		{"game", false, "linux", "cmds_linux.go", "Linux"},
		{"game", false, "!linux", "cmds_not_linux_tags.go", "NotLinux"},
		{"game", false, "debug || linux", "cmds_debug_or_linux_tags.go", "DebugOrLinux"},
		{"game", false, "debug && linux", "cmds_debug_and_linux.go", "DebugAndLinux"},
		{"game", false, "test", "cmds_test_tags.go", "Test"},
		{"game", false, "a_test", "cmds_a_test_tags.go", "ATest"},
		{"game", true, "test", "cmds_test_tags_test.go", "TestTest"},
		{"game", false, "go1.18", "cmds_go1_18.go", "Go118"},
		{"game", false, "unix", "cmds_unix.go", "Unix"},
		{"game", true, "amd64", "cmds_amd64_test.go", "Amd64Test"},
		{"game", true, "!amd64", "cmds_not_amd64_tags_test.go", "NotAmd64Test"},
	} {
		x := expr(t, c.constraint)
		g := &Group{Package: c.pkg, Test: c.test, Constraint: x}
		f := &Folder{}
		command := &Command{Name: "C", file: fakeFile(c.pkg, c.test, x)}
		groups := f.Groups([]*Command{command}, nil)
		require.Len(t, groups, 1)
		g = groups[0]
		require.Equal(t, c.file, g.FileName("cmds.go"), "%+v", c)
		require.Equal(t, c.suffix, g.Suffix, "%+v", c)

		// The name promises nothing that the constraint does not.
		implied := nameConstraint(g.FileName("cmds.go"))
		require.False(t, implied != nil && Compatible(x, &constraint.NotExpr{X: implied}))
		require.Equal(t, c.test, strings.HasSuffix(g.FileName("cmds.go"), "_test.go"))
	}
}

// Constraints that would be called the same are told apart.
func TestGroupsDoNotMix(t *testing.T) {
	var commands []*Command
	for _, s := range []string{"", "a && b", "a_and_b", "a.b", "a_b", "a && b"} {
		commands = append(commands, &Command{Name: "C" + s, file: fakeFile("game", false, expr(t, s))})
	}
	groups := new(Folder).Groups(commands, nil)
	slices.Reverse(commands)
	require.Equal(t, len(groups), len(new(Folder).Groups(commands, nil)))
	var names []string
	for i, g := range groups {
		names = append(names, g.FileName("x.go"))
		require.Equal(t, g.Label, new(Folder).Groups(commands, nil)[i].Label)
	}
	require.Equal(t, []string{"x.go", "x_a_and_b.go", "x_a_b.go", "x_a_and_b_2.go", "x_a_b_2.go"}, names)

	groups = new(Folder).Groups([]*Command{
		{Name: "A", file: fakeFile("game", false, expr(t, "test"))}, {Name: "B", file: fakeFile("game", true, nil)},
		{Name: "C", file: fakeFile("game_test", true, nil)},
	}, nil)
	require.Len(t, groups, 3)
	require.Equal(t, "Test Test2 Test", groups[0].Suffix+" "+groups[1].Suffix+" "+groups[2].Suffix)
}

func TestNameConstraint(t *testing.T) {
	for name, want := range map[string]string{
		"game.go": "", "linux.go": "", "amd64_test.go": "", "game_linux.go": "linux", "game_linux_test.go": "linux",
		"game_linux_amd64.go": "linux && amd64", "game_amd64_linux.go": "linux", "game_unix.go": "", "game_test.go": "",
		"a_b_wasm.go": "wasm", "_linux.go": "linux", "a_linux_.go": "", "x_zos.go": "zos", "a_linux.b.go": "linux",
	} {
		require.Equal(t, want, text(nameConstraint(name)), name)
	}
}

func TestScan(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go":          "package game\n\n//netcode:command\ntype A struct{}\n",
		"b_linux.go":    "//go:build debug\n\npackage game\n",
		"c.go":          "package game\n\nimport \"C\"\n\nconst X, Y = 1, 2\n\nfunc F() {}\nfunc (A) M() {}\nvar _ int\n",
		"d_test.go":     "package game_test\n",
		"_e.go":         "nonsense",
		".f.go":         "nonsense",
		"g.txt":         "nonsense",
		"out.go":        "// Code generated by netcmdgen; DO NOT EDIT.\n\npackage game\nnonsense",
		"out2.go":       "// Code generated by netcmdgen -type A; DO NOT EDIT.\r\npackage game\r\n",
		"other.go":      "// Code generated by stringer; DO NOT EDIT.\n\npackage game\n",
		"mention.go":    "package game\n\n// Code generated by netcmdgen; DO NOT EDIT.\n",
		"old_line.go":   "// +build ignore\n\npackage game\n",
		"late_build.go": "package game\n\n//go:build debug\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	f, diags, err := Scan(dir)
	require.NoError(t, err)
	require.Empty(t, diags)
	require.Len(t, f.Output, 2)
	require.Equal(t, "game", f.Package())
	got := map[string]string{}
	for _, file := range f.Files {
		got[file.Name] = text(file.Constraint)
		require.Equal(t, file.Name == "d_test.go", file.Test)
	}
	require.Equal(t, map[string]string{
		"a.go": "", "b_linux.go": "linux && debug", "c.go": "cgo", "d_test.go": "", "other.go": "", "mention.go": "",
		"old_line.go": "", "late_build.go": "",
	}, got)
	declared := f.Declared("game")
	require.Len(t, declared, 4)
	require.Equal(t, "cgo", text(declared["X"][0].Constraint))

	_, _, err = Scan(filepath.Join(dir, "absent"))
	require.Error(t, err)
}

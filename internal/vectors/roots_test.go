package vectors

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// layout makes a folder with a module in it, and what else is asked for, and returns the module's folder.
func layout(t *testing.T, folders ...string) (module string) {
	t.Helper()
	top := t.TempDir()
	for _, folder := range append(folders, "module") {
		require.NoError(t, os.MkdirAll(filepath.Join(top, folder), 0o777))
	}
	return filepath.Join(top, "module")
}

const (
	full    = "shared/vectors"
	trimmed = "module/testdata/vectors"
)

func TestMainRoot(t *testing.T) {
	for _, c := range []struct {
		name    string
		folders []string
		ci      bool
		want    string // "" is an error
	}{
		{name: "both", folders: []string{full, trimmed}, want: "shared"},
		{name: "both in CI", folders: []string{full, trimmed}, ci: true, want: "shared"},
		{name: "full only", folders: []string{full}, want: "shared"},
		{name: "trimmed only", folders: []string{trimmed}, want: "trimmed"},
		{name: "trimmed only in CI", folders: []string{trimmed}, ci: true},
		{name: "neither"},
		{name: "neither in CI", ci: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			module := layout(t, c.folders...)
			roots, err := findRoots(module, c.ci, "")
			if c.want == "" {
				require.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			require.Len(t, roots, 1)
			require.Equal(t, c.want, roots[0].Name)
			require.DirExists(t, roots[0].Dir)
			require.Equal(t, filepath.Join(roots[0].Dir, "session", "x.json"), roots[0].Path("session", "x.json"))
			require.Equal(t, "a/1", roots[0].subtest("a/1"))
		})
	}
}

func TestMainRootIsNoFile(t *testing.T) {
	module := layout(t, "shared", trimmed)
	require.NoError(t, os.WriteFile(filepath.Join(module, "..", full), nil, 0o666))
	_, err := findRoots(module, false, "")
	require.ErrorContains(t, err, "not a folder")
}

func TestExtraRoots(t *testing.T) {
	module := layout(t, full, "module/more", "others")
	others := filepath.Join(filepath.Dir(module), "others")
	list := func(dirs ...string) string {
		s := dirs[0]
		for _, d := range dirs[1:] {
			s += string(filepath.ListSeparator) + d
		}
		return s
	}

	roots, err := findRoots(module, true, list(others, "more", "../others"))
	require.NoError(t, err)
	require.Equal(t, []Root{
		{Name: "extra1", Dir: others, extra: true},
		{Name: "extra2", Dir: filepath.Join(module, "more"), extra: true},
		{Name: "extra3", Dir: others, extra: true},
	}, roots[1:])
	require.Equal(t, "extra2/a/1", roots[2].subtest("a/1"))

	_, err = findRoots(module, false, list(others, filepath.Join(others, "missing")))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = findRoots(module, false, list(others, "", "more"))
	require.ErrorContains(t, err, "empty path")
}

func TestModuleRoot(t *testing.T) {
	want, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	got, err := moduleRoot()
	require.NoError(t, err)
	require.Equal(t, want, got)

	t.Run("a nested module is passed by", func(t *testing.T) {
		top := layout(t)
		nested := filepath.Join(top, "bench", "pkg")
		require.NoError(t, os.MkdirAll(nested, 0o777))
		write := func(name, text string) {
			require.NoError(t, os.WriteFile(filepath.Join(top, name), []byte(text), 0o666))
		}
		write("go.mod", "// A comment.\nmodule github.com/ariadne-netcode/ariadne\n\ngo 1.26\n")
		write("bench/go.mod", "module github.com/ariadne-netcode/ariadne/bench\n")
		t.Chdir(nested)
		got, err := moduleRoot()
		require.NoError(t, err)
		requireSameFile(t, top, got)
	})
	t.Run("a foreign module is not ours", func(t *testing.T) {
		t.Chdir(layout(t))
		_, err := moduleRoot()
		require.ErrorContains(t, err, "no go.mod of this module")
	})
}

func requireSameFile(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.Stat(a)
	require.NoError(t, err)
	y, err := os.Stat(b)
	require.NoError(t, err)
	require.True(t, os.SameFile(x, y), "%s is not %s", a, b)
}

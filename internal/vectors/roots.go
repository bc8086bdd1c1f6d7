package vectors

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Root is a folder that holds families of vectors.
type Root struct {
	// Name tells roots apart in the names of subtests: "shared", "trimmed" or "extra1", "extra2" and so on.
	Name string

	// Dir is the absolute path.
	Dir string

	extra bool // from ARIADNE_VECTORS
}

// Path returns where the root keeps a file, which may be there with ".gz" behind its name instead.
func (r Root) Path(family, file string) string { return filepath.Join(r.Dir, family, file) }

// subtest returns the name of a subtest about an element.
func (r Root) subtest(element string) string {
	if r.extra {
		return r.Name + "/" + element
	}
	return element
}

// Roots returns the main root and after it those of ARIADNE_VECTORS, as the package comment describes. A root
// that is missing although it must exist is fatal.
func Roots(t testing.TB) []Root {
	t.Helper()
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	roots, err := findRoots(module, os.Getenv("CI") == "true", os.Getenv("ARIADNE_VECTORS"))
	if err != nil {
		t.Fatal(err)
	}
	return roots
}

// findRoots does the work of Roots for the module in the folder module; extra is a list of folders.
func findRoots(module string, ci bool, extra string) ([]Root, error) {
	main := Root{Name: "shared", Dir: filepath.Join(filepath.Dir(module), "shared", "vectors")}
	switch err := checkDir(main.Dir); {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case ci:
		return nil, fmt.Errorf("vectors: CI=true needs the full set: %w", err)
	default:
		main = Root{Name: "trimmed", Dir: filepath.Join(module, "testdata", "vectors")}
		if err := checkDir(main.Dir); err != nil {
			return nil, fmt.Errorf("vectors: neither the full set nor the trimmed copy: %w", err)
		}
	}

	roots := []Root{main}
	for i, dir := range filepath.SplitList(extra) {
		if dir == "" {
			return nil, errors.New("vectors: ARIADNE_VECTORS lists an empty path")
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(module, dir)
		}
		if err := checkDir(dir); err != nil {
			return nil, fmt.Errorf("vectors: ARIADNE_VECTORS: %w", err)
		}
		roots = append(roots, Root{Name: fmt.Sprintf("extra%d", i+1), Dir: filepath.Clean(dir), extra: true})
	}
	return roots, nil
}

func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	return nil
}

// A nested module has a go.mod of its own; its tests mean the same data, so the search goes on past it.
var rootModule = regexp.MustCompile(`(?m)^module github\.com/ariadne-netcode/ariadne\s*$`)

// moduleRoot returns the folder of this module's go.mod, searched upward from the working directory, which is
// the package's own folder when the go command runs a test.
func moduleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && rootModule.Match(text) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("vectors: no go.mod of this module above %s", start)
		}
		dir = parent
	}
}

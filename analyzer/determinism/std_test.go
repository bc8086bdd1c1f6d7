package determinism

import (
	"go/types"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// TestStandardRoots compares the list with what the go command knows.
func TestStandardRoots(t *testing.T) {
	out, err := exec.Command("go", "list", "std").Output()
	require.NoError(t, err)
	roots := map[string]bool{}
	for path := range strings.FieldsSeq(string(out)) {
		first, _, _ := strings.Cut(path, "/")
		roots[first] = true
		require.True(t, standardPath(path), "%s belongs to the standard library", path)
	}
	for _, root := range standardRoots {
		require.True(t, roots[root], "%s does not belong to the standard library any more", root)
	}
	for _, path := range []string{"example.com/os", "mathematics", "game/os", "github.com/a/b", "m"} {
		require.False(t, standardPath(path), path)
	}
}

// TestStandardNames requires everything that the rules name to exist, so that they cannot be misspelt or outlive what
// they are about.
func TestStandardNames(t *testing.T) {
	paths := slices.Sorted(maps.Keys(standard))
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes}, paths...)
	require.NoError(t, err)
	require.Len(t, pkgs, len(paths))
	for _, p := range pkgs {
		pkg, path, r := p.Types, p.PkgPath, standard[p.PkgPath]
		for name := range r.names {
			require.True(t, exists(pkg, name), "%s has no %s", path, name)
		}
		for _, name := range r.safe {
			require.True(t, exists(pkg, name), "%s has no %s", path, name)
		}
	}
}

// exists reports whether a package has an object of this name: "Name", "Type.Method", "Type." or the beginning of
// names.
func exists(pkg *types.Package, name string) bool {
	typeName, method, isMethod := strings.Cut(name, ".")
	if !isMethod {
		return slices.ContainsFunc(pkg.Scope().Names(), func(n string) bool {
			return n == name || (name == "Err" || name == "IPv") && strings.HasPrefix(n, name)
		})
	}
	tn, ok := pkg.Scope().Lookup(typeName).(*types.TypeName)
	if !ok {
		return false
	}
	if method == "" {
		return true
	}
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(tn.Type()), true, pkg, method)
	if types.IsInterface(tn.Type()) {
		obj, _, _ = types.LookupFieldOrMethod(tn.Type(), true, pkg, method)
	}
	return obj != nil
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		pkg, name string
		kind      kind // or "" for none
	}{
		{"math", "Sin", mathBits},
		{"math", "Sqrt", ""},
		{"time", "Now", clock},
		{"time", "Duration.Seconds", ""},
		{"os", "Getenv", environment},
		{"os", "ErrNotExist", ""},
		{"os", "PathError.Error", ""},
		{"os/exec", "Command", environment},
		{"net", "IP.String", ""},
		{"net", "IPConn.Read", environment},
		{"net", "IPv4", ""},
		{"net/http", "Get", environment},
		{"net/http/httptest", "NewServer", environment},
		{"net/http", "StatusText", ""},
		{"net/netip", "ParseAddr", ""},
		{"math/rand/v2", "IntN", random},
		{"math/rand/v2", "Rand.IntN", ""},
		{"math/rand/v2", "Rand.Uint", random},
		{"math/rand", "Int", random},
		{"sync", "Map.Range", mapOrder},
		{"sync", "Mutex.Lock", ""},
		{"strings", "ToUpper", ""},
		{"encoding/binary", "littleEndian.Uint32", ""},
	} {
		v, ok := rulesOf(c.pkg).about(c.name)
		require.Equal(t, c.kind != "", ok, "%s.%s", c.pkg, c.name)
		if ok {
			require.Equal(t, c.kind, v.kind, "%s.%s", c.pkg, c.name)
		}
	}
}

func TestDocumentation(t *testing.T) {
	doc := Analyzer.Doc
	title, text, ok := strings.Cut(doc, "\n\n")
	require.True(t, ok)
	require.Equal(t, "report nondeterministic code in simulations", title)
	for _, k := range kinds {
		require.Contains(t, text, "  - "+string(k)+": ", "a kind of hazard is not documented")
	}
	require.Equal(t, len(kinds), strings.Count(text, "\n  - "), "something is documented that does not exist")
}

func TestVerbs(t *testing.T) {
	for format, want := range map[string]string{
		"":                "",
		"%d":              "d",
		"100%%":           "",
		"%-5.2f|%+v":      "fv",
		"%*d":             "*d",
		"%.*f %s":         "*fs",
		"%":               "",
		"%[2]d %d":        "",
		"%x %[1]x":        "x",
		"plain %p text %": "p",
	} {
		require.Equal(t, want, string(verbsOf(format)), "%q", format)
	}
}

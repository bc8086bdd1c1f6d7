package vectors_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// seedCase is a small conformance case of the usual shape: the numbers that a seed generates, and their last
// bytes.
type seedCase struct {
	Name  string        `json:"name"`
	Seed  vectors.I64   `json:"seed"`
	Want  []vectors.U64 `json:"want"`
	Bytes vectors.Hex   `json:"bytes"`
}

func checkSeed(t *testing.T, c seedCase) {
	p := netcode.NewPreparation(netcode.PreparationState{RandomState: uint64(c.Seed)})
	require.Len(t, c.Bytes, len(c.Want))
	for i, want := range c.Want {
		got := p.NextSeed()
		require.Equal(t, uint64(want), got)
		require.Equal(t, c.Bytes[i], byte(got))
	}
}

// probe is a conformance test over the files that the test below lays out, one file for each way of reading.
func probe(t *testing.T) {
	t.Run("array", func(t *testing.T) { vectors.Each(t, "seeds", "array.json", checkSeed) })
	t.Run("object", func(t *testing.T) {
		type file struct {
			Set   string     `json:"set"`
			Cases []seedCase `json:"cases"`
		}
		vectors.EachFile(t, "seeds", "object.json", func(t *testing.T, f file) {
			for _, c := range f.Cases {
				t.Run(c.Name, func(t *testing.T) { checkSeed(t, c) })
			}
		})
	})
}

// goodArray and goodObject are true.
const (
	goodArray = `[
{"name":"seeds/1","seed":"0","want":["16294208416658607535","7960286522194355700"],"bytes":"aff4"},
{"name":"seeds/2","seed":"1234567","want":["6457827717110365317"],"bytes":"85"}
]
`
	goodObject = `{
  "set": "good",
  "cases": [
    {"name": "seeds/3", "seed": "1234567", "want": ["6457827717110365317", "3203168211198807973"], "bytes": "85a5"}
  ]
}
`
	sharedArray, sharedObject   = "shared/vectors/seeds/array.json", "shared/vectors/seeds/object.json"
	trimmedArray, trimmedObject = "module/testdata/vectors/seeds/array.json", "module/testdata/vectors/seeds/object.json"
	extraArray, extraObject     = "extra/seeds/array.json", "extra/seeds/object.json"
)

// TestLoaderFailsWhenItMust runs the probe in a process of its own on data that are good or spoilt in one
// place, because a loader that lets a case slip is seen only in a test that ought to fail and does not.
func TestLoaderFailsWhenItMust(t *testing.T) {
	if os.Getenv("VECTORS_PROBE") == "1" {
		probe(t)
		return
	}

	spoil := func(text, old, new string) string {
		require.Equal(t, 1, strings.Count(text, old), "%q in the fixture", old)
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range []struct {
		name  string
		files map[string]string // changes to the layout with good data in shared, trimmed and extra; "" deletes
		env   []string
		fails string // what a failing run prints; a run with "" must pass
	}{
		{name: "good data"},
		{name: "good data in CI", env: []string{"CI=true"}},
		{name: "no extra roots", env: []string{"ARIADNE_VECTORS="}},
		{name: "trimmed copy", files: map[string]string{sharedArray: "", sharedObject: ""}},
		{
			name:  "trimmed copy in CI",
			files: map[string]string{sharedArray: "", sharedObject: ""},
			env:   []string{"CI=true"},
			fails: "CI=true needs the full set",
		},
		{name: "extra root without the file", files: map[string]string{extraArray: ""}},
		{name: "extra root with no elements", files: map[string]string{extraArray: "[]", extraObject: `{"cases":[]}`}},
		{name: "missing extra root", env: []string{"ARIADNE_VECTORS=nowhere"}, fails: "nowhere"},

		{
			name:  "one digit of an expected number",
			files: map[string]string{sharedArray: spoil(goodArray, "7960286522194355700", "7960286522194355701")},
			fails: "array/seeds/1 ",
		},
		{
			name:  "one digit of expected bytes",
			files: map[string]string{sharedArray: spoil(goodArray, `"85"`, `"84"`)},
			fails: "array/seeds/2 ",
		},
		{
			name:  "one digit in the trimmed copy",
			files: map[string]string{sharedArray: "", sharedObject: "", trimmedArray: spoil(goodArray, `"85"`, `"95"`)},
			fails: "array/seeds/2 ",
		},
		{
			name:  "one digit in an extra root",
			files: map[string]string{extraArray: spoil(goodArray, `"aff4"`, `"aff5"`)},
			fails: "array/extra1/seeds/1 ",
		},
		{
			name:  "one digit in an object",
			files: map[string]string{sharedObject: spoil(goodObject, `"85a5"`, `"85a4"`)},
			fails: "object/shared/seeds/3 ",
		},
		{
			name:  "one digit in the object of an extra root",
			files: map[string]string{extraObject: spoil(goodObject, `"85a5"`, `"85a4"`)},
			fails: "object/extra1/seeds/3 ",
		},

		{
			name:  "unknown field",
			files: map[string]string{sharedArray: spoil(goodArray, `"bytes":"85"`, `"bytes":"85","step":1`)},
			fails: `element seeds/2: json: unknown field "step"`,
		},
		{
			name:  "unknown field in an object",
			files: map[string]string{sharedObject: spoil(goodObject, `"set": "good"`, `"set": "good", "step": 1`)},
			fails: `unknown field "step"`,
		},
		{
			name:  "value that is not canonical",
			files: map[string]string{sharedArray: spoil(goodArray, `"seed":"0"`, `"seed":"-0"`)},
			fails: "element seeds/1: vectors:",
		},
		{name: "no elements", files: map[string]string{sharedArray: "[]\n"}, fails: "nothing was tested"},
		{
			name:  "no elements in an object",
			files: map[string]string{sharedObject: `{"set":"good","cases":[]}`},
			fails: `list "cases" is empty`,
		},
		{name: "missing file", files: map[string]string{sharedArray: ""}, fails: "array.json: no such file"},
		{name: "missing object", files: map[string]string{sharedObject: ""}, fails: "object.json: no such file"},
		{name: "file cut short", files: map[string]string{sharedArray: strings.TrimSuffix(goodArray, "]\n")}, fails: "unexpected EOF"},
		{name: "array twice", files: map[string]string{sharedArray: goodArray + goodArray}, fails: "after the end of the document"},
		{name: "object twice", files: map[string]string{sharedObject: goodObject + goodObject}, fails: "object.json:"},
		{name: "object for array", files: map[string]string{sharedArray: goodObject}, fails: "document starts with {"},
		{name: "array for object", files: map[string]string{sharedObject: goodArray}, fails: "object.json:"},
		{name: "broken extra root", files: map[string]string{extraArray: "["}, fails: "array.json:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{
				sharedArray: goodArray, trimmedArray: goodArray, extraArray: goodArray,
				sharedObject: goodObject, trimmedObject: goodObject, extraObject: goodObject,
				"module/go.mod":     "module github.com/ariadne-netcode/ariadne\n",
				"module/pkg/doc.go": "package pkg\n",
			}
			maps.Copy(files, c.files)
			out, err := runProbe(t, files, c.env)
			if c.fails == "" {
				require.NoError(t, err, out)
				require.Contains(t, out, "/array/seeds/2 ", "the elements were run")
				require.Contains(t, out, "/seeds/3 ", "the elements of the object were run")
				return
			}
			require.Error(t, err, out)
			require.Contains(t, out, c.fails)
		})
	}
}

// runProbe lays files out, runs the probe in a package folder of the module among them, and returns what it
// printed. The error is non-nil if the probe failed.
func runProbe(t *testing.T, files map[string]string, env []string) (string, error) {
	t.Helper()
	top := t.TempDir()
	for name, text := range files {
		if text == "" {
			continue
		}
		path := filepath.Join(top, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.v", "-test.run=^TestLoaderFailsWhenItMust$")
	cmd.Dir = filepath.Join(top, "module", "pkg")
	cmd.Env = append(os.Environ(), "CI=", "ARIADNE_VECTORS="+filepath.Join(top, "extra"), "VECTORS_PROBE=1")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const list = `[
{"name":"a/1","x":"11111"},
{"name":"b/1","x":"1111111111"},
{"name":"a/2","x":""},
{"name":"a/3","x":"1"}
]
`

const object = `{
  "set": "s", "counts": {"a": [1, 2]},
  "schemas": [
    {"id": 0}, {"id": 1}
  ],
  "cases": [
    {"id": "c-0", "ok": true, "v": "000"},
    {"id": "c-1", "ok": true, "v": ""},
    {"id": "c-2", "ok": false, "v": "00"}
  ],
  "none": [],
  "modes": [7]
}
`

func TestTrim(t *testing.T) {
	for _, c := range []struct {
		name       string
		text       string
		limit      int
		want       string
		kept       int
		missing    []string
		elements   int
		mustRefuse bool
	}{
		{name: "all of a list", text: list, limit: len(list), want: list, elements: 4, kept: 4},
		{
			name: "one of each kind comes first", text: list, limit: 70, elements: 4, kept: 2,
			want: "[\n" + `{"name":"b/1","x":"1111111111"},` + "\n" + `{"name":"a/2","x":""}` + "\n]\n",
		},
		{
			name: "then the second of each", text: list, limit: 95, elements: 4, kept: 3,
			want: "[\n" + `{"name":"b/1","x":"1111111111"},` + "\n" + `{"name":"a/2","x":""},` + "\n" + `{"name":"a/3","x":"1"}` + "\n]\n",
		},
		{
			name: "a kind without room", text: list, limit: 30, elements: 4, kept: 1, missing: []string{"b/"},
			want: "[\n" + `{"name":"a/2","x":""}` + "\n]\n",
		},
		{name: "empty list", text: "[]", limit: 2, want: "[]"},

		{name: "all of an object", text: object, limit: len(object), want: object, elements: 6, kept: 6},
		{
			name: "elements found by position stay", text: object, limit: len(object) - 30, elements: 6, kept: 5,
			want: strings.Replace(object, `{"id": "c-0", "ok": true, "v": "000"},`+"\n    ", "", 1),
		},
		{name: "too small a budget", text: object, limit: 80, mustRefuse: true},

		{name: "a string", text: `"x"`, limit: 100, mustRefuse: true},
		{name: "cut", text: `[{"name":"a"}`, limit: 100, mustRefuse: true},
		{name: "twice", text: `[][]`, limit: 100, mustRefuse: true},
		{name: "nothing", text: ``, limit: 100, mustRefuse: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, r, err := trim([]byte(c.text), c.limit)
			if c.mustRefuse {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
			require.LessOrEqual(t, len(got), c.limit)
			require.True(t, json.Valid(got))
			require.Equal(t, report{c.elements, c.kept, c.missing}, r)
		})
	}
}

// Whatever the limit, the copy is a sub-sequence, respects the limit, and grows with it.
func TestTrimAtEveryLimit(t *testing.T) {
	for _, text := range []string{list, object} {
		kept := 0
		for limit := range len(text) + 1 {
			got, r, err := trim([]byte(text), limit)
			if err != nil {
				require.Zero(t, kept, "a larger limit is refused: %v", err)
				continue
			}
			require.LessOrEqual(t, len(got), limit)
			require.True(t, json.Valid(got), "%s", got)
			require.GreaterOrEqual(t, r.kept, kept)
			kept = r.kept
		}
		require.NotZero(t, kept)
	}
}

// A comparison of two elements is worth nothing without them.
func TestTrimPairs(t *testing.T) {
	const text = `{"cases":[{"id":"c-0"},{"id":"c-1"},{"id":"c-2","note":"long","x":"0123456789"}],` +
		`"pairs":[{"a":"c-0","b":"c-1"},{"a":"c-1","b":"c-2"}]}`
	got, _, err := trim([]byte(text), len(text)-1)
	require.NoError(t, err)
	require.Equal(t, `{"cases":[{"id":"c-0"},{"id":"c-2","note":"long","x":"0123456789"}],"pairs":[]}`, string(got))
	got, _, err = trim([]byte(text), len(text))
	require.NoError(t, err)
	require.Equal(t, text, string(got))
}

func TestGroup(t *testing.T) {
	for _, c := range []struct{ section, raw, want string }{
		{"", `{"name":"server_client/predicted_accept/12"}`, "server_client/predicted_accept/"},
		{"", `{"name":"random/001","id":"x"}`, "random/"},
		{"", `{"value":1}`, ""},
		{"", `7`, ""},
		{"frames", `{"id":"envelope-frame-0001","kind":41}`, "frames"},
		{"streams", `{"id":"s-1","note":"partial prefix"}`, "streams partial prefix"},
		{"decode", `{"id":"d-1","kind":"ack","ok":false,"error":"too_short"}`, "decode ack too_short ok=false"},
		{"cases", `{"id":"m-1","decoder":"tsync_ack","error":"too_short"}`, "cases tsync_ack too_short"},
		{"hellos", `{"id":3}`, ""},
		{"modes", `{"bits":3}`, ""},
	} {
		require.Equal(t, c.want, group(c.section, []byte(c.raw)), c.raw)
	}
}

// TestCommittedCopy holds the copy in the repository to its limit and, where the full set lies beside the
// repository, to what this program makes of it.
func TestCommittedCopy(t *testing.T) {
	module := filepath.Join("..", "..", "..")
	committed := filepath.Join(module, "testdata", "vectors")
	sum := 0
	for _, b := range budgets {
		text, packed := unpack(t, filepath.Join(committed, b.file))
		require.LessOrEqual(t, len(text), b.bytes, b.file)
		require.True(t, json.Valid(text), b.file)
		sum += packed
	}
	require.LessOrEqual(t, sum, total)

	full := filepath.Join(module, "..", "shared", "vectors")
	if _, err := os.Stat(full); errors.Is(err, fs.ErrNotExist) {
		t.Log("the full set is not here; only sizes were checked")
		return
	}
	fresh := t.TempDir()
	require.NoError(t, run(full, fresh))
	for _, b := range budgets {
		// The packed bytes may differ between releases of Go.
		want, _ := unpack(t, filepath.Join(fresh, b.file))
		got, _ := unpack(t, filepath.Join(committed, b.file))
		require.True(t, bytes.Equal(want, got), "%s is stale: go run ./internal/vectors/trim", b.file)
	}
}

// unpack returns the text of a file of the copy and the file's length.
func unpack(t *testing.T, path string) (text []byte, packed int) {
	t.Helper()
	raw, err := os.ReadFile(path + ".gz")
	require.NoError(t, err)
	z, err := gzip.NewReader(bytes.NewReader(raw))
	require.NoError(t, err)
	text, err = io.ReadAll(z)
	require.NoError(t, err)
	return text, len(raw)
}

package ariadne

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFenceFindsBreaches checks each rule on packages that break it and on their neighbours that do not.
func TestFenceFindsBreaches(t *testing.T) {
	const ours = module + "/"
	for _, c := range []struct {
		dir     string
		imports []string
		breaks  string // part of the message, or "" for none
	}{
		{dir: "netcode", imports: []string{"cmp", "encoding", "errors", "fmt", "math", "math/rand/v2"}},
		{dir: "netcode", imports: []string{ours + "registry"}, breaks: "may import only []"},
		{dir: "netcode", imports: []string{ours + "internal/vectors"}, breaks: "may import only []"},
		{dir: "rollback", imports: []string{ours + "netcode"}},
		{dir: "rollback", imports: []string{ours + "journal"}, breaks: "may import only [netcode]"},
		{dir: "protocol", imports: []string{ours + "registry"}, breaks: "may import only [netcode]"},
		{dir: "session", imports: []string{ours + "journal", ours + "rollback"}},
		{dir: "session", imports: []string{ours + "journal/filejournal"}, breaks: "may import only"},
		{dir: "session", imports: []string{ours + "transport/citadel"}, breaks: "may import only"},
		{dir: "journal/filejournal", imports: []string{ours + "journal", "os", "hash/crc32"}},
		{dir: "journal/filejournal", imports: []string{"sync"}, breaks: "only packages under"},
		{dir: "journal/filejournal", imports: []string{ours + "session"}, breaks: "may import only"},

		{dir: "session", imports: []string{"net"}, breaks: "pure package"},
		{dir: "session", imports: []string{"net/netip"}, breaks: "pure package"},
		{dir: "session", imports: []string{"os"}, breaks: "pure package"},
		{dir: "session", imports: []string{"os/signal"}, breaks: "pure package"},
		{dir: "session", imports: []string{"time"}, breaks: "pure package"},
		{dir: "session", imports: []string{"sync"}, breaks: "pure package"},
		{dir: "session", imports: []string{"sync/atomic"}, breaks: "pure package"},
		{dir: "session", imports: []string{"context"}, breaks: "pure package"},
		{dir: "session", imports: []string{"crypto/rand"}, breaks: "pure package"},
		{dir: "session", imports: []string{"math/rand"}, breaks: "pure package"},
		{dir: "session", imports: []string{"log"}, breaks: "pure package"},
		{dir: "session", imports: []string{"log/slog"}, breaks: "pure package"},
		{dir: "session", imports: []string{"unsafe"}, breaks: "pure package"},
		{dir: "session", imports: []string{"reflect"}, breaks: "pure package"},
		{dir: "registry", imports: []string{"reflect"}},
		{dir: "registry", imports: []string{"unsafe"}, breaks: "pure package"},
		{dir: "session", imports: []string{"crypto/sha256", "logical", "timer"}},

		{dir: "transport/citadel", imports: []string{"context", "net", "sync", "time", "github.com/quic-go/quic-go"}},
		{dir: "transport/citadel", imports: []string{ours + "session"}, breaks: "must not know sessions"},
		{dir: "transport/memory", imports: []string{ours + "session"}, breaks: "must not know sessions"},
		{dir: "transport/citadel/room", imports: []string{ours + "session/part"}, breaks: "must not know sessions"},
		{dir: bridge, imports: []string{ours + "session", ours + "transport/citadel", "context"}},
		{dir: "examples/maze", imports: []string{ours + "session", ours + "transport/citadel", "time"}},
		{dir: "netgame", imports: []string{ours + "session", ours + "transport/citadel"}, breaks: "meet only in"},
		{dir: "transport/citadel/tsync", imports: []string{ours + "transport/citadel/bitpack", ours + "transport/citadel/wire"}},
		{dir: "transport/citadel/tsync", imports: []string{ours + "transport/citadel/netpeer"}, breaks: "may import only"},
		{dir: "transport/citadel/wire", imports: []string{ours + "transport/citadel/bitpack"}, breaks: "may import only []"},
		{dir: "transport/citadel/tsync/server", imports: []string{ours + "transport/citadel/tsync", ours + "transport/citadel/interest"}},
		{dir: "transport/citadel/tsync/server", imports: []string{ours + "transport/citadel/tsync/client"}, breaks: "may import only"},
		{dir: "transport/citadel/tsync/more", imports: []string{ours + "transport/citadel/tsync", ours + "netcode"}},
		{dir: "transport/citadel/tsync/more", imports: []string{ours + "transport/citadel"}, breaks: "only its like"},
		{dir: "transport/citadel/wire", imports: []string{"time"}, breaks: "pure package"},
		{dir: "transport/citadel/wire/part", imports: []string{"net"}, breaks: "pure package"},
		{dir: "transport/citadel/bitpack", imports: []string{"github.com/quic-go/quic-go/quicvarint"}, breaks: "must not link"},
		{dir: "transport/citadel/schema", imports: []string{"lukechampine.com/blake3"}},
		{dir: "transport/citadel/quant", imports: []string{"lukechampine.com/blake3"}, breaks: "only packages under"},

		{dir: "examples/maze", imports: []string{"github.com/quic-go/quic-go"}, breaks: "only packages under"},
		{dir: "transport/citadel/wt", imports: []string{"github.com/quic-go/webtransport-go", "github.com/quic-go/quic-go/http3"}},
		{dir: "transport/citadel", imports: []string{"github.com/quic-go/webtransport-go"}, breaks: "only packages under"},
		{dir: "transport/citadel/ws", imports: []string{"github.com/coder/websocket", "net/http"}},
		{dir: "transport/citadel", imports: []string{"github.com/coder/websocket"}, breaks: "only packages under"},
		{dir: "session", imports: []string{"lukechampine.com/blake3"}, breaks: "only packages under"},
		{dir: "cmd/netcmdvet", imports: []string{"golang.org/x/tools/go/analysis", "sync"}},
		{dir: "session", imports: []string{"golang.org/x/tools/go/analysis"}, breaks: "only packages under"},
		{dir: "cmd/netcmdvet", imports: []string{"github.com/pkg/errors"}, breaks: "not among those"},
		{dir: "session", imports: []string{"github.com/stretchr/testify/require"}, breaks: "only packages under"},
		{dir: "analyzer", imports: []string{"sync"}, breaks: "only packages under"},
		{dir: ".", imports: []string{"time"}, breaks: "only packages under"},
	} {
		s := source{dir: c.dir, imports: map[string]string{}}
		for _, imp := range c.imports {
			s.imports[imp] = "file.go"
		}
		var got []string
		for _, imp := range c.imports {
			got = append(got, broken(s, imp)...)
		}
		if c.breaks == "" {
			require.Empty(t, got, "%s %v", c.dir, c.imports)
			continue
		}
		require.NotEmpty(t, got, "%s %v", c.dir, c.imports)
		require.Contains(t, got[0], c.breaks, "%s %v", c.dir, c.imports)
	}
}

func TestFenceNamesTheBreach(t *testing.T) {
	var tree []source
	for _, dir := range core[:len(core)-1] {
		tree = append(tree, source{dir: dir})
	}
	tree = append(tree,
		source{dir: "transport/citadel/wire", imports: map[string]string{"fmt": "a.go", "time": "clock.go"}},
		source{dir: "transport/citadel", concurrency: []string{"conn.go:7: go statement"}},
		source{dir: "transport/citadel/tsync", concurrency: []string{"run.go:12: go statement"}},
	)
	require.Equal(t, []string{
		"package session is missing: the fence protects nothing",
		`package transport/citadel/wire imports "time" in clock.go: a pure package has no goroutine, clock, randomness, I/O or reflection`,
		"package transport/citadel/tsync: run.go:12: go statement: the package must not know about concurrency",
	}, violations(tree))
}

func TestFenceReadsEveryFile(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                   "module m\n",
		"root.go":                  "package m\n",
		"a/a.go":                   "package a\n\nimport (\n\t_ \"os\"\n\tx \"time\"\n)\n\nvar _ x.Time\n",
		"a/b_windows.go":           "package a\n\nimport \"sync\"\n\nvar c chan int\n",
		"a/c.go":                   "//go:build never\n\npackage a\n\nfunc f() {\n\tgo f()\n\tselect {}\n}\n",
		"a/d.go":                   "package a\n\nfunc g() {\n\tc <- 1\n\t<-c\n}\n",
		"a/a_test.go":              "package a\n\nimport \"net\"\n",
		"a/testdata/x.go":          "package x\n\nimport \"net\"\n",
		"nested/go.mod":            "module m/nested\n",
		"nested/n.go":              "package n\n\nimport \"net\"\n",
		".hidden/h.go":             "package h\n",
		"_old/o.go":                "package o\n",
		"transport/citadel/doc.go": "package citadel\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	tree, err := load(root)
	require.NoError(t, err)
	require.Equal(t, []source{
		{dir: ".", imports: map[string]string{}},
		{
			dir:     "a",
			imports: map[string]string{"os": "a.go", "time": "a.go", "sync": "b_windows.go"},
			concurrency: []string{
				"b_windows.go:5: channel type", "c.go:6: go statement", "c.go:7: select statement",
				"d.go:4: channel send", "d.go:5: channel receive",
			},
		},
		{dir: "transport/citadel", imports: map[string]string{}},
	}, tree)
}

// TestLinterMirrorsFence keeps the copy of the fence that editors read from forgetting an import or a package.
func TestLinterMirrorsFence(t *testing.T) {
	text, err := os.ReadFile(".golangci.yml")
	require.NoError(t, err)
	for _, pkg := range slices.Concat(impure, concurrent, slices.Collect(maps.Keys(foreign))) {
		// An entry matches every path that starts with it, unless it ends in a dollar sign.
		require.Regexp(t, `(?m)^ +- pkg: `+regexp.QuoteMeta(pkg)+`\$?$`, string(text), "an import that is fenced")
	}
	for _, dir := range append(slices.Concat(core, citadelPure), bridge, "journal/filejournal") {
		require.Contains(t, string(text), "${config-path}/"+dir+"/**", "a package that is fenced")
	}
}

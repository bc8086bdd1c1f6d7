package ariadne

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/ariadne-netcode/ariadne"

// The packages of the fence, by their folders. The core must exist; of the others, those that exist are held
// to the rules.
var (
	core = []string{"netcode", "registry", "registry/payload", "protocol", "journal", "rollback", "session"}

	// citadelPure are the codecs and state machines of the transport.
	citadelPure = []string{
		"transport/citadel/bitpack", "transport/citadel/quant", "transport/citadel/baseline",
		"transport/citadel/schema", "transport/citadel/interest", "transport/citadel/wire",
		"transport/citadel/tsync", "transport/citadel/netpeer",
	}

	// bridge is the one package for users in which session and transport meet.
	bridge = "transport/citadel/bridge"

	// arrows lists what a package may import of this module. Packages that are not listed are free, within
	// the other rules.
	arrows = map[string][]string{
		"netcode":             {},
		"registry":            {"netcode"},
		"registry/payload":    {},
		"protocol":            {"netcode"},
		"journal":             {"netcode"},
		"journal/filejournal": {"netcode", "journal"},
		"rollback":            {"netcode"},
		"session":             {"netcode", "registry", "protocol", "journal", "rollback"},

		"transport/citadel/bitpack":  {},
		"transport/citadel/quant":    {},
		"transport/citadel/schema":   {},
		"transport/citadel/baseline": {},
		"transport/citadel/interest": {},
		"transport/citadel/wire":     {},
		"transport/citadel/tsync":    {"transport/citadel/bitpack", "transport/citadel/quant", "transport/citadel/wire"},
		"transport/citadel/netpeer": {"transport/citadel/bitpack", "transport/citadel/quant", "transport/citadel/schema",
			"transport/citadel/wire"},

		// The state machines above the codecs.
		"transport/citadel/tsync/motion": {"transport/citadel/tsync"},
		"transport/citadel/tsync/rewind": {"transport/citadel/tsync"},
		"transport/citadel/tsync/jitter": {},
		"transport/citadel/tsync/congestion": {"transport/citadel/baseline", "transport/citadel/tsync/jitter",
			"transport/citadel/tsync/rewind"},
		"transport/citadel/tsync/server": {"transport/citadel/baseline", "transport/citadel/interest", "transport/citadel/tsync",
			"transport/citadel/tsync/congestion", "transport/citadel/tsync/motion", "transport/citadel/tsync/rewind",
			"transport/citadel/wire"},
		"transport/citadel/tsync/client": {"transport/citadel/baseline", "transport/citadel/tsync",
			"transport/citadel/tsync/jitter", "transport/citadel/tsync/motion", "transport/citadel/wire"},
		"transport/citadel/tsync/actors": {"transport/citadel/tsync", "transport/citadel/tsync/motion",
			"transport/citadel/tsync/rewind", "transport/citadel/tsync/server", "transport/citadel/wire"},
		"transport/citadel/netpeer/replica": {"transport/citadel/baseline", "transport/citadel/interest",
			"transport/citadel/netpeer", "transport/citadel/quant", "transport/citadel/schema"},
		"transport/citadel/netpeer/authority": {"transport/citadel/netpeer", "transport/citadel/netpeer/replica",
			"transport/citadel/schema", "transport/citadel/wire"},
	}

	// foreign lists the folders that may import another module, by import path prefix. A module that is not
	// listed may not be imported at all.
	foreign = map[string][]string{
		"github.com/quic-go/quic-go":         {"transport/citadel"},
		"github.com/quic-go/webtransport-go": {"transport/citadel/wt"}, // WebTransport on top of QUIC
		"github.com/coder/websocket":         {"transport/citadel/ws"}, // WebSocket: hello, goodbye and reading
		"golang.org/x/tools":                 {"analyzer", "cmd", "internal"},
		"lukechampine.com/blake3":            {"transport/citadel/schema", "examples"}, // hashes of schemas and of states
		"github.com/stretchr/testify":        {"internal"},                             // test helpers; tests themselves are not fenced
	}

	// impure are the standard packages by which goroutines, clocks, chance, I/O and addresses come in, together
	// with what lies below them.
	impure = []string{
		"C", "context", "crypto/rand", "hash/maphash", "log", "math/rand", "net", "os", "plugin", "reflect",
		"sync", "syscall", "testing", "time", "unsafe",
	}

	// pureExceptions are the imports that a pure package may have all the same.
	pureExceptions = map[string][]string{
		"registry": {"reflect"}, // a type's full name is taken at registration, never afterwards

		// As a value inside the state. Its global functions are the business of the analyzers.
		"": {"math/rand/v2"},
	}

	// concurrent are the standard packages that only the outer folders may import.
	concurrent = []string{"context", "sync", "time"}
	outer      = []string{"cmd", "examples", "internal", "transport/citadel"}
)

// source is the non-test code of one package: what it imports and which concurrency it uses, both with the
// place where it was found.
type source struct {
	dir         string            // relative to the module, with slashes; "." is the root
	imports     map[string]string // import path to file
	concurrency []string          // "file:line: go statement"
}

func TestFence(t *testing.T) {
	tree, err := load(".")
	require.NoError(t, err)
	for _, v := range violations(tree) {
		t.Error(v)
	}
}

// TestCoreDependencies looks at everything that is linked with the core, however indirectly.
func TestCoreDependencies(t *testing.T) {
	args := []string{"list", "-deps", "-json=ImportPath,Standard,Module"}
	for _, dir := range core {
		args = append(args, "./"+dir)
	}
	deps := goList(t, ".", nil, args...)
	require.Greater(t, len(deps), len(core))
	for _, d := range deps {
		if !d.Standard && d.Module.Path != module {
			t.Errorf("the core depends on %s of module %s: it may reach only this module and the standard library", d.ImportPath, d.Module.Path)
		}
	}
}

// violations returns a line for each import, go statement and so on that breaks a rule of the fence.
func violations(tree []source) []string {
	var out []string
	present := map[string]bool{}
	for _, s := range tree {
		present[s.dir] = true
	}
	for _, dir := range core {
		if !present[dir] {
			out = append(out, fmt.Sprintf("package %s is missing: the fence protects nothing", dir))
		}
	}

	for _, s := range tree {
		for _, imp := range slices.Sorted(maps.Keys(s.imports)) {
			for _, rule := range broken(s, imp) {
				out = append(out, fmt.Sprintf("package %s imports %q in %s: %s", s.dir, imp, s.imports[imp], rule))
			}
		}
		if isPure(s.dir) || s.dir == "journal/filejournal" {
			for _, place := range s.concurrency {
				out = append(out, fmt.Sprintf("package %s: %s: the package must not know about concurrency", s.dir, place))
			}
		}
	}
	return out
}

// broken returns the rules that an import of s breaks.
func broken(s source, imp string) []string {
	var rules []string
	say := func(format string, args ...any) { rules = append(rules, fmt.Sprintf(format, args...)) }

	target, ours := strings.CutPrefix(imp, module+"/")
	switch {
	case ours:
		if allowed, fenced := arrows[s.dir]; fenced && !slices.Contains(allowed, target) {
			say("of this module it may import only %v", allowed)
		}
		if isCitadelPure(s.dir) && target != "netcode" && !isCitadelPure(target) {
			say("a pure package of the transport may import only its like and netcode")
		}
		if below("transport", s.dir) && below("session", target) && s.dir != bridge {
			say("a transport must not know sessions; only %s may", bridge)
		}
		if below("transport", target) && importsBelow(s, "session") && s.dir != bridge && !belowAny([]string{"cmd", "examples", "internal"}, s.dir) {
			say("session and transport meet only in %s and in applications", bridge)
		}

	case isStandard(imp):
		if isPure(s.dir) && belowAny(impure, imp) &&
			!belowAny(pureExceptions[""], imp) && !belowAny(pureExceptions[s.dir], imp) {
			say("a pure package has no goroutine, clock, randomness, I/O or reflection")
		}
		if belowAny(concurrent, imp) && !belowAny(outer, s.dir) {
			say("only packages under %v may import %v", outer, concurrent)
		}

	default:
		folders, known := []string(nil), false
		for prefix, f := range foreign {
			if below(prefix, imp) {
				folders, known = f, true
			}
		}
		switch {
		case !known:
			say("the module is not among those that may be imported; if it is needed, say why and add it to the fence")
		case !belowAny(folders, s.dir):
			say("only packages under %v may import it", folders)
		case isCitadelPure(s.dir) && !slices.Contains(folders, s.dir):
			say("a pure package of the transport must not link it")
		}
	}
	return rules
}

func isPure(dir string) bool { return slices.Contains(core, dir) || isCitadelPure(dir) }

// isCitadelPure includes what lies below the pure packages: a helper package does not get around the fence.
func isCitadelPure(dir string) bool { return belowAny(citadelPure, dir) }

// isStandard goes by the rule of the go command: the first element of a path has a dot in it unless the
// package is a standard one.
func isStandard(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

// below reports whether the path is root or lies below it.
func below(root, p string) bool { return p == root || strings.HasPrefix(p, root+"/") }

func belowAny(roots []string, p string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return below(r, p) })
}

func importsBelow(s source, dir string) bool {
	for imp := range s.imports {
		if below(module+"/"+dir, imp) {
			return true
		}
	}
	return false
}

// load parses the non-test code of every package below the module's folder. Build constraints are ignored: a
// file for another system is fenced like any other.
func load(root string) ([]source, error) {
	found := map[string]*source{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name == root {
				return nil
			}
			base := d.Name()
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' || err == nil {
				return fs.SkipDir // no package of this module
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		dir := path.Dir(rel)
		if found[dir] == nil {
			found[dir] = &source{dir: dir, imports: map[string]string{}}
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return found[dir].add(path.Base(rel), text)
	})
	if err != nil {
		return nil, err
	}
	var tree []source
	for _, dir := range slices.Sorted(maps.Keys(found)) {
		tree = append(tree, *found[dir])
	}
	return tree, nil
}

// add takes the code of one file into s.
func (s *source) add(file string, text []byte) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if s.imports[imp] == "" {
			s.imports[imp] = file
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		what := ""
		switch n := n.(type) {
		case *ast.GoStmt:
			what = "go statement"
		case *ast.SelectStmt:
			what = "select statement"
		case *ast.ChanType:
			what = "channel type"
		case *ast.SendStmt:
			what = "channel send"
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				what = "channel receive"
			}
		}
		if what != "" {
			pos := fset.Position(n.Pos())
			s.concurrency = append(s.concurrency, fmt.Sprintf("%s:%d: %s", pos.Filename, pos.Line, what))
		}
		return true
	})
	return nil
}

// listed is what go list says about a package.
type listed struct {
	ImportPath string
	Standard   bool
	Module     struct{ Path string }
}

// goList runs the go command in a folder and decodes the packages that it lists.
func goList(t *testing.T, dir string, env []string, args ...string) []listed {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(runGo(t, dir, env, args...)))
	var all []listed
	for {
		var p listed
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// runGo runs the go command in a folder and returns what it prints.
func runGo(t *testing.T, dir string, env []string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "go %v: %s", args, &stderr)
	return stdout.Bytes()
}

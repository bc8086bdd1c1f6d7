package hazards

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// target is a machine to build and run for.
type target struct {
	name    string
	env     []string
	runner  func() []string // the command that runs a program, without the program; nil if there is none here
	overlay bool            // with another version of the standard library's sorts
}

var targets = []target{
	{name: "v1", env: []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1"}, runner: onAMD64},
	{name: "v3", env: []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}, runner: onV3},
	{name: "arm64", env: []string{"GOOS=linux", "GOARCH=arm64"}, runner: under("qemu-aarch64")},
	{name: "arm", env: []string{"GOOS=linux", "GOARCH=arm", "GOARM=7"}, runner: under("qemu-arm")},
	{name: "s390x", env: []string{"GOOS=linux", "GOARCH=s390x"}, runner: under("qemu-s390x")},
	{name: "wasm", env: []string{"GOOS=js", "GOARCH=wasm"}, runner: onNode},
	{name: "othersort", env: []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1"}, runner: onAMD64, overlay: true},
}

func under(emulator string, args ...string) func() []string {
	return func() []string {
		path, err := exec.LookPath(emulator)
		if err != nil {
			return nil
		}
		return append([]string{path}, args...)
	}
}

func onAMD64() []string {
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		return []string{} // by itself
	}
	return under("qemu-x86_64")()
}

// onV3 needs a processor that can fuse.
func onV3() []string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	if native := onAMD64(); len(native) == 0 && regexp.MustCompile(`(?m)^flags\s*:.*\bfma\b.*\bbmi2\b`).Match(info) {
		return native
	}
	return under("qemu-x86_64", "-cpu", "max")()
}

func onNode() []string {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil
	}
	return []string{node, filepath.Join(goroot(), "lib", "wasm", "wasm_exec_node.js")}
}

func goroot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// needs skips a test whose target cannot run here. In CI it must.
func (tg target) needs(t *testing.T) []string {
	command := tg.runner()
	if command != nil {
		return command
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("nothing here runs %s: install node and qemu-user", tg.name)
	}
	t.Skipf("nothing here runs %s: node or qemu-user is missing", tg.name)
	return nil
}

// results are the numbers that a program prints, by their names.
type results map[string]string

// build builds the program of a module for the target and returns its path.
func (tg target) build(t *testing.T, module string) string {
	bin := filepath.Join(t.TempDir(), "program")
	args := []string{"build", "-o", bin}
	if testing.Short() {
		args = append(args, "-ldflags=-X=main.quick=yes")
	}
	if tg.overlay {
		args = append(args, "-overlay="+sortOverlay(t))
	}
	cmd := exec.Command("go", append(args, "./program")...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), append(tg.env, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", tg.name, out)
	return bin
}

// run runs a program that was built for the target.
func (tg target) run(t *testing.T, bin string) results {
	command := append(tg.needs(t), bin)
	var out bytes.Buffer
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &out // println writes to one of them
	require.NoError(t, cmd.Run(), "%s: %s", tg.name, &out)
	r := results{}
	for line := range strings.Lines(out.String()) {
		name, number, ok := strings.Cut(strings.TrimSpace(line), " ")
		require.True(t, ok, "%s prints %q", tg.name, line)
		r[name] = number
	}
	return r
}

// sortOverlay returns an overlay file that makes the standard library's sorts treat short ranges differently, as
// another release may do. Nothing that they promise changes.
func sortOverlay(t *testing.T) string {
	dir := t.TempDir()
	replace := map[string]string{}
	for _, file := range []string{"sort/zsortfunc.go", "sort/zsortinterface.go", "slices/zsortanyfunc.go"} {
		path := filepath.Join(goroot(), "src", filepath.FromSlash(file))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		const limit = "const maxInsertion = 12"
		require.Contains(t, string(text), limit, "the sort of this Go release is another one: find another knob")
		changed := filepath.Join(dir, filepath.Base(file))
		text = bytes.ReplaceAll(text, []byte(limit), []byte("const maxInsertion = 5"))
		require.NoError(t, os.WriteFile(changed, text, 0o666))
		replace[path] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, text, 0o666))
	return overlay
}

func (r results) String() string { return fmt.Sprint(map[string]string(r)) }

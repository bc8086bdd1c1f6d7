//go:build !js

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goTool runs the go command for js/wasm.
func goTool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// findNode returns a Node that knows WebSocket, which version 20 has to be told, or "".
func findNode() string {
	node, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	const probe = "process.exit(typeof WebSocket === 'function' ? 0 : 1)"
	if exec.Command(node, "--experimental-websocket", "-e", probe).Run() != nil {
		return ""
	}
	return node
}

// The client is compiled as for a browser, and plays by WebSocket beside a native one.
func TestWASM(t *testing.T) {
	if testing.Short() {
		t.Skip("compiling for js/wasm takes its time")
	}
	t.Parallel()
	wasm := filepath.Join(t.TempDir(), "maze.wasm")
	goTool(t, "build", "-o", wasm, ".")
	goTool(t, "vet", ".", "./game")

	node := findNode()
	if node == "" {
		t.Log("it compiles; there is no Node with WebSocket to run it")
		return
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	support := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")

	program, dir := build(t), t.TempDir()
	server := start(t, program, "serve", "-transport", "all", "-addr", "127.0.0.1:0", "-dir", dir, "-state", "30")
	served, _ := server.out.await(t, 0, `serving at (\S+) by ws`)
	pin, _ := server.out.await(t, 0, `pin (\S+)`)
	native := start(t, program, "join", "-auto", "-name", "native", "-dir", dir)
	page := start(t, node, "--experimental-websocket", "--no-warnings", support,
		wasm, "join", "-auto", "-name", "page", "-addr", served[1], "-pin", pin[1], "-state", "30")
	page.out.await(t, 0, readyLine)
	page.out.await(t, 0, `2 players, [1-9]\d* gold`)
	native.out.await(t, 0, `2 players, [1-9]\d* gold`)
	state, _ := page.out.await(t, 0, `state at step (\d+): ([0-9a-f]{16})`)
	require.Equal(t, stateLines(server.out.String())[state[1]], state[2], "state at step %s", state[1])
	native.quit()
	server.quit()
}

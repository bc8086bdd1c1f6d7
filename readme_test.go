package ariadne_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadmeTutorial does what the tutorial says, with the code that is printed there, and expects what it
// promises.
func TestReadmeTutorial(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir := t.TempDir()
	blocks := regexp.MustCompile("(?s)```go\n// (\\w+\\.go)\n(.*?)```").FindAllSubmatch(readme, -1)
	require.Len(t, blocks, 5)
	for _, b := range blocks {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(b[1])), b[2], 0o666))
	}

	// Offline: the module's own requirements and checksums, and the working copy in the place of a release.
	root, err := os.Getwd()
	require.NoError(t, err)
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	mod = bytes.Replace(mod, []byte("module github.com/ariadne-netcode/ariadne"), []byte("module example.com/sled"), 1)
	mod = append(mod, "\nrequire github.com/ariadne-netcode/ariadne v0.0.0\nreplace github.com/ariadne-netcode/ariadne => "+root+"\n"...)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o666))
	sum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666))

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	program := filepath.Join(dir, "sled_game")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	for _, args := range [][]string{{"generate"}, {"build", "-o", program, "."}} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "go %v: %s", args, out)
	}

	start := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
		require.NoError(t, cmd.Start())
		return cmd, &out
	}
	server, serverOut := start("serve")
	require.Eventually(t, func() bool {
		pin, err := os.ReadFile(filepath.Join(dir, "server.pin"))
		return err == nil && len(pin) > 0
	}, 30*time.Second, 10*time.Millisecond)
	ann, annOut := start("join", "ann")
	bob, bobOut := start("join", "bob")
	for cmd, out := range map[*exec.Cmd]*bytes.Buffer{ann: annOut, bob: bobOut, server: serverOut} {
		require.NoError(t, cmd.Wait(), "%s", out)
	}

	world := regexp.MustCompile(`\{Pos:.*\}`)
	want := world.FindString(serverOut.String())
	require.NotEmpty(t, want)
	require.NotContains(t, want, "Pos:[0 0]", "nothing happened")
	for _, out := range []string{annOut.String(), bobOut.String()} {
		require.Equal(t, want, world.FindString(out), "%s", out)
		require.Regexp(t, `predicted [1-9]\d* commands, [1-9]`, out)
	}
}

// TestReadmeCommands keeps the two commands that everybody tries first where they are looked for.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, command := range []string{"go run ./examples/maze demo", "go test ./..."} {
		require.True(t, strings.Contains(string(readme), "```sh\n"+command+"\n```"), command)
	}
}

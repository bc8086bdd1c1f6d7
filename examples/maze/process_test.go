package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is the real program in a process of its own.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *output
	done chan struct{}
	err  error // of Wait, once done is closed
}

func build(t *testing.T) (program string) {
	program = filepath.Join(t.TempDir(), "maze")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

func start(t *testing.T, program string, args ...string) *process {
	p := &process{t: t, cmd: exec.Command(program, args...), out: new(output), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	require.NoError(t, p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends a process without giving it a chance to say anything, as SIGKILL does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

// quit asks a process to end and expects that it does so in good order.
func (p *process) quit() {
	p.t.Helper()
	if runtime.GOOS == "windows" { // has no such signal
		p.kill()
		return
	}
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-p.done:
		require.NoError(p.t, p.err, "%s", p.out)
	case <-time.After(patience):
		p.t.Fatalf("does not end:\n%s", p.out)
	}
}

// stateLines returns the hashes that a peer has printed, by step.
func stateLines(text string) map[string]string {
	lines := make(map[string]string)
	for _, m := range regexp.MustCompile(`state at step (\d+): ([0-9a-f]{16})`).FindAllStringSubmatch(text, -1) {
		lines[m[1]] = m[2]
	}
	return lines
}

const readyLine = `ready at step (\d+) as author (\d+), next sequence (\d+)`

func TestProcesses(t *testing.T) {
	t.Parallel()
	program, dir := build(t), t.TempDir()
	serve := func(addr string) *process {
		return start(t, program, "serve", "-addr", addr, "-dir", dir, "-state", "30")
	}
	join := func() *process {
		return start(t, program, "join", "-auto", "-name", "ann", "-dir", dir, "-state", "30")
	}

	server := serve("127.0.0.1:0")
	served, _ := server.out.await(t, 0, `serving at (\S+)`)
	addr := served[1]
	_, err := os.Stat(filepath.Join(dir, ticketFile))
	require.NoError(t, err)

	// A client plays and is killed.
	client := join()
	first, end := client.out.await(t, 0, readyLine)
	client.out.await(t, end, `1 players, [1-9]\d* gold`)
	client.kill()

	// It comes back as the same author and uses no sequence twice.
	client = join()
	again, end := client.out.await(t, 0, readyLine)
	require.Equal(t, first[2], again[2], "author")
	require.Equal(t, "0", first[3])
	require.NotEqual(t, "0", again[3], "sequences go on")
	client.out.await(t, end, `1 players, `)
	require.NotContains(t, client.out.String(), "2 players")

	// Server and client agree.
	state, end := client.out.await(t, 0, `state at step (\d+): ([0-9a-f]{16})`)
	require.Equal(t, stateLines(server.out.String())[state[1]], state[2], "state at step %s", state[1])

	// The server is killed. The client says so, and finds the next one at the same address.
	server.kill()
	killed := time.Now()
	_, end = client.out.await(t, end, `connection lost: .*\(timeout\)`)
	t.Logf("the client noticed %v after the server was killed", time.Since(killed).Round(time.Millisecond))
	server = serve(addr)
	server.out.await(t, 0, `serving at`)
	_, end = client.out.await(t, end, `another game`)
	fresh, end := client.out.await(t, end, readyLine)
	require.Equal(t, first[2], fresh[2])
	client.out.await(t, end, `1 players, [1-9]\d* gold`)

	client.quit()
	server.quit()
}

//go:build !js

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
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

// program is where the program is, compiled once for all tests. TestMain removes it.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "maze")
	if err != nil {
		return "", err
	}
	programDir = dir
	name := filepath.Join(dir, "maze")
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", name, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return name, nil
})

var programDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	name, err := program()
	require.NoError(t, err)
	return name
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

// A server is reached by all transports at once, and found again by them.
func TestProcessesOverTheWeb(t *testing.T) {
	t.Parallel()
	program, dir := build(t), t.TempDir()
	serve := func() *process {
		return start(t, program, "serve", "-transport", "all", "-addr", "127.0.0.1:0", "-dir", dir)
	}
	server := serve()
	for _, by := range transports {
		server.out.await(t, 0, `serving at \S+ by `+string(by))
	}
	server.out.await(t, 0, `pin [0-9a-f]{64}`)

	clients := make(map[transport]*process)
	for _, by := range []transport{overWS, overWT} {
		clients[by] = start(t, program, "join", "-auto", "-name", string(by), "-dir", dir, "-transport", string(by))
	}
	for _, client := range clients {
		client.out.await(t, 0, `2 players, [1-9]\d* gold`)
	}

	// The next server has other addresses, and the clients follow the ticket.
	server.kill()
	server = serve()
	for _, client := range clients {
		_, end := client.out.await(t, 0, `connection lost`)
		_, end = client.out.await(t, end, `another game`)
		_, end = client.out.await(t, end, readyLine)
		client.out.await(t, end, `2 players, [1-9]\d* gold`)
	}
	for _, client := range clients {
		client.quit()
	}
	server.quit()
}

// A client is told that its server cannot be reached in the way that it wants.
func TestTransportThatIsNotOffered(t *testing.T) {
	p := newParty(t)
	dir := t.TempDir()
	left := p.server.ticket
	left.Addrs = map[transport]string{overQUIC: left.Addrs[overQUIC]}
	require.NoError(t, writeTicket(dir, left))
	code, _, errs := runMaze(t, "", "join", "-auto", "-transport", "ws", "-dir", dir)
	require.Equal(t, 1, code)
	require.Contains(t, errs, "cannot be reached by ws")
}

//go:build linux

// Package browser has the test that shows that pages, and programs compiled for them, can play: a real browser
// against a real server.
package browser_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

// What the page and the program ask for: see testdata.
const (
	kindEcho wire.Kind = 200
	kindKick wire.Kind = 201
)

// patience bounds the whole conversation.
const patience = 90 * time.Second

// settings is what the page is told.
type settings struct {
	WS       string `json:"ws"`
	WT       string `json:"wt"`
	Hash     string `json:"hash"`
	StrictWS string `json:"strictWS"` // lets no foreign page in
	StrictWT string `json:"strictWT"`
	Cable    string `json:"cable"` // leads to WS until it is cut
	CutPath  string `json:"cutPath"`
	Silence  int64  `json:"silence"` // for which both say nothing, in milliseconds
	WASM     bool   `json:"wasm"`
}

// result is how one step went.
type result struct {
	Name   string
	OK     bool
	Detail string
}

func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser and a compiler take their time")
	}
	findChromium(t)
	program := buildProgram(t)

	page := &page{program: program, reports: make(chan []result, 1)}
	front := httptest.NewServer(page)
	defer front.Close()
	origin := strings.TrimPrefix(front.URL, "http://")

	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	g := startGame(t, &tls.Config{Certificates: []tls.Certificate{cert}}, origin)
	strict := startGame(t, &tls.Config{Certificates: []tls.Certificate{cert}})
	cable := newCable(t, g.wsAddr)
	page.cable = cable
	page.settings = settings{
		WS: "ws://" + g.wsAddr + "/", WT: "https://" + g.ln.Addr().String() + "/", Hash: pin,
		StrictWS: "ws://" + strict.wsAddr + "/", StrictWT: "https://" + strict.ln.Addr().String() + "/",
		Cable: "ws://" + cable.addr + "/", CutPath: front.URL + "/cut", WASM: true,
		Silence: (citadel.DefaultIdleTimeout + 2*time.Second).Milliseconds(),
	}

	browse(t, front.URL)
	select {
	case results := <-page.reports:
		for _, r := range results {
			t.Run(r.Name, func(t *testing.T) { require.True(t, r.OK, r.Detail) })
		}
		require.Len(t, results, 28)
	case <-time.After(patience):
		page.mu.Lock()
		defer page.mu.Unlock()
		t.Fatalf("the page has reported nothing, but began %q", page.steps)
	}

	// What the server has seen of it.
	require.Zero(t, strict.ln.Stats().Accepted)
	require.Equal(t, 2, g.ready(), "members of rooms that have loaded the map")
	require.Equal(t, map[citadel.Code]int{0x101: 4, 0x102: 2, 0x103: 2, citadel.CodeTimeout: 1}, g.closed(t, 9))
}

// buildProgram compiles the client for the browser.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "client.wasm")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./testdata/wasmclient")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// page is the web server that the page comes from.
type page struct {
	program  string
	settings settings
	cable    *cable
	reports  chan []result

	mu    sync.Mutex
	steps []string // that have begun
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		http.ServeFile(w, r, "testdata/page/index.html")
	case "/main.js", "/citadel.js":
		http.ServeFile(w, r, "testdata/page"+r.URL.Path)
	case "/wasm_exec.js":
		root, err := exec.CommandContext(r.Context(), "go", "env", "GOROOT").Output()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		http.ServeFile(w, r, filepath.Join(string(bytes.TrimSpace(root)), "lib", "wasm", "wasm_exec.js"))
	case "/client.wasm":
		http.ServeFile(w, r, p.program)
	case "/settings.json":
		_ = json.NewEncoder(w).Encode(p.settings)
	case "/step":
		name, _ := io.ReadAll(io.LimitReader(r.Body, 100))
		p.mu.Lock()
		p.steps = append(p.steps, string(name))
		p.mu.Unlock()
	case "/cut":
		p.cable.cut()
	case "/report":
		var results []result
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&results); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p.reports <- results
	default:
		http.NotFound(w, r)
	}
}

// game is a server that is reached in both ways.
type game struct {
	ln     *citadel.Listener
	wsAddr string

	mu    sync.Mutex
	codes map[citadel.Code]int // how connections ended
	maps  int                  // how often a map was ready
}

// startGame starts a server that lets the pages of some origins in.
func startGame(t *testing.T, conf *tls.Config, origins ...string) *game {
	t.Helper()
	g := &game{codes: make(map[citadel.Code]int)}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		TLS: conf, ALPN: wt.NewServer(wt.Options{Origins: origins}).ALPN(),
	})
	require.NoError(t, err)
	g.ln = ln
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g.wsAddr = tcp.Addr().String()
	hs := ws.NewServer(ln, ws.Options{Origins: origins})
	var group sync.WaitGroup
	group.Go(func() { _ = hs.Serve(tcp) })
	group.Go(func() { g.loop(t) })
	t.Cleanup(func() {
		_ = hs.Close()
		_ = ln.Close()
		group.Wait()
	})
	return g
}

// loop is the game loop.
func (g *game) loop(t *testing.T) {
	calls, err := rpc.NewServer(rpc.Config{})
	if err == nil {
		err = calls.HandleLoop("shout", func(c rpc.Call) ([]byte, error) { return bytes.ToUpper(c.Payload), nil })
	}
	if err != nil {
		t.Error(err)
		return
	}
	lobby, err := rooms.New(rooms.Config{
		Settings: rooms.Settings{Map: "labyrinth", Mode: "hunt"},
		Hooks:    rooms.Hooks{Ready: func(rooms.Room, rooms.Peer) { g.mapReady() }},
	})
	if err != nil {
		t.Error(err)
		return
	}
	for g.ln.Inbox().Wait(t.Context()) == nil {
		g.ln.Inbox().Drain(func(e citadel.Event) {
			if calls.Receive(e) || lobby.Receive(e) {
				return
			}
			switch {
			case e.Kind == citadel.Closed:
				g.end(e.Err.(*citadel.CloseError).Code)
			case e.Kind == citadel.Session:
				_ = e.Conn.SendSession(e.Envelope.Body)
			case e.Kind == citadel.Datagram && e.Envelope.Kind == kindEcho:
				_ = e.Conn.SendDatagram(kindEcho, e.Envelope.Body)
			case e.Kind == citadel.Frame && e.Envelope.Kind == kindEcho:
				_ = e.Conn.Send(kindEcho, e.Envelope.Body)
			case e.Kind == citadel.Frame && e.Envelope.Kind == kindKick:
				e.Conn.Disconnect(0x101, "go home")
			}
		})
	}
}

func (g *game) mapReady() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.maps++
}

func (g *game) ready() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.maps
}

func (g *game) end(code citadel.Code) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.codes[code]++
}

// closed waits until a number of connections have ended, and returns how often each code came.
func (g *game) closed(t *testing.T, want int) map[citadel.Code]int {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		g.mu.Lock()
		n := 0
		codes := make(map[citadel.Code]int)
		for code, times := range g.codes {
			codes[code] = times
			n += times
		}
		g.mu.Unlock()
		if n >= want || time.Now().After(deadline) {
			return codes
		}
		time.Sleep(5 * time.Millisecond)
	}
}

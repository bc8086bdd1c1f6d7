//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

// patience is how long a test waits for what usually takes a moment.
const patience = 40 * time.Second

// output collects what is printed, by whomever.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// await waits until a line after the first skip bytes matches, and returns the groups of the match and the
// number of bytes through its end.
func (o *output) await(t *testing.T, skip int, pattern string) (groups []string, end int) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		text := o.String()
		if m := re.FindStringSubmatchIndex(text[skip:]); m != nil {
			for i := 0; i < len(m); i += 2 {
				groups = append(groups, text[skip+m[i]:skip+m[i+1]])
			}
			return groups, skip + m[1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("no line like %q in:\n%s", pattern, text)
		}
	}
}

// runMaze runs a command line and returns its exit code and what it has printed.
func runMaze(t *testing.T, input string, args ...string) (code int, out, errs string) {
	var o, e output
	code = run(t.Context(), args, console{in: strings.NewReader(input), out: &o, err: &e})
	return code, o.String(), e.String()
}

func TestCommandsExplainThemselves(t *testing.T) {
	code, _, errs := runMaze(t, "")
	require.Equal(t, 2, code)
	for _, sub := range subcommands() {
		require.Contains(t, errs, sub.summary)

		code, _, help := runMaze(t, "", sub.name, "-h")
		require.Equal(t, 0, code)
		require.Contains(t, help, "Usage: maze "+sub.name)
		require.Contains(t, help, "\n  -")

		code, _, _ = runMaze(t, "", sub.name, "-no-such-flag")
		require.Equal(t, 2, code)
		code, _, _ = runMaze(t, "", sub.name, "surplus")
		require.Equal(t, 2, code)
	}
	for _, name := range []string{"demo", "serve", "join", "bots"} {
		code, _, errs := runMaze(t, "", name, "-transport", "pigeon")
		require.Equal(t, 2, code)
		require.Contains(t, errs, "want one of [quic ws wt]")
	}
	code, _, _ = runMaze(t, "", "dance")
	require.Equal(t, 2, code)
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{"demo", "-bots", "0"},
		{"demo", "-bots", "17"},
		{"demo", "-steps", "1"},
		{"demo", "-jitter", "-1s"},
		{"serve", "-addr", "nowhere:port"},
		{"join", "-dir", "no/such/directory"},
		{"join", "-addr", "127.0.0.1:1", "-pin", "abc"},
		{"bots", "-dir", "no/such/directory"},
		{"bots", "-n", "-1"},
		{"join", "-transport", "ws", "-addr", "127.0.0.1:1", "-pin", "abc"},
		{"serve", "-transport", "ws", "-addr", "nowhere:port"},
	} {
		code, _, errs := runMaze(t, "", args...)
		require.Equal(t, 1, code, "%v", args)
		require.NotEmpty(t, errs)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	code, out, errs := runMaze(t, "", "demo", "-steps", "400", "-seed", "7")
	require.Equal(t, 0, code, "%s%s", out, errs)
	require.Contains(t, out, "4 bots, 80ms lag, 20ms jitter, 2% loss, 400 steps")
	require.Regexp(t, `step +\d+ of 400`, out)

	rows := regexp.MustCompile(`(?m)^ *(server|ada|bob|cleo|dan) +400( +\d+){7} +([0-9a-f]{16})`).FindAllStringSubmatch(out, -1)
	require.Len(t, rows, 5)
	for _, r := range rows {
		require.Equal(t, rows[0][3], r[3], "one hash")
	}
}

// The same demo over the other transports.
func TestDemoOverTheWeb(t *testing.T) {
	t.Parallel()
	for by, line := range map[string]string{
		"ws": "2 bots over WebSocket, 80ms lag, 20ms jitter, no loss (TCP), 200 steps",
		"wt": "2 bots over WebTransport, 80ms lag, 20ms jitter, 2% loss, 200 steps",
	} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runMaze(t, "", "demo", "-transport", by, "-bots", "2", "-steps", "200", "-seed", "7")
			require.Equal(t, 0, code, "%s%s", out, errs)
			require.Contains(t, out, line)
		})
	}
}

func TestDemoCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code := run(ctx, []string{"demo"}, console{out: io.Discard, err: io.Discard})
	require.Equal(t, 1, code)
}

func TestDemoIsJudged(t *testing.T) {
	good := func() []row {
		busy := session.Stats{Predictions: 9, Corrected: 2, Rollbacks: 5}
		return []row{{name: "server", hash: "x"}, {name: "ada", hash: "x", stats: busy}, {name: "bob", hash: "x", stats: busy}}
	}
	require.NoError(t, judge(good()))
	for name, c := range map[string]struct {
		spoil func(rows []row)
		want  error
	}{
		"another state":     {func(r []row) { r[2].hash = "y" }, errDiverged},
		"another step":      {func(r []row) { r[1].step = 1 }, errDiverged},
		"nothing predicted": {func(r []row) { r[1].stats.Predictions = 0 }, errNothing},
		"nothing corrected": {func(r []row) { r[2].stats.Corrected = 0 }, errNothing},
		"no rollback":       {func(r []row) { r[1].stats.Rollbacks = 0 }, errNothing},
	} {
		rows := good()
		c.spoil(rows)
		require.ErrorIs(t, judge(rows), c.want, name)
	}
}

func TestPercentage(t *testing.T) {
	for text, want := range map[string]percentage{"2%": 0.02, "0": 0, "12.5": 0.125, "100%": 1} {
		var p percentage
		require.NoError(t, p.Set(text))
		require.InDelta(t, float64(want), float64(p), 1e-9)
	}
	for _, text := range []string{"", "%", "two", "-1%", "101", "NaN"} {
		p := percentage(0.5)
		require.Error(t, p.Set(text))
		require.Equal(t, "50%", p.String())
	}
}

func TestLocalBot(t *testing.T) {
	t.Parallel()
	code, out, errs := runMaze(t, "", "local", "-auto", "-steps", "90")
	require.Equal(t, 0, code, errs)
	require.Regexp(t, `you +90 `, out)
}

func TestLocalKeysWithoutATerminal(t *testing.T) {
	code, out, errs := runMaze(t, "wasdwasd", "local")
	require.Equal(t, 0, code, errs)
	require.Regexp(t, `(?m)^ *you +\d+ +9 `, out) // eight moves and having joined
}

// newLocal returns a game of one, which joins in its first step.
func newLocal(t *testing.T, seed uint64) *peer {
	p, err := newPeer(netcode.Local, 1, authorOf("you"), game.DefaultSettings(seed))
	require.NoError(t, err)
	return p
}

// steps lets a mind play for some steps, without taking the time.
func steps(t *testing.T, p *peer, m mind, n int) {
	for range n {
		next := p.host.Step() + 1
		require.NoError(t, p.play("you", m, next))
		require.NoError(t, p.tick(next, next))
		p.host.Events()
	}
}

func TestBotPlaysWell(t *testing.T) {
	for seed := range uint64(20) {
		p := newLocal(t, seed)
		b := newBot(seed, p.author)
		steps(t, p, b, 600)
		require.GreaterOrEqual(t, b.searched, 3, "seed %d", seed)
		require.Greater(t, p.world.Player(p.author).Score, uint32(botDrop), "seed %d", seed)
	}
	p := newLocal(t, 1)
	steps(t, p, newBot(1, p.author), 20000)
	require.NotZero(t, p.world.Player(p.author).Wins)
}

// typing is a mind that presses keys from a list.
type typing struct {
	keys *keys
	typ  chan rune
}

func newTyping() typing {
	c := make(chan rune, 100)
	return typing{&keys{typed: c}, c}
}

func TestKeys(t *testing.T) {
	p := newLocal(t, 1)
	hands := newTyping()
	steps(t, p, hands.keys, 1)
	me := func() *game.Player { return p.world.Player(p.author) }
	moved := 0
	for range 20 {
		before := me().At
		for _, key := range "wasd" {
			hands.typ <- key
			steps(t, p, hands.keys, game.ActEvery)
		}
		if me().At != before {
			moved++
		}
	}
	require.NotZero(t, moved)

	// A chest is searched, and a door opened and closed, where they are.
	use := func(from, to game.Tile) {
		at := beside(p.world, from)
		me().At, me().Health, me().Safe = at, game.MaxHealth, 60
		hands.typ <- 'e'
		steps(t, p, hands.keys, game.ActEvery)
		_, ok := reach(p.world, at, to)
		require.True(t, ok)
	}
	use(game.Chest, game.EmptyChest)
	gold := me().Score
	require.NotZero(t, gold)
	hands.typ <- 'x'
	steps(t, p, hands.keys, game.ActEvery)
	require.Less(t, me().Score, gold)

	hands.typ <- '?' // means nothing
	steps(t, p, hands.keys, game.ActEvery)
	hands.typ <- 'q'
	require.ErrorIs(t, hands.keys.act(p, p.host.Step()+1), errQuit)
}

// beside returns a square next to a tile of some kind where nothing else can be reached.
func beside(w *game.World, kind game.Tile) game.Pos {
	for y := range w.Height() {
		for x := range w.Width() {
			at := game.Pos{X: uint8(x), Y: uint8(y)}
			if _, ok := reach(w, at, kind); ok && w.At(at) == game.Floor {
				return at
			}
		}
	}
	return game.Pos{}
}

func TestKeysEndWithTheInput(t *testing.T) {
	k := readKeys(strings.NewReader("w"))
	p := newLocal(t, 1)
	steps(t, p, newBot(1, p.author), 1)
	deadline := time.Now().Add(patience)
	for {
		next := p.host.Step() + 1
		err := k.act(p, next)
		if err != nil {
			require.ErrorIs(t, err, errQuit)
			return
		}
		require.NoError(t, p.tick(next, next))
		require.True(t, time.Now().Before(deadline))
		time.Sleep(time.Millisecond) // the reader is another goroutine
	}
}

func TestAuthors(t *testing.T) {
	require.Equal(t, authorOf("ada"), authorOf("ada"))
	require.NotEqual(t, authorOf("ada"), authorOf("bob"))
	require.NotEqual(t, authority, authorOf(""))
	seen := map[netcode.AuthorID]bool{}
	for i := range game.MaxPlayers {
		require.True(t, goodName(botName(i)))
		seen[authorOf(botName(i))] = true
	}
	require.Len(t, seen, game.MaxPlayers)
	for _, name := range []string{"", "two words", "thirteen-char", "\x1b[2J"} {
		require.False(t, goodName(name), "%q", name)
	}
}

func TestTickets(t *testing.T) {
	dir := t.TempDir()
	_, err := readTicket(dir)
	require.ErrorIs(t, err, errNoTicket)

	pin := strings.Repeat("0123456789abcdef", 4)
	want := ticket{Addrs: map[transport]string{overQUIC: "127.0.0.1:99", overWS: "127.0.0.1:98"}, Pin: pin}
	require.NoError(t, writeTicket(dir+"/new", ticket{Pin: "older"}))
	require.NoError(t, writeTicket(dir+"/new", want))
	got, err := readTicket(dir + "/new")
	require.NoError(t, err)
	require.Equal(t, want, got)
	way, err := got.route(overWS)
	require.NoError(t, err)
	require.Equal(t, route{by: overWS, addr: "127.0.0.1:98", pin: pin}, way)
	_, err = got.route(overWT)
	require.ErrorContains(t, err, "by wt")
	id, err := way.session()
	require.NoError(t, err)
	require.Equal(t, netcode.SessionID(0xefcdab8967452301), id)

	for _, bad := range []string{"", "xyz", pin[2:], pin + "00"} {
		_, err := gameOf(bad)
		require.Error(t, err, "%q", bad)
	}
}

func TestScreen(t *testing.T) {
	p := newLocal(t, 1)
	steps(t, p, newBot(1, p.author), 2)
	now := time.Unix(1, 0)

	var out output
	live := newScreen(console{out: &out, live: true}, true)
	live.note("hello")
	live.show(p, now)
	text := out.String()
	require.Contains(t, text, "@")
	require.Contains(t, text, "hello")
	live.show(p, now.Add(time.Millisecond))
	require.Equal(t, text, out.String(), "not more often than one can see")

	out = output{}
	plain := newScreen(console{out: &out, live: true}, false)
	plain.note("hello")
	plain.show(p, now)
	require.Equal(t, "hello\nstep 1, 1 players, 0 gold, health 3\n", out.String())
}

func TestStateReport(t *testing.T) {
	p := newLocal(t, 1)
	var out output
	p.report = stateReport{out: &out, every: 50, window: window}
	steps(t, p, newBot(1, p.author), 2*window+1)
	require.Equal(t, []string{"50", "100"}, reported(out.String()))

	// What the authority can still change is not reported, and neither is what cannot be known.
	p = newLocal(t, 1)
	out = output{}
	p.report = stateReport{out: &out, every: 1, window: window}
	for range 2 * window {
		next := p.host.Step() + 1
		require.NoError(t, p.tick(next, next-30))
	}
	require.Empty(t, out.String())
}

func reported(text string) (steps []string) {
	for _, m := range regexp.MustCompile(`state at step (\d+)`).FindAllStringSubmatch(text, -1) {
		steps = append(steps, m[1])
	}
	return steps
}

func TestLoopEnds(t *testing.T) {
	n := 0
	require.NoError(t, loop(t.Context(), func(time.Time) error {
		if n++; n == 3 {
			return errDone
		}
		return nil
	}))
	require.Equal(t, 3, n)
	broken := errors.New("broken")
	require.ErrorIs(t, loop(t.Context(), func(time.Time) error { return broken }), broken)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, loop(ctx, func(time.Time) error { return nil }))
}

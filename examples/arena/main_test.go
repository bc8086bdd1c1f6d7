//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
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

// await waits until something is printed, and returns the groups of the match.
func (o *output) await(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if m := re.FindStringSubmatch(o.String()); m != nil {
			return m
		}
		require.True(t, time.Now().Before(end), "no line like %q in:\n%s", pattern, o)
	}
}

// runArena runs a command line and returns its exit code and what it has printed.
func runArena(t *testing.T, args ...string) (code int, out, errs string) {
	var o, e output
	code = run(t.Context(), args, console{out: &o, err: &e})
	return code, o.String(), e.String()
}

func TestCommandsExplainThemselves(t *testing.T) {
	code, _, errs := runArena(t)
	require.Equal(t, 2, code)
	for _, sub := range subcommands() {
		require.Contains(t, errs, sub.summary)
		code, _, help := runArena(t, sub.name, "-h")
		require.Equal(t, 0, code)
		require.Contains(t, help, "Usage: arena "+sub.name)
		for _, bad := range [][]string{{"-no-such-flag"}, {"surplus"}, {"-transport", "pigeon"}} {
			code, _, _ = runArena(t, append([]string{sub.name}, bad...)...)
			require.Equal(t, 2, code)
		}
	}
	code, _, _ = runArena(t, "dance")
	require.Equal(t, 2, code)
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		{"demo", "-players", "0"},
		{"demo", "-players", "65"},
		{"demo", "-movers", "-1"},
		{"demo", "-rate", "0"},
		{"demo", "-rate", "61"},
		{"demo", "-length", "1s"},
		{"demo", "-jitter", "-1s"},
		{"serve", "-addr", "nowhere:port"},
		{"serve", "-transport", "ws", "-addr", "nowhere:port"},
		{"serve", "-movers", "100000"},
		{"bots", "-n", "0"},
		{"bots", "-addr", "127.0.0.1:1", "-pin", "abc"},
	} {
		code, _, errs := runArena(t, args...)
		require.Equal(t, 1, code, "%v", args)
		require.NotEmpty(t, errs)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	code, out, errs := runArena(t, "demo", "-players", "2", "-length", "2500ms", "-range", "0", "-plots", "")
	require.Equal(t, 0, code, "%s%s", out, errs)
	require.Contains(t, out, "2 bots, 8 movers, 20 snapshots a second, 80ms lag, 20ms jitter, 2% loss")
	received := regexp.MustCompile(`(?m)^ +(ada|bob)( +[0-9.]+){12}$`).FindAllString(out, -1)
	require.Len(t, received, 2, out)
	seen := regexp.MustCompile(`(?m)^ +(ada|bob|all)( +[0-9.]+){10}$`).FindAllString(out, -1)
	require.Len(t, seen, 3, out)
	scores := regexp.MustCompile(`(?m)^ +(ada|bob) +(calm|weeps|cheers)( +[0-9]+){4}( +[0-9]+(/[0-9]+){3}){2}$`).FindAllString(out, -1)
	require.Len(t, scores, 2, out)
}

func TestDemoOverTheWeb(t *testing.T) {
	t.Parallel()
	for by, line := range map[string]string{
		"ws": "1 bots, 8 movers, 60 snapshots a second over WebSocket, no bad network",
		"wt": "1 bots, 8 movers, 60 snapshots a second over WebTransport, 80ms lag, 20ms jitter, 2% loss",
	} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runArena(t, "demo", "-transport", by, "-players", "1", "-rate", "60",
				"-length", "2s", "-range", "0", "-plots", "")
			require.Equal(t, 0, code, "%s%s", out, errs)
			require.Contains(t, out, line)
		})
	}
}

func TestFiringRange(t *testing.T) {
	t.Parallel()
	volleys, err := fire(t.Context(), overQUIC, 2*time.Second, 1)
	require.NoError(t, err)
	require.Len(t, volleys, 2*rangeShooters)
	var confirmed [2]int
	for i, v := range volleys {
		require.NotZero(t, v.Shots)
		require.Equal(t, i < rangeShooters, v.Compensated)
		confirmed[i/rangeShooters] += v.Confirmed
	}
	require.Greater(t, confirmed[0], confirmed[1], "putting the world back is of use")

	var out output
	require.NoError(t, printVolleys(&out, volleys))
	require.Regexp(t, `world put back( +\d+%){8}\n`, out.String())
	require.Regexp(t, `in the present( +\d+%){8}\n`, out.String())
}

func TestDemoCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, 1, run(ctx, []string{"demo"}, console{out: io.Discard, err: io.Discard}))
}

// The commands serve and bots, as two processes would run them.
func TestServeAndBots(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"quic", "ws"} {
		ctx, cancel := context.WithCancel(t.Context())
		var served, played output
		var working sync.WaitGroup
		codes := make(chan int, 2)
		working.Go(func() {
			codes <- run(ctx, []string{"serve", "-addr", "127.0.0.1:0", "-transport", by, "-v"}, console{out: &served, err: &served})
		})
		addr := served.await(t, `serving at (\S+) by `+by)[1]
		pin := served.await(t, `pin ([0-9a-f]{64})`)[1]
		botsCtx, stop := context.WithCancel(ctx)
		working.Go(func() {
			codes <- run(botsCtx, []string{"bots", "-n", "2", "-transport", by, "-addr", addr, "-pin", pin}, console{out: &played, err: &played})
		})
		served.await(t, `(?s)has joined.*has joined`)
		played.await(t, `2 bots play`)
		stop()
		played.await(t, `bob: \d+ shots, \d+ hits on the screen, of which the server confirmed \d+`)
		served.await(t, `(?s)has left.*has left`)
		cancel()
		working.Wait()
		require.Equal(t, 0, <-codes)
		require.Equal(t, 0, <-codes)
		require.Regexp(t, `served \d+ steps, \d+ shots, \d+ hits`, served.String())
	}
}

// Without a go command there are no plots, and that is no failure.
func TestDrawIsOptional(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := filepath.Join(t.TempDir(), "new")
	var out, errs output
	data := &record.Demo{Title: "a demo", Volleys: []record.Volley{{Lag: 40, Shots: 3, Confirmed: 2}}}
	require.NoError(t, draw(t.Context(), dir, data, console{out: &out, err: &errs}))
	require.Contains(t, errs.String(), "no plots, because")
	require.Contains(t, out.String(), record.FileName)
	got, err := record.Read(filepath.Join(dir, record.FileName))
	require.NoError(t, err)
	require.Equal(t, data, got)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.Error(t, draw(t.Context(), filepath.Join(dir, "file"), data, console{}))
}

// The program that draws is found from anywhere in a clone.
func TestPlotterIsFound(t *testing.T) {
	source, err := plotter(t.Context())
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(source, "main.go"))
}

func TestJudge(t *testing.T) {
	good := func() *outcome {
		scores := []standing{{object: 1, name: "ada", health: 75}}
		o := &outcome{scores: scores, players: []played{{
			name: "ada", screen: &screen{sights: make([]sight, 1)}, bot: &bot{seen: 4, agreed: 3}, scores: slices.Clone(scores),
		}}}
		o.players[0].sync = client.Stats{View: client.ViewStats{Applied: 9}}
		return o
	}
	require.NoError(t, judge(good()))
	for name, c := range map[string]struct {
		spoil func(p *played)
		want  error
	}{
		"nothing arrived":   {func(p *played) { p.sync = client.Stats{} }, errBlind},
		"nothing shown":     {func(p *played) { p.screen.sights = nil }, errBlind},
		"nothing confirmed": {func(p *played) { p.bot.agreed = 0 }, errVain},
		"other scores":      {func(p *played) { p.scores[0].health = 100 }, errWrong},
		"no scores":         {func(p *played) { p.scores = nil }, errWrong},
	} {
		o := good()
		c.spoil(&o.players[0])
		require.ErrorIs(t, judge(o), c.want, name)
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

func TestPacer(t *testing.T) {
	var p pacer
	now := time.Unix(100, 0)
	require.Zero(t, p.due(now))
	total := 0
	for range 1000 {
		now = now.Add(7 * time.Millisecond)
		total += p.due(now)
	}
	require.Equal(t, 7*simRate, total, "seven seconds")
	require.Zero(t, p.due(now.Add(-time.Second)), "a clock that goes back")
	require.Equal(t, maxBehind, p.due(now.Add(time.Minute)), "lost rather than hurried through")
	require.Zero(t, p.due(now.Add(time.Minute)))
	require.Equal(t, simRate/10, p.due(now.Add(time.Minute+100*time.Millisecond)))
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
}

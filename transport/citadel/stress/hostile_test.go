package stress

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// attack is one way to do harm, and what must come of it.
type attack struct {
	name  string
	many  int           // attackers
	lasts time.Duration // for those that do not wait for the server to end it
	run   func(*agent) error

	config func(*citadel.ListenConfig) // nil for what all have
	guest  func(*citadel.Conn, uint64) // see game
	helper func(*testing.T, citadel.ListenConfig) string

	// bound is how much memory the attackers may cost.
	bound func(cfg citadel.ListenConfig, many int) int64
	check func(t *testing.T, s *siege)
}

// siege is what there is to look at when an attack is over.
type siege struct {
	attack
	game   *game
	cfg    citadel.ListenConfig
	stats  citadel.ListenerStats
	report report
	meter  meter
}

// ends requires that all attackers have ended in one way.
func (s *siege) ends(t *testing.T, code citadel.Code) {
	t.Helper()
	require.Equal(t, map[string]int{codeName(code): s.many}, s.report.Ends)
}

func attackNamed(name string) (attack, bool) {
	for _, a := range attacks() {
		if a.name == name {
			return a, true
		}
	}
	return attack{}, false
}

// honest is how many players there are from the beginning.
const honest = 4

func TestHostileClients(t *testing.T) {
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) { withstand(t, a) })
	}
}

// withstand lets an attack happen.
func withstand(t *testing.T, a attack) {
	cfg := citadel.ListenConfig{
		Authenticator: authenticator(),
		Config: citadel.Config{
			HandshakeTimeout: 20 * time.Second, IdleTimeout: playerTimeout, KeepAlive: playerTimeout / 4,
			OutboundBytes: 256 << 10, InboundBytes: 64 << 10,
			Linger: pick(100*time.Millisecond, 0, 0), // who is rejected and does not go costs as long
		},
	}
	if a.config != nil {
		a.config(&cfg)
	}
	var under atomic.Bool
	ln := listen(t, cfg)
	addr := ln.Addr().String()
	s := &siege{attack: a, cfg: ln.Config(), game: newGame(ln.Inbox(), &under)}
	s.game.guest = a.guest
	stop := start(s.game.run)
	defer stop()

	playing, gameOver := context.WithCancel(t.Context())
	defer gameOver()
	var players []*player
	var group sync.WaitGroup
	errs := make(chan error, honest+1)
	for range honest {
		p, err := join(t.Context(), addr, &under)
		require.NoError(t, err)
		players = append(players, p)
		group.Go(func() { errs <- p.play(playing, 1<<32) })
	}
	time.Sleep(pick(50*time.Millisecond, 200*time.Millisecond, 3*time.Second))

	var helper string
	if a.helper != nil {
		helper = a.helper(t, ln.Config())
	}
	s.meter.base = memory()
	under.Store(true)
	end := s.meter.start(ln)
	attacked := attackFrom(t, a, addr, helper)
	<-attacked.ready
	group.Go(func() { errs <- arrive(t.Context(), addr, &under, &players) })
	s.report = attacked.wait(t)
	gameOver()
	group.Wait()
	end()
	for range honest + 1 {
		require.NoError(t, <-errs)
	}

	// Whoever is still there is honest.
	eventually(t, "the attackers are gone", func() bool { return ln.Stats().Open == honest+1 })
	stop()
	s.game.inbox.Drain(s.game.receive)
	s.stats = ln.Stats()
	s.verify(t, players)
	for _, p := range players {
		require.NoError(t, p.conn.Err())
		_ = p.conn.Close()
	}
}

// start runs a function on a goroutine. What it returns ends that and waits for it.
func start(run func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	group.Go(func() { run(ctx) })
	return func() {
		cancel()
		group.Wait()
	}
}

// arrive is somebody honest who comes during the attack. It may take a few attempts, but not for ever.
func arrive(ctx context.Context, addr string, under *atomic.Bool, players *[]*player) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		p, err := join(ctx, addr, under)
		switch {
		case err == nil:
			*players = append(*players, p)
			return p.play(ctx, 10)
		case ctx.Err() != nil:
			return fmt.Errorf("nobody new gets in: %w", err)
		}
	}
}

// verify checks what holds for every attack, and then what the attack itself asks for.
func (s *siege) verify(t *testing.T, players []*player) {
	t.Helper()
	require.Len(t, players, honest+1)
	require.Equal(t, honest+1, s.game.players)
	require.Empty(t, s.game.lost, "no player was disconnected")
	require.Empty(t, s.game.failures)
	var sent uint64
	var late, trips delays
	for _, p := range players {
		sent += p.sent
		late.calm, late.under = append(late.calm, p.late.calm...), append(late.under, p.late.under...)
		trips.calm, trips.under = append(trips.calm, p.trips.calm...), append(trips.under, p.trips.under...)
	}
	require.EqualValues(t, sent, s.game.echoes, "what players say arrives, once")

	bound := s.bound(s.cfg, s.many) + slack
	t.Logf("%d attackers: %v; memory at most %s above %s, bound %s",
		s.many, s.report, mib(s.meter.peak-s.meter.base), mib(s.meter.base), mib(bound))
	t.Logf("server's ticks late: calm %v; attacked %v", s.game.late.calm, s.game.late.under)
	t.Logf("players' ticks late: calm %v; attacked %v", late.calm, late.under)
	t.Logf("answers took:        calm %v; attacked %v", trips.calm, trips.under)
	require.Less(t, s.meter.peak-s.meter.base, bound, "the server's memory")
	require.LessOrEqual(t, s.meter.shaking, s.cfg.MaxHalfOpen)
	require.LessOrEqual(t, s.meter.halfOpen, s.cfg.MaxHalfOpen)
	require.LessOrEqual(t, s.meter.reassembly, s.cfg.MaxReassembly)
	require.Zero(t, s.stats.Reassembly, "the attackers have left nothing")
	require.Zero(t, s.stats.Conns.Reassembling)
	s.check(t, s)
}

// meter watches the server during an attack.
type meter struct {
	base, peak int64 // of memory

	// The most that were seen.
	shaking, halfOpen, reassembly int
}

// start starts watching, until the function that it returns is called.
func (m *meter) start(ln *citadel.Listener) (stop func()) {
	return start(func(ctx context.Context) {
		for {
			m.peak = max(m.peak, memory())
			stats := ln.Stats()
			m.shaking = max(m.shaking, stats.Shaking)
			m.halfOpen = max(m.halfOpen, stats.HalfOpen)
			m.reassembly = max(m.reassembly, stats.Reassembly)
			select {
			case <-ctx.Done():
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// assault is an attack that is going on in a process of its own.
type assault struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	ready  chan struct{} // closed when the attack is on, or over
	done   chan struct{} // closed when nothing more is said
	report report
	err    error
}

func attackFrom(t *testing.T, a attack, target, helper string) *assault {
	t.Helper()
	x := &assault{
		cmd:   exec.CommandContext(t.Context(), os.Args[0]),
		ready: make(chan struct{}), done: make(chan struct{}),
	}
	x.cmd.Env = append(os.Environ(),
		attackVariable+"="+a.name, targetVariable+"="+target, helperVariable+"="+helper,
		manyVariable+"="+strconv.Itoa(a.many), lastsVariable+"="+a.lasts.String())
	x.cmd.Stderr = &x.stderr
	_, err := x.cmd.StdinPipe() // its end is the end of the attack
	require.NoError(t, err)
	out, err := x.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, x.cmd.Start())
	ready := sync.OnceFunc(func() { close(x.ready) })
	go func() {
		defer close(x.done)
		defer ready()
		x.report, x.err = hear(out, ready)
	}()
	return x
}

// wait waits for the end of the attack.
func (x *assault) wait(t *testing.T) report {
	t.Helper()
	<-x.done
	require.NoError(t, x.cmd.Wait(), x.stderr.String())
	require.NoError(t, x.err)
	return x.report
}

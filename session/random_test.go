package session_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// TestRandomSchedules plays sessions in which everything happens at a bad moment, and demands that all peers
// end with the same state, which must also be the one that the authority's record gives when it is simply
// executed from start to end.
func TestRandomSchedules(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 150
	}
	var sum session.Stats
	var lost, duplicated, cuts, restarts, cancels uint64
	for seed := range seeds {
		c := &chaos{r: rand.New(rand.NewPCG(seed, 0xA71AD4E)), confirmed: make(map[string]bool)}
		c.play(t, seed)
		for _, p := range append([]*player{{peer: c.server}}, c.players...) {
			s := p.Stats()
			sum.Commands += s.Commands
			sum.Predictions += s.Predictions
			sum.Right += s.Right
			sum.Corrected += s.Corrected
			sum.Refused += s.Refused
			sum.Rollbacks += s.Rollbacks
			sum.ReplayedSteps += s.ReplayedSteps
			sum.Resyncs += s.Resyncs
		}
		lost, duplicated, cuts, restarts, cancels = lost+c.lost, duplicated+c.duplicated, cuts+c.cuts, restarts+c.restarts, cancels+c.cancels
		if t.Failed() {
			return
		}
	}
	t.Logf("%d seeds: %d commands confirmed, %d predictions (%d right, %d corrected, %d refused), %d rollbacks over %d steps, %d resyncs",
		seeds, sum.Commands, sum.Predictions, sum.Right, sum.Corrected, sum.Refused, sum.Rollbacks, sum.ReplayedSteps, sum.Resyncs)
	t.Logf("%d frames lost, %d duplicated, %d connections cut, %d processes restarted, %d commands cancelled", lost, duplicated, cuts, restarts, cancels)
	for name, n := range map[string]uint64{
		"right": sum.Right, "corrected": sum.Corrected, "refused": sum.Refused, "rollbacks": sum.Rollbacks, "resyncs": sum.Resyncs,
		"lost": lost, "duplicated": duplicated, "cuts": cuts, "restarts": restarts, "cancels": cancels,
	} {
		require.NotZero(t, n, "the schedules never had: %s", name)
	}
}

// chaos is a stage with dice.
type chaos struct {
	stage
	r                                         *rand.Rand
	lossy                                     bool
	keys                                      []netcode.Key
	confirmed                                 map[string]bool
	lost, duplicated, cuts, restarts, cancels uint64
}

func (c *chaos) play(t *testing.T, seed uint64) {
	c.t = t
	// A mark moves the resume point past outcomes that it counts, which is right only over a transport that
	// neither loses nor repeats single frames. So the dice choose: extensions, or a transport that does.
	c.lossy = c.r.IntN(2) == 0
	c.config = peerConfig{depth: 1 + c.r.IntN(12), noMutator: c.r.IntN(3) == 0}
	c.config.Start = netcode.Start{
		Session: 1, Protocol: 2, Author: 100, Step: netcode.Step(c.r.IntN(40) - 20), Seed: seed,
		FirstSequence: netcode.Sequence(c.r.IntN(3)),
	}
	c.config.NoExtensions = c.lossy
	if c.r.IntN(4) == 0 {
		c.config.Cancel = session.CancelAny
	}
	if c.r.IntN(4) == 0 {
		c.config.Limits.Retain = 8
	}
	c.serve(nil)
	for i := range 2 + c.r.IntN(5) {
		c.start(i)
	}

	for range 60 + c.r.IntN(120) {
		c.once()
	}

	// Peace: everybody comes back, everything arrives, everybody reaches the same step.
	for _, p := range c.players {
		c.cut(p)
		c.connect(p)
	}
	c.settle()
	c.trace = nil
	last := c.server.Step()
	for _, p := range c.players {
		require.Equal(t, session.Ready, p.client.State(), "seed %d: %s", seed, p.name)
		last = max(last, p.Step())
	}
	last += 70 // beyond every command that was sent
	require.NoError(t, c.server.Tick(last))
	want := c.server.ledger.bytes()
	for _, p := range c.players {
		require.NoError(t, p.Tick(last))
		require.Equal(t, want, p.ledger.bytes(), "seed %d: %s", seed, p.name)
	}
	if c.config.Limits.Retain == 0 {
		require.Equal(t, want, c.recompute(last), "seed %d: the authority's own record", seed)
	}
}

// recompute executes the authority's record in order, without any rollback.
func (c *chaos) recompute(last netcode.Step) []byte {
	records := c.server.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep})
	l := new(ledger)
	for s := c.config.Start.Step; s <= last; s++ {
		for len(records) > 0 && records[0].Header.Step == s {
			var e entry
			require.NoError(c.t, e.UnmarshalBinary(records[0].FinalPayload))
			l.execute(e)
			records = records[1:]
		}
		l.Tick(s)
	}
	return l.bytes()
}

// start creates player i's process, or replaces it by a new one that knows nothing.
func (c *chaos) start(i int) {
	cfg := c.config
	cfg.Mode = netcode.Client
	cfg.Start.Author = netcode.AuthorID(i + 1)
	p := &player{name: fmt.Sprint("p", i), author: cfg.Start.Author}
	run := c.restarts
	cfg.Trace = &netcode.Trace{Confirmed: func(h netcode.Header, _ bool) {
		id := fmt.Sprint(p.name, " ", run, " ", h.Key)
		require.False(c.t, c.confirmed[id], "%s was confirmed twice", id)
		c.confirmed[id] = true
	}}
	p.peer = newPeer(c.t, cfg)
	var err error
	p.client, err = session.NewClient(p.Host, stageClient{&c.stage, p})
	require.NoError(c.t, err)
	if i < len(c.players) {
		c.players[i] = p
	} else {
		c.players = append(c.players, p)
	}
	c.connect(p)
}

func (c *chaos) connect(p *player) {
	c.nextConn++
	p.conn = c.nextConn
	require.NoError(c.t, c.router.Bind(p.conn, 1, p.author))
	p.client.Join(p.conn)
}

func (c *chaos) cut(p *player) {
	c.router.Unbind(p.conn)
	p.client.Disconnect()
	p.up, p.dow = nil, nil
}

func (c *chaos) once() {
	i := c.r.IntN(len(c.players))
	p := c.players[i]
	switch n := c.r.IntN(100); {
	case n < 12:
		require.NoError(c.t, c.server.Tick(c.server.Step()+netcode.Step(1+c.r.IntN(3))))
	case n < 28:
		// Players follow the authority's step, early or late.
		to := c.server.Step() + netcode.Step(c.r.IntN(7)-3)
		if c.r.IntN(20) == 0 {
			to += 12
		}
		if to > p.Step() {
			require.NoError(c.t, p.Tick(to))
		}
	case n < 45:
		who, name := p.peer, "add"
		if c.r.IntN(6) == 0 {
			who = c.server
		}
		if c.r.IntN(4) == 0 {
			name = "add_np"
		}
		value := int32(c.r.IntN(1050)) // sometimes more than is allowed
		key, err := who.send(name, value, who.Step()+netcode.Step(c.r.IntN(8)-2))
		if err == nil {
			c.keys = append(c.keys, key)
		}
	case n < 50 && len(c.keys) > 0:
		who := p.peer
		if c.r.IntN(6) == 0 {
			who = c.server
		}
		if r, _ := who.Cancel(c.keys[c.r.IntN(len(c.keys))]); r == netcode.Cancelled {
			c.cancels++
		}
	case n < 53:
		c.cut(p)
		c.cuts++
		if c.r.IntN(2) == 0 {
			c.connect(p)
		}
	case n < 55 && !c.lossy:
		// Only the extension tells a new process where its sequences go on.
		c.cut(p)
		c.restarts++
		c.start(i)
	case n < 60:
		if p.client.State() == session.Disconnected {
			c.connect(p)
		}
	case n < 63:
		require.NoError(c.t, c.router.BroadcastStep(1))
	case n < 68 && c.lossy:
		c.lose(p)
	case n < 73 && c.lossy:
		c.repeat(p)
	default:
		for range 1 + c.r.IntN(6) {
			if c.r.IntN(2) == 0 {
				c.move(p.name, "server", false)
			} else {
				c.move("server", p.name, false)
			}
		}
		c.trace = nil
	}
}

// lose drops one frame. A gap in the middle of a synchronisation is beyond any client's power to notice, so
// there the whole connection goes, as it would with any transport that delivers in order.
func (c *chaos) lose(p *player) {
	if c.r.IntN(2) == 0 {
		if len(p.up) > 0 {
			p.up = p.up[1:]
			c.lost++
		}
		return
	}
	if len(p.dow) == 0 {
		return
	}
	for _, f := range p.dow {
		if k, _ := protocol.PeekKind(f.data); k != protocol.KindOutcome && k != protocol.KindStepUpdate {
			c.cut(p)
			c.cuts++
			return
		}
	}
	if p.client.State() != session.Ready {
		return
	}
	p.dow = p.dow[1:]
	c.lost++
}

func (c *chaos) repeat(p *player) {
	c.duplicated++
	if c.r.IntN(2) == 0 && len(p.up) > 0 {
		f := p.up[0]
		p.up = p.up[1:]
		c.router.Receive(f.conn, bytes.Clone(f.data))
		c.router.Receive(f.conn, f.data)
	} else if len(p.dow) > 0 {
		f := p.dow[0]
		p.dow = p.dow[1:]
		p.client.Receive(f.conn, bytes.Clone(f.data))
		p.client.Receive(f.conn, f.data)
	}
}

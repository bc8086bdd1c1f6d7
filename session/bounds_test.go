package session_test

import (
	"math"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

func TestHostileStepsAreBounded(t *testing.T) {
	for _, step := range []netcode.Step{math.MinInt64, -1, 0, 5, 1 << 40, math.MaxInt64} {
		// The validator of the ledger would catch most of these: here there is none.
		w := play(t, "session depth=4", "player ann 7", "enter ann", "tick server ann 10")
		ann := w.player("ann")
		typ, err := registry.Register(w.server.Config().Registry, 66, registry.Options[failing]{})
		require.NoError(t, err)
		_, err = session.Handle(w.server.Host, typ, session.Handlers[failing]{})
		require.NoError(t, err)
		before := w.server.Stats()
		r, err := w.router.Receive(ann.conn, (&protocol.Proposal{
			Header: netcode.Header{Key: key(7, 0), Type: 66, Step: step}, Payload: make([]byte, 20),
		}).Append(nil))
		require.Equal(t, netcode.Rejected, r, step)
		if step > 10 {
			require.ErrorIs(t, err, session.ErrTooFarAhead)
		} else {
			require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
		}
		w.play("settle", "tick server ann 11")
		require.Equal(t, before.ReplayedSteps, w.server.Stats().ReplayedSteps)

		// The same steps from a hostile authority.
		for _, frame := range [][]byte{
			(&protocol.SyncComplete{Session: 1, Step: step}).Append(nil),
			(&protocol.StepUpdate{Session: 1, Step: step}).Append(nil),
			(&protocol.Outcome{Result: netcode.Accepted, Header: netcode.Header{Key: key(8, 0), Type: idAdd, Step: step, Order: math.MaxUint32}, Payload: make([]byte, 20)}).Append(nil),
		} {
			ann.client.Receive(ann.conn, frame)
		}
		ann.client.Join(ann.conn)
		ann.client.Receive(ann.conn, (&protocol.SyncStatus{Status: protocol.StatusReplay, Session: 1, Protocol: 2}).Append(nil))
		ann.client.Receive(ann.conn, (&protocol.SyncComplete{Session: 1, Step: step}).Append(nil))
		require.Less(t, ann.Step(), netcode.Step(1<<21))
		require.NoError(t, ann.Fault())
	}
}

func TestOneAuthorCannotFillTheModel(t *testing.T) {
	w := &stage{t: t}
	w.command("session")
	w.serve(func(c *peerConfig) { c.Limits.PerAuthor = 3 })
	w.play("player ann 7", "player bob 8", "connect ann", "connect bob", "settle")
	for range 5 {
		w.play("send ann add 1 @20")
	}
	w.play("settle")
	require.EqualValues(t, 2, w.server.Stats().Refused)
	w.play("send bob add 1 @20", "settle")
	require.EqualValues(t, 2, w.server.Stats().Refused, "bob has room of his own")
	w.play("tick server ann bob 40", "send ann add 1 @41", "settle")
	require.EqualValues(t, 2, w.server.Stats().Refused, "what left the window no longer counts")
	w.play("tick server ann bob 42")
	w.agree()
}

func TestMemoryIsBounded(t *testing.T) {
	w := &stage{t: t}
	w.command("session depth=4 extensions")
	w.config.Limits.Retain = 32
	w.serve(nil)
	w.play("player ann 7", "connect ann", "settle")
	ann := w.player("ann")
	for i := range 3000 {
		step := ann.Step() + 1
		value := int32(i % 1100) // some are refused
		_, err := ann.send("add", value, step)
		require.NoError(t, err)
		if i%7 == 0 {
			ann.Cancel(key(7, uint64(i)))
		}
		w.settle()
		require.NoError(t, ann.Tick(step))
		require.NoError(t, w.server.Tick(step))
		require.NoError(t, w.router.BroadcastStep(1))
		w.trace = nil
	}
	w.play("settle", "tick server ann 3001")
	w.agree()
	for _, p := range []*peer{w.server, ann.peer} {
		require.Less(t, p.Config().Journal.Len(), 64)
	}

	// A resume that the journal can no longer serve falls back to a snapshot.
	w.play("cut ann")
	for i := range 200 {
		_, err := w.server.send("add", 1, netcode.Step(3002+i))
		require.NoError(t, err)
		require.NoError(t, w.server.Tick(netcode.Step(3002+i)))
	}
	require.Contains(t, w.play("connect ann", "settle"), "status snapshot")
	w.agree()

	// A proposal whose record is gone is not executed again.
	n := w.server.ledger.ExecutionCount
	r, err := w.router.Receive(ann.conn, (&protocol.Proposal{
		Header: netcode.Header{Key: key(7, 1), Type: idAdd, Step: w.server.Step() + 1}, Payload: make([]byte, 20),
	}).Append(nil))
	require.Equal(t, netcode.Conflict, r)
	require.ErrorIs(t, err, session.ErrKeyUsed)
	w.play("settle", "tick server 3300")
	require.Equal(t, n, w.server.ledger.ExecutionCount)
}

func TestUnreadEventsAndPendingMessagesAreBounded(t *testing.T) {
	p := localPeer(t, func(c *peerConfig) { c.Limits.Events = 8 })
	for range 100 {
		_, err := p.send("add", 1, 1)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(p.Events()), 8)
	require.Greater(t, p.Stats().EventsDropped, uint64(80))

	c := localPeer(t, func(c *peerConfig) { c.Mode = netcode.Client; c.Limits.Pending = 3 })
	for range 3 {
		_, err := c.send("add_np", 1, 1)
		require.NoError(t, err)
	}
	_, err := c.send("add_np", 1, 1)
	require.ErrorIs(t, err, session.ErrTooManyPending)
	require.EqualValues(t, 3, c.NextSequence(), "nothing was used up")
	_, err = c.Cancel(key(100, 9))
	require.ErrorIs(t, err, session.ErrTooManyPending)
	_, err = c.Cancel(key(100, 2))
	require.NoError(t, err, "a cancellation takes the place of its proposal")
}

func TestCountersRunOut(t *testing.T) {
	p := localPeer(t, func(c *peerConfig) { c.Start.FirstSequence = netcode.MaxSequence - 1 })
	_, err := p.send("add", 1, 1)
	require.NoError(t, err)
	_, err = p.send("add", 1, 1)
	require.ErrorIs(t, err, netcode.ErrSequenceExhausted)

	p = localPeer(t, nil)
	s, err := p.Capture()
	require.NoError(t, err)
	s.Cursor.Order = netcode.MaxOrder - 2
	require.NoError(t, p.Restore(s))
	_, err = p.send("add", 1, 1)
	require.NoError(t, err)
	k, err := p.send("add", 1, 1)
	require.ErrorIs(t, err, netcode.ErrOrderExhausted)
	require.Equal(t, key(100, 1), k, "the sequence is used up all the same")
	require.NoError(t, p.Tick(3))
	require.EqualValues(t, 1, p.ledger.ExecutionCount)
}

func TestZeroIsAValue(t *testing.T) {
	for _, first := range []netcode.Sequence{0, 5} {
		w := &stage{t: t}
		w.command("session")
		w.config.Start.FirstSequence = first
		w.config.Start.Step = 0
		w.serve(nil)
		w.play("player ann 7", "connect ann", "settle")
		ann := w.player("ann")
		k, err := ann.send("add", 1, 0)
		require.NoError(t, err)
		require.Equal(t, first, k.Sequence)
		w.play("settle", "tick server ann 0")
		w.agree()
		require.EqualValues(t, 1, ann.ledger.ExecutionCount)
		w.play("cut ann")
		trace := w.play("connect ann", "settle")
		require.Contains(t, trace, "knows revision 0", "revision 0 is not no revision")
		require.Contains(t, trace, "status replay")
	}
}

// nothing is a command without a payload and a simulation without a state.
type nothing struct{}

func (*nothing) Tick(netcode.Step)                     {}
func (*nothing) AppendBinary(b []byte) ([]byte, error) { return b, nil }

func (*nothing) UnmarshalBinary(b []byte) error {
	if len(b) != 0 {
		return errSize
	}
	return nil
}

func TestEmptyPayloadsAndEmptyStates(t *testing.T) {
	executed := map[netcode.Mode]int{}
	hosts := map[netcode.Mode]*session.Host{}
	var send *session.Commands[nothing]
	for _, mode := range []netcode.Mode{netcode.Server, netcode.Client} {
		reg := registry.New()
		typ, err := registry.Register(reg, 1, registry.Options[nothing]{Predicted: true})
		require.NoError(t, err)
		model, err := rollback.New(new(nothing), rollback.Config{})
		require.NoError(t, err)
		s := netcode.Start{Session: 1}
		if mode == netcode.Client {
			s.Author = 1
		}
		hosts[mode], err = session.NewHost(session.Config{Start: s, Mode: mode, Registry: reg, Model: model})
		require.NoError(t, err)
		send, err = session.Handle(hosts[mode], typ, session.Handlers[nothing]{
			Execute: func(netcode.Command[nothing]) { executed[mode]++ },
		})
		require.NoError(t, err)
	}
	d := &duo{server: &peer{Host: hosts[netcode.Server]}, client: &peer{Host: hosts[netcode.Client]}}
	d.router = session.NewServer(&d.down)
	require.NoError(t, d.router.Add(d.server.Host))
	require.NoError(t, d.router.Bind(1, 1, 1))
	var err error
	d.join, err = session.NewClient(d.client.Host, &d.up)
	require.NoError(t, err)
	d.join.Join(1)
	d.exchange()
	require.Equal(t, session.Ready, d.join.State())
	k, err := send.Send(nothing{}, 0)
	require.NoError(t, err)
	d.exchange()
	require.NoError(t, d.server.Tick(0))
	require.NoError(t, d.client.Tick(0))
	require.Equal(t, map[netcode.Mode]int{netcode.Server: 1, netcode.Client: 1}, executed)
	_, ok := send.Payload(k)
	require.True(t, ok)
	require.EqualValues(t, 1, d.client.Stats().Right)
}

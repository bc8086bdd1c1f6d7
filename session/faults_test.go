package session_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// The tests in this file hold Ariadne against the faults of the model that it ports and of its peers: each
// is something that goes wrong elsewhere.

// play runs scenario commands on a new stage.
func play(t *testing.T, commands ...string) *stage {
	w := &stage{t: t}
	w.play(commands...)
	return w
}

func (w *stage) play(commands ...string) string {
	for _, c := range commands {
		w.command(c)
	}
	return strings.Join(w.flush(), "\n")
}

// agree demands equal states of the authority and all players.
func (w *stage) agree() {
	w.t.Helper()
	for _, p := range w.players {
		require.Equal(w.t, w.server.Step(), p.Step(), p.name)
		require.Equal(w.t, w.server.ledger.bytes(), p.ledger.bytes(), p.name)
	}
}

func key(author, sequence uint64) netcode.Key {
	return netcode.Key{Session: 1, Author: netcode.AuthorID(author), Sequence: netcode.Sequence(sequence)}
}

func start() netcode.Start { return netcode.Start{Session: 1, Protocol: 2, Author: 100, Step: 1} }

func localPeer(t *testing.T, edit func(*peerConfig)) *peer {
	c := peerConfig{depth: 4, Config: session.Config{Mode: netcode.Local, Start: start()}}
	if edit != nil {
		edit(&c)
	}
	return newPeer(t, c)
}

func TestCancelBehindWindowIsRefused(t *testing.T) {
	w := play(t, "session depth=4", "player ann 7", "connect ann", "settle",
		"send ann add 5 @2", "settle", "tick server ann 9")
	for name, p := range map[string]*peer{"server": w.server, "ann": w.player("ann").peer} {
		before := p.ledger.bytes()
		r, err := p.Cancel(key(7, 0))
		require.Equal(t, netcode.Rejected, r, name)
		require.ErrorIs(t, err, netcode.ErrHistoryExceeded, name)
		require.NoError(t, p.Tick(p.Step()), name)
		require.Equal(t, before, p.ledger.bytes(), name)
		record, ok := p.Record(key(7, 0))
		require.True(t, ok && !record.Cancelled && record.Result == netcode.Accepted, name)
	}
	w.play("tick server ann 12")
	w.agree()
}

func TestPredictionBehindOwnWindowIsRefusedAtSend(t *testing.T) {
	w := play(t, "session depth=4", "player ann 7", "connect ann", "settle", "tick server ann 9")
	ann := w.player("ann")
	ann.Events()
	k, err := ann.send("add", 5, 2)
	var refused *session.RefusedError
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
	require.Equal(t, key(7, 0), k)
	require.Empty(t, ann.up, "nothing to ask the authority")
	events := ann.Events()
	require.Len(t, events, 1)
	require.Equal(t, session.Refused, events[0].Kind)

	// The sequence is used and settled: the next one is 1, and a join says that 0 needs no answer.
	k, err = ann.send("add", 6, 10)
	require.NoError(t, err)
	require.Equal(t, key(7, 1), k)
	w.play("settle", "cut ann")
	require.Contains(t, w.play("connect ann", "settle"), "answered through 1")
	w.play("tick server ann 12")
	w.agree()
}

func TestOnlyAuthorAndAuthorityCancel(t *testing.T) {
	for _, any := range []bool{false, true} {
		line := "session"
		if any {
			line += " cancel=any"
		}
		w := play(t, line, "player ann 7", "player bob 8", "connect ann", "connect bob", "settle",
			"send bob add 5 @3", "settle", "tick server ann bob 4")
		r, err := w.router.Receive(w.player("ann").conn, (&protocol.Cancel{Key: key(8, 0)}).Append(nil))
		if any {
			require.Equal(t, netcode.Cancelled, r)
			require.NoError(t, err)
		} else {
			require.Equal(t, netcode.Rejected, r)
			require.ErrorIs(t, err, session.ErrNotYours)
		}
		w.play("settle", "tick server ann bob 5")
		w.agree()
		require.Equal(t, !any, w.server.ledger.ExecutionCount == 1)
	}
}

func TestAuthorityCancelsItsOwnCommand(t *testing.T) {
	w := play(t, "session", "player ann 7", "connect ann", "settle", "send server add 5 @2", "settle", "tick server ann 4")
	require.EqualValues(t, 1, w.player("ann").ledger.ExecutionCount)
	w.play("cancel server 100/0", "settle", "tick server ann 5")
	require.Zero(t, w.player("ann").ledger.ExecutionCount)
	w.agree()
}

func TestConflictKeepsAcceptedCommand(t *testing.T) {
	w := play(t, "session", "player ann 7", "connect ann", "settle", "send ann add 5 @2", "settle", "tick server ann 3")
	ann := w.player("ann")
	// Another request under the same key, as a second process of the same author would send it.
	r, err := w.router.Receive(ann.conn, (&protocol.Proposal{
		Header: netcode.Header{Key: key(7, 0), Type: idAdd, Step: 3}, Payload: make([]byte, 20),
	}).Append(nil))
	require.Equal(t, netcode.Conflict, r)
	require.Error(t, err)
	w.play("settle", "tick server ann 4")
	require.EqualValues(t, 1, ann.ledger.ExecutionCount)
	w.agree()
}

func TestCancelledIsFinal(t *testing.T) {
	w := play(t, "session", "player ann 7", "player bob 8", "connect ann", "connect bob", "settle",
		"send ann add 5 @3", "settle", "cancel ann 7/0")
	ann, bob := w.player("ann"), w.player("bob")
	accepted, _ := bob.Record(key(7, 0))
	frame := (&protocol.Outcome{Result: netcode.Accepted, Header: accepted.Header, Payload: bytes.Clone(accepted.FinalPayload)}).Append(nil)
	w.play("settle")
	for _, p := range []*player{ann, bob} {
		r, _ := p.client.Receive(p.conn, frame)
		require.Equal(t, netcode.Cancelled, r, p.name)
	}
	w.play("tick server ann bob 5")
	require.Zero(t, bob.ledger.ExecutionCount)
	w.agree()

	// The same where the client had never heard of the command before it was cancelled.
	foreign := netcode.Header{Key: key(9, 9), Type: idAdd, Step: 6, Order: 50}
	r, _ := bob.client.Receive(bob.conn, (&protocol.Outcome{Result: netcode.Cancelled, Header: foreign}).Append(nil))
	require.Equal(t, netcode.Cancelled, r)
	r, _ = bob.client.Receive(bob.conn, (&protocol.Outcome{Result: netcode.Accepted, Header: foreign, Payload: make([]byte, 20)}).Append(nil))
	require.Equal(t, netcode.Cancelled, r)
	w.play("tick server ann bob 8")
	w.agree()
}

func TestClientThatCannotFollowJoinsBySnapshot(t *testing.T) {
	outcome := func(step netcode.Step, payload []byte) []byte {
		return (&protocol.Outcome{
			Result: netcode.Accepted, Header: netcode.Header{Key: key(9, 3), Type: idAdd, Step: step, Order: 7}, Payload: payload,
		}).Append(nil)
	}
	for name, frame := range map[string][]byte{
		"behind the window":            outcome(2, make([]byte, 20)),
		"payload that does not decode": outcome(12, make([]byte, 19)),
	} {
		for _, reference := range []bool{false, true} {
			line := "session depth=4"
			if reference {
				line += " reference"
			}
			w := play(t, line, "player ann 7", "connect ann", "settle", "tick server ann 10")
			ann := w.player("ann")
			before := ann.ledger.bytes()
			ann.Events()
			r, err := ann.client.Receive(ann.conn, frame)
			require.Equal(t, netcode.InvalidMessage, r, name)
			require.Error(t, err, name)
			_, stored := ann.Record(key(9, 3))
			require.False(t, stored, "%s: nothing is stored", name)
			require.Equal(t, session.Resyncing, ann.Events()[0].Kind, name)
			if reference {
				require.Equal(t, session.Ready, ann.client.State(), name)
			} else {
				require.Equal(t, session.Joining, ann.client.State(), name)
				require.Contains(t, w.play("settle"), "status snapshot", name)
				require.Equal(t, session.Ready, ann.client.State(), name)
			}
			require.NoError(t, ann.Tick(10), name)
			require.Equal(t, before, ann.ledger.bytes(), name)
			w.play("tick server ann 20")
			w.agree()
		}
	}
}

func TestClientGivesUpOnAuthorityItCannotFollow(t *testing.T) {
	w := play(t, "session depth=4", "player ann 7", "connect ann")
	ann := w.player("ann")
	joins := 0
	for ann.client.State() != session.Disconnected {
		joins++
		require.Less(t, joins, 10)
		ann.up, ann.dow = nil, nil
		_, err := ann.client.Receive(ann.conn, (&protocol.SyncStatus{Status: protocol.StatusSnapshot, Session: 1, Protocol: 2}).Append(nil))
		require.NoError(t, err)
		// The cursor names another step than the state.
		frame, err := (&protocol.Snapshot{Session: 1, Protocol: 2, Cursor: netcode.Cursor{Step: 5}, Model: make([]byte, 40)}).Append(nil)
		require.NoError(t, err)
		_, err = ann.client.Receive(ann.conn, frame)
		require.ErrorIs(t, err, session.ErrBadSnapshot)
	}
	require.EqualValues(t, 3, ann.Stats().Resyncs)
}

func TestAcceptedOutcomeOfUnknownTypeIsHarmless(t *testing.T) {
	w := play(t, "session", "player ann 7", "connect ann", "settle")
	ann := w.player("ann")
	r, err := ann.client.Receive(ann.conn, (&protocol.Outcome{
		Result: netcode.Accepted, Header: netcode.Header{Key: key(9, 0), Type: 77, Step: 2, Order: 1},
	}).Append(nil))
	require.Equal(t, netcode.UnknownType, r)
	require.ErrorIs(t, err, session.ErrNotRegistered)
	w.play("tick server ann 4")
	w.agree()
}

func TestFreshProcessDoesNotReuseSequences(t *testing.T) {
	w := play(t, "session extensions", "player ann 7", "connect ann", "settle",
		"send ann add 1 @2", "send ann add 2 @3", "settle", "tick server ann 4",
		"player ann 7", "connect ann", "settle")
	k, err := w.player("ann").send("add", 3, 6)
	require.NoError(t, err)
	require.Equal(t, key(7, 2), k)
	w.play("settle", "tick server ann 8")
	require.EqualValues(t, 3, w.server.ledger.ExecutionCount)
	w.agree()
}

func TestUsedKeyIsRefusedAndBurnsNothing(t *testing.T) {
	w := play(t, "session", "player ann 7", "connect ann", "settle", "cancel ann 7/0")
	ann := w.player("ann")
	for range 3 {
		_, err := ann.send("add", 1, 2)
		require.ErrorIs(t, err, session.ErrKeyUsed)
		require.EqualValues(t, 0, ann.NextSequence())
	}
	// The answer says that the sequence is spent, and the client goes on behind it.
	w.play("settle")
	k, err := ann.send("add", 1, 2)
	require.NoError(t, err)
	require.Equal(t, key(7, 1), k)

	server := w.server
	_, err = server.Cancel(key(100, 0))
	require.NoError(t, err)
	_, err = server.send("add", 1, 2)
	require.ErrorIs(t, err, session.ErrKeyUsed)
	w.play("settle")
	k, err = server.addAfter(1)
	require.NoError(t, err)
	require.Equal(t, key(100, 1), k)
	r, ok := server.Record(k)
	require.True(t, ok)
	require.EqualValues(t, 2, r.Header.Order, "the refusals took no order")
}

// addAfter skips to a sequence and sends.
func (p *peer) addAfter(next netcode.Sequence) (netcode.Key, error) {
	p.SkipTo(next)
	return p.send("add", 1, 2)
}

// failing is a payload whose codec, mutator or executor fails on demand.
type failing struct{ entry }

func (f *failing) AppendBinary(b []byte) ([]byte, error) {
	switch f.Value {
	case 1:
		return nil, errors.New("encode fails")
	case 2:
		panic("encode panics")
	case 8: // set by the mutator
		return b, errors.New("encode fails after the mutation")
	}
	return f.entry.AppendBinary(b)
}

func (f *failing) UnmarshalBinary(b []byte) error {
	err := f.entry.UnmarshalBinary(b)
	if f.Value == 9 {
		panic("decode panics")
	}
	return err
}

func TestFailingHandlersLeaveNothingBehind(t *testing.T) {
	const id = 55
	var host *session.Host
	model, err := rollback.New(new(ledger), rollback.Config{Start: 1})
	require.NoError(t, err)
	reg := registry.New()
	typ, err := registry.Register(reg, id, registry.Options[failing]{})
	require.NoError(t, err)
	executed := 0
	host, err = session.NewHost(session.Config{Start: start(), Mode: netcode.Local, Registry: reg, Model: model})
	require.NoError(t, err)
	commands, err := session.Handle(host, typ, session.Handlers[failing]{
		Validate: func(c netcode.Command[failing], _ netcode.Step) error {
			if c.Payload.Value == 3 {
				panic(errors.New("validate panics"))
			}
			return nil
		},
		Mutate: func(c *netcode.Command[failing], prep *netcode.Preparation) error {
			c.Payload.ID, _ = prep.NextID()
			switch c.Payload.Value {
			case 4:
				return errors.New("mutate fails")
			case 5:
				panic("mutate panics")
			case 6:
				c.Payload.Value = 8
			case 7:
				c.Payload.Value = 9
			case 10:
				_, err := host.Cancel(key(100, 0))
				require.ErrorIs(t, err, session.ErrBusy)
				require.ErrorIs(t, host.Tick(5), session.ErrBusy)
				return err
			}
			return nil
		},
		Execute: func(netcode.Command[failing]) { executed++ },
	})
	require.NoError(t, err)

	sequence := uint64(0)
	for _, c := range []struct {
		value int32
		says  string
		used  bool // the sequence
	}{
		{1, "encode fails", false},
		{2, "encode panics", false},
		{3, "validate panics", true},
		{4, "mutate fails", true},
		{5, "mutate panics", true},
		{6, "encode fails after the mutation", true},
		{7, "decode panics", true},
		{10, "inside one of its own handlers", true},
	} {
		_, err := commands.Send(failing{entry{Value: c.value}}, 2)
		require.ErrorContains(t, err, c.says)
		if c.used {
			var refused *session.RefusedError
			require.ErrorAs(t, err, &refused, c.says)
			sequence++
		}
		require.EqualValues(t, sequence, host.NextSequence(), c.says)
		require.NoError(t, host.Fault(), c.says)
	}
	// Neither an order nor an id was burned.
	k, err := commands.Send(failing{entry{Value: 20}}, 2)
	require.NoError(t, err)
	r, _ := host.Record(k)
	require.EqualValues(t, 1, r.Header.Order)
	payload, ok := commands.Payload(k)
	require.True(t, ok)
	require.EqualValues(t, 1, payload.ID)
	require.NoError(t, host.Tick(3))
	require.Equal(t, 1, executed)
}

func TestFailedExecutorIsAContainedState(t *testing.T) {
	p := localPeer(t, nil)
	boom := true
	typ, err := registry.Register(p.Config().Registry, 66, registry.Options[failing]{})
	require.NoError(t, err)
	commands, err := session.Handle(p.Host, typ, session.Handlers[failing]{Execute: func(netcode.Command[failing]) {
		if boom {
			panic("boom")
		}
	}})
	require.NoError(t, err)
	require.NoError(t, p.Tick(2))
	snapshot, err := p.Capture()
	require.NoError(t, err)
	_, err = p.send("add", 1, 4)
	require.NoError(t, err)
	k, err := commands.Send(failing{}, 4)
	require.NoError(t, err)
	require.NoError(t, p.Tick(3))
	good := p.ledger.bytes()
	p.Events()

	err = p.Tick(6)
	var fault *netcode.FaultError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, netcode.Step(4), fault.Step)
	require.True(t, fault.HasKey)
	require.Equal(t, k, fault.Key)
	require.Equal(t, netcode.Step(3), p.Step(), "the last step that succeeded")
	require.Equal(t, good, p.ledger.bytes(), "nothing of step 4 remains")
	require.ErrorIs(t, p.Fault(), netcode.ErrFaulted)
	events := p.Events()
	require.Equal(t, session.Faulted, events[len(events)-1].Kind)

	// Everything is refused, until a snapshot is restored.
	_, err = p.send("add", 1, 5)
	require.ErrorIs(t, err, netcode.ErrFaulted)
	require.ErrorIs(t, p.Tick(6), netcode.ErrFaulted)
	_, err = p.Cancel(k)
	require.ErrorIs(t, err, netcode.ErrFaulted)
	boom = false
	require.NoError(t, p.Restore(snapshot))
	require.NoError(t, p.Fault())
	require.NoError(t, p.Tick(6))
}

func TestRestoreValidatesFirstAndSwapsLast(t *testing.T) {
	p := localPeer(t, nil)
	_, err := p.send("add", 5, 2)
	require.NoError(t, err)
	require.NoError(t, p.Tick(3))
	good, err := p.Capture()
	require.NoError(t, err)
	before, revision := p.ledger.bytes(), len(p.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep}))

	edit := func(f func(*session.Snapshot)) session.Snapshot {
		s := good
		s.Model = bytes.Clone(s.Model)
		f(&s)
		return s
	}
	for name, s := range map[string]session.Snapshot{
		"session":        edit(func(s *session.Snapshot) { s.Session++ }),
		"protocol":       edit(func(s *session.Snapshot) { s.Protocol++ }),
		"step":           edit(func(s *session.Snapshot) { s.Cursor.Step++ }),
		"order headroom": edit(func(s *session.Snapshot) { s.Cursor.Order = netcode.MaxOrder }),
		"short model":    edit(func(s *session.Snapshot) { s.Model = s.Model[:7] }),
		"trial decode":   edit(func(s *session.Snapshot) { s.Model = s.Model[:20] }),
		"last step": edit(func(s *session.Snapshot) {
			s.Cursor.Step = netcode.MaxStep
			copy(s.Model, "\xff\xff\xff\xff\xff\xff\xff\x7f")
		}),
	} {
		require.Error(t, p.Restore(s), name)
		require.NoError(t, p.Fault(), name)
		require.Equal(t, netcode.Step(3), p.Step(), name)
		require.Equal(t, before, p.ledger.bytes(), name)
		require.Len(t, p.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep}), revision, name)
	}
	// The live simulation does not share memory with the snapshot: it can be restored again and again.
	for range 3 {
		require.NoError(t, p.Restore(good))
		require.NoError(t, p.Tick(9))
	}
	want := p.ledger.bytes()
	require.NoError(t, p.Restore(good))
	require.NoError(t, p.Tick(9))
	require.Equal(t, want, p.ledger.bytes())
}

func TestEqualOrdersDoNotDependOnArrival(t *testing.T) {
	// Ann predicts with order 1 what the authority gives order 2, because Bob's command has order 1.
	for _, bobFirst := range []bool{true, false} {
		w := play(t, "session", "player ann 7", "player bob 8", "connect ann", "connect bob", "settle",
			"send bob add 2 @2", "deliver bob server")
		if bobFirst {
			w.play("deliver server ann", "send ann add 1 @2")
		} else {
			w.play("send ann add 1 @2", "deliver server ann")
		}
		w.play("tick ann 3")
		guess := w.player("ann").ledger.bytes()
		w.play("settle", "tick server ann bob 3")
		require.Equal(t, guess, w.player("ann").ledger.bytes(), "authoritative first: the guess was right")
		w.agree()
	}
}

func TestStaleFramesOfEarlierConnectionAreIgnored(t *testing.T) {
	w := play(t, "session", "player ann 7", "connect ann", "deliver ann server")
	ann := w.player("ann")
	old, burst := ann.conn, ann.dow
	w.play("cut ann", "connect ann")
	for _, f := range burst {
		_, err := ann.client.Receive(old, f.data)
		require.ErrorIs(t, err, session.ErrStale)
	}
	require.Equal(t, session.Joining, ann.client.State())
	w.play("settle")
	require.Equal(t, session.Ready, ann.client.State())
}

func TestSecondConnectionOfAnAuthorWins(t *testing.T) {
	w := play(t, "session", "player ann 7", "connect ann", "settle")
	old := w.player("ann").conn
	w.server.Events()
	w.play("connect ann")
	require.Contains(t, w.server.Events(), session.Event{
		Kind: session.Replaced, Conn: old, Header: netcode.Header{Key: netcode.Key{Session: 1, Author: 7}},
	})
	require.False(t, w.router.Unbind(old), "the old connection's clean-up")
	id, author, ok := w.router.Bound(w.player("ann").conn)
	require.True(t, ok)
	require.Equal(t, netcode.SessionID(1), id)
	require.Equal(t, netcode.AuthorID(7), author)
	_, err := w.router.Receive(old, nil)
	require.ErrorIs(t, err, session.ErrNotBound)
	w.play("settle")
	require.Equal(t, session.Ready, w.player("ann").client.State())
}

func TestJoinInAnyState(t *testing.T) {
	w := play(t, "session", "player ann 7")
	ann := w.player("ann")
	require.Equal(t, session.Disconnected, ann.client.State())
	w.play("connect ann")
	require.Equal(t, session.Joining, ann.client.State())
	ann.client.Join(ann.conn)
	require.Equal(t, session.Joining, ann.client.State())
	w.play("deliver ann server", "deliver server ann 1")
	require.Equal(t, session.Synchronizing, ann.client.State())
	ann.client.Join(ann.conn)
	require.Equal(t, session.Joining, ann.client.State())
	w.play("settle")
	require.Equal(t, session.Ready, ann.client.State())
	ann.client.Join(ann.conn)
	require.Equal(t, session.Joining, ann.client.State())
	require.Contains(t, w.play("settle"), "status replay", "joining while ready resumes")
	require.Equal(t, session.Ready, ann.client.State())
	ann.client.Disconnect()
	ann.client.Disconnect()
	ann.client.Join(ann.conn)
	require.Contains(t, w.play("settle"), "status replay", "disconnecting twice is the same as once")
}

// meddler is a transport that changes the bindings while it is being used.
type meddler struct {
	stageServer
	meddle func()
}

func (m *meddler) Send(conn session.ConnID, frame []byte) {
	if f := m.meddle; f != nil {
		m.meddle = nil
		f()
	}
	m.stageServer.Send(conn, frame)
}

func TestBindingsChangeInsideABroadcast(t *testing.T) {
	w := play(t, "session", "player ann 7", "player bob 8", "player cid 9")
	m := &meddler{stageServer: stageServer{w}}
	require.Empty(t, w.router.Remove(1))
	w.router = session.NewServer(m)
	require.NoError(t, w.router.Add(w.server.Host))
	w.play("connect ann", "connect bob", "connect cid", "settle")

	ann, bob := w.player("ann"), w.player("bob")
	m.meddle = func() { // while the frame to ann is being sent
		require.True(t, w.router.Unbind(bob.conn))
		require.NoError(t, w.router.Bind(77, 1, 70))
		require.True(t, w.router.Unbind(ann.conn))
		_, err := w.server.send("add", 1, 3)
		require.ErrorIs(t, err, session.ErrBusy)
	}
	w.play("send server add 5 @2")
	require.Empty(t, bob.dow, "unbound before its turn")
	require.Len(t, w.player("cid").dow, 1)

	m.meddle = func() { w.router.Remove(1) }
	w.play("send server add 6 @2")
	require.ErrorIs(t, w.router.BroadcastStep(1), session.ErrNoSession)
	w.play("send server add 7 @2", "tick server 4")
	require.EqualValues(t, 3, w.server.ledger.ExecutionCount, "a host goes on without its router")
}

func TestHostileStepsAreBounded(t *testing.T) {
	for _, step := range []netcode.Step{math.MinInt64, -1, 0, 5, 1 << 40, math.MaxInt64} {
		// The validator of the ledger would catch most of these: here there is none.
		w := play(t, "session depth=4", "player ann 7", "connect ann", "settle", "tick server ann 10")
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
	c := w.config
	c.Mode = netcode.Server
	c.Limits.PerAuthor = 3
	w.server = newPeer(t, c)
	w.router = session.NewServer(stageServer{w})
	require.NoError(t, w.router.Add(w.server.Host))
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
	c := w.config
	c.Mode = netcode.Server
	w.server = newPeer(t, c)
	w.router = session.NewServer(stageServer{w})
	require.NoError(t, w.router.Add(w.server.Host))
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
		c := w.config
		c.Mode = netcode.Server
		w.server = newPeer(t, c)
		w.router = session.NewServer(stageServer{w})
		require.NoError(t, w.router.Add(w.server.Host))
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

func TestExecutorsReplayButConfirmationsDoNot(t *testing.T) {
	executed, replayed, confirmed := 0, 0, 0
	w := &stage{t: t}
	w.command("session mutate")
	c := w.config
	c.Mode = netcode.Server
	w.server = newPeer(t, c)
	w.router = session.NewServer(stageServer{w})
	require.NoError(t, w.router.Add(w.server.Host))
	w.config.Trace = &netcode.Trace{
		Executed: func(_ netcode.Header, replay bool) {
			executed++
			if replay {
				replayed++
			}
		},
		Confirmed: func(netcode.Header, bool) { confirmed++ },
	}
	w.play("player ann 7", "connect ann", "settle", "send ann add 1 @2", "tick ann 5", "settle", "tick ann 5")
	require.Equal(t, 2, executed)
	require.Equal(t, 1, replayed)
	require.Equal(t, 1, confirmed)
	w.play("cut ann", "connect ann", "settle", "cut ann", "connect ann", "connect ann", "settle", "tick server ann 6")
	require.Equal(t, 1, confirmed)
	w.agree()
}

// brokenJournal fails from some moment on, as one on a full disk would.
type brokenJournal struct {
	*journal.Memory
	broken bool
}

func (b *brokenJournal) Append(r journal.Record) error {
	if b.broken {
		return errors.New("disk full")
	}
	return b.Memory.Append(r)
}

func TestFailedJournalStopsTheHost(t *testing.T) {
	j := &brokenJournal{Memory: journal.NewMemory(journal.Config{})}
	p := localPeer(t, func(c *peerConfig) { c.Journal = j })
	_, err := p.send("add", 1, 1)
	require.NoError(t, err)
	j.broken = true
	_, err = p.send("add", 2, 1)
	require.ErrorIs(t, err, session.ErrJournal)
	require.ErrorIs(t, p.Fault(), session.ErrJournal)
	require.Len(t, p.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep}), 1)
	require.ErrorIs(t, p.Tick(1), session.ErrJournal)
}

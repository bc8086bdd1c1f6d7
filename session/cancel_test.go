package session_test

import (
	"bytes"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

func TestCancelBehindWindowIsRefused(t *testing.T) {
	w := play(t, "session depth=4", "player ann 7", "enter ann",
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
	w := play(t, "session", "player ann 7", "enter ann", "send server add 5 @2", "settle", "tick server ann 4")
	require.EqualValues(t, 1, w.player("ann").ledger.ExecutionCount)
	w.play("cancel server 100/0", "settle", "tick server ann 5")
	require.Zero(t, w.player("ann").ledger.ExecutionCount)
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

func TestRefusedForeignCancelIsUndone(t *testing.T) {
	w := play(t, "session cancel=any", "player ann 7") // what ann believes
	w.config.Cancel = session.CancelOwn
	w.serve(nil)
	w.play("player bob 8", "enter ann bob", "send bob add 5 @2", "settle", "tick server ann bob 3")
	ann := w.player("ann")
	w.play("cancel ann 8/0", "tick ann 4")
	require.Zero(t, ann.ledger.ExecutionCount)
	require.Contains(t, w.play("settle"), "reinstated 8/0")
	w.play("tick server ann bob 5")
	require.EqualValues(t, 1, ann.ledger.ExecutionCount)
	w.agree()

	// Refused a second time, as after a resume that sent it again: nothing is left to undo.
	_, err := w.router.Receive(ann.conn, (&protocol.Cancel{Key: key(8, 0)}).Append(nil))
	require.ErrorIs(t, err, session.ErrNotYours)
	w.play("settle", "tick server ann bob 6")
	w.agree()
}

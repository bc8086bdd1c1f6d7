package session_test

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

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
			w := play(t, line, "player ann 7", "enter ann", "tick server ann 10")
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

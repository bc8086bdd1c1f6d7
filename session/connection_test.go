package session_test

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

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

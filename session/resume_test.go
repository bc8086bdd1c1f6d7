package session_test

import (
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

func TestFreshProcessDoesNotReuseSequences(t *testing.T) {
	w := play(t, "session extensions", "player ann 7", "enter ann",
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
	w := play(t, "session", "player ann 7", "enter ann", "cancel ann 7/0")
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

func TestResumedFiveTimesExecutedOnce(t *testing.T) {
	w := play(t, "session", "player ann 7", "enter ann", "send ann add 5 @2", "deliver ann server")
	for range 5 {
		w.play("cut ann", "connect ann", "deliver ann server all")
	}
	w.play("cut ann", "enter ann", "tick server ann 4")
	require.EqualValues(t, 1, w.server.ledger.ExecutionCount)
	require.EqualValues(t, 1, w.server.Stats().Commands)
	w.agree()
}

func TestResumeBringsOnlyWhatIsNew(t *testing.T) {
	for _, extensions := range []bool{true, false} {
		line := "session"
		if extensions {
			line += " extensions"
		}
		w := play(t, line, "player ann 7", "player bob 8", "enter ann bob")
		for range 20 {
			w.play("send bob add 1 @2")
		}
		w.play("settle", "announce", "settle", "cut ann", "send bob add 2 @3", "send bob add 3 @3", "settle")
		resent := strings.Count(w.play("connect ann", "settle"), "server => ann: accepted")
		if extensions {
			require.Equal(t, 2, resent, "what was applied is not sent again")
		} else {
			require.Equal(t, 22, resent, "without marks, everything since the last synchronisation")
		}
		w.play("tick server ann bob 4")
		w.agree()
	}
}

func TestMarkThatMissedAnOutcomeIsIgnored(t *testing.T) {
	w := play(t, "session extensions", "player ann 7", "player bob 8", "enter ann bob",
		"send bob add 1 @2", "send bob add 2 @2", "deliver bob server all")
	w.play("drop server ann 1", "settle", "announce", "settle", "cut ann")
	require.Equal(t, 2, strings.Count(w.play("connect ann", "settle"), "server => ann: accepted"))
	w.play("tick server ann bob 4")
	w.agree()
}

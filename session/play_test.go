package session_test

import (
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// The tests that start from "play" hold Ariadne against faults of the model that it ports and of its peers:
// each is something that goes wrong elsewhere. They speak the language of the scenarios.

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

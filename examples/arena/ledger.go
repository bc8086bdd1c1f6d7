//go:build !js

package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// ledger shows a duel to the clients, and lets them say what is theirs to say.
type ledger struct {
	duel      *duel
	authority *authority.Server
	link      *live.ReplicaServer
	theirs    replica.Fields // the fields of a fighter that its player writes
}

// arenaMatch is the match that all are in: a server has one field.
const arenaMatch = 1

func newLedger(d *duel) (*ledger, error) {
	l := &ledger{duel: d, theirs: replica.NewFields(FighterClass().Len())}
	l.theirs.Add(FighterNameField)
	l.theirs.Add(FighterEmoteField)
	l.authority = authority.NewServer(authority.Config{
		Replica: replica.Config{Resend: simRate}, // bunches go reliably: none is lost
		Veto:    veto,
	})
	for _, class := range ReplicatedClasses() {
		if err := l.authority.Register(class); err != nil {
			return nil, err
		}
	}
	if _, err := l.authority.Spawn(authority.Spec{Object: boardObject, Class: ScoreboardClassID, Match: arenaMatch}); err != nil {
		return nil, err
	}
	l.link = live.NewReplicaServer(l.authority, live.ReplicaServerConfig{})
	return l, nil
}

// join shows everything to a client that has joined the world, and it to the others. One without an object of its own looks
// on.
func (l *ledger) join(c *citadel.Conn, client *server.Client) error {
	id := replica.PeerID(client.Participant())
	if object, ok := client.Slot(); ok {
		spec := authority.Spec{Object: object, Class: FighterClassID, Match: arenaMatch, Owner: id}
		if _, err := l.authority.Spawn(spec); err != nil {
			return err
		}
		l.duel.enter(object)
	}
	if err := l.capture(); err != nil {
		return err
	}
	return l.link.Join(c, id, arenaMatch, false)
}

// leave takes a client out that is about to leave the world. The others learn it from the board.
func (l *ledger) leave(c *citadel.Conn, client *server.Client) {
	l.link.Leave(c)
	if object, ok := client.Slot(); ok {
		l.duel.leave(object)
		l.authority.Despawn(object)
	}
}

// send tells everybody what has changed.
func (l *ledger) send() error {
	if err := l.capture(); err != nil {
		return err
	}
	return l.link.Send()
}

// capture brings what is replicated up to date with the duel, and the duel with what the players have said.
func (l *ledger) capture() error {
	for object, f := range l.duel.fighters {
		e := l.authority.Entity(object)
		if err := e.Capture(f); err != nil {
			return err
		}
		f.ReadReplica(e.State(), l.theirs)
	}
	return l.authority.Entity(boardObject).Capture(&l.duel.board)
}

// veto refuses names that nobody wants to see. Whoever proposes one is told what its name still is.
func veto(_ *authority.Proposal, _ *replica.Entity, field int, v *netpeer.Value) bool {
	if field != FighterNameField {
		return false
	}
	name, err := v.Bytes()
	return err != nil || !decent(string(name))
}

// decent reports whether a name can be shown: it is printable, does not begin or end with a space, and is not the server's.
func decent(name string) bool {
	if name == "" || !utf8.ValidString(name) || name != strings.TrimSpace(name) {
		return false
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return !strings.EqualFold(name, "server")
}

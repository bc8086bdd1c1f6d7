//go:build !js

package live_test

import (
	"crypto/tls"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// An avatar has an emote, which is its player's, and a score.
const (
	emoteField = iota
	scoreField
)

func avatarClass(version uint32) *replica.Class {
	return replica.MustClass(schema.Layout{Class: 7, Version: version, Properties: []schema.Property{
		{Name: "emote", Type: schema.Int, Bounds: schema.IntRange(0, 9), Authority: schema.ClientOwned},
		{Name: "score", Type: schema.Int, Bounds: schema.IntRange(0, 99)},
	}}, netpeer.Int(0, 9), netpeer.Int(0, 99))
}

var avatar = avatarClass(1)

// emoting is an avatar as its player wants it.
type emoting struct{ emote int64 }

func (*emoting) ReplicaClass() *replica.Class { return avatar }

func (*emoting) TakeDirty(f replica.Fields) { f.Add(emoteField) }

func (e *emoting) WriteReplica(s *replica.State, f replica.Fields) error {
	if !f.Has(emoteField) {
		return nil
	}
	return s.SetInt(emoteField, e.emote)
}

func (e *emoting) ReadReplica(s *replica.State, _ replica.Fields) { e.emote = s.Int(emoteField) }

// troupe is a server of avatars and its clients, over real sockets, all run by the goroutine of the test.
type troupe struct {
	t        *testing.T
	pin      string
	listener *citadel.Listener
	server   *live.ReplicaServer
	joins    bool // whoever connects
	actors   []*actor
	opened   []*citadel.Conn // the server's ends, in order
	dropped  []error
}

// actor is a client.
type actor struct {
	*live.ReplicaClient
	conn    *citadel.Conn
	updates int
	failed  error
}

// avatarOf is the object of a peer.
func avatarOf(id replica.PeerID) uint32 { return 100 + uint32(id) }

func newTroupe(t *testing.T) *troupe {
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	p := &troupe{t: t, pin: pin, joins: true}
	p.listener, err = citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		Config: citadel.Config{ManualFlush: true},
		TLS:    &tls.Config{Certificates: []tls.Certificate{cert}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.listener.Close() })
	a := authority.NewServer(authority.Config{})
	require.NoError(t, a.Register(avatar))
	p.server = live.NewReplicaServer(a, live.ReplicaServerConfig{
		Dropped: func(_ *citadel.Conn, _ wire.Kind, err error) { p.dropped = append(p.dropped, err) },
	})
	return p
}

// join puts a connection into the match with an avatar.
func (p *troupe) join(c *citadel.Conn, id replica.PeerID) {
	e, err := p.server.Authority().Spawn(authority.Spec{Object: avatarOf(id), Class: avatar.ID(), Match: 1, Owner: id})
	require.NoError(p.t, err)
	require.NoError(p.t, e.State().SetInt(emoteField, 0))
	require.NoError(p.t, e.State().SetInt(scoreField, 10))
	require.NoError(p.t, p.server.Join(c, id, 1, false))
}

// hire makes a client, which is not let in before the server's next turn. Peers are numbered in this order, from 1.
func (p *troupe) hire(classes ...*replica.Class) *actor {
	conn, err := citadel.Dial(citadeltest.Within(p.t), p.listener.Addr().String(), citadel.DialConfig{
		Config: citadel.Config{ManualFlush: true}, Pin: p.pin,
	})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { _ = conn.Close() })
	if len(classes) == 0 {
		classes = []*replica.Class{avatar}
	}
	a := &actor{ReplicaClient: live.NewReplicaClient(conn, replica.NewReceiver(0, classes...)), conn: conn}
	p.actors = append(p.actors, a)
	connected := len(p.opened)
	p.until("the server has noticed", func() bool { return len(p.opened) > connected })
	return a
}

// until lets everybody take turns until something is the case.
func (p *troupe) until(what string, done func() bool) {
	p.t.Helper()
	for end := time.Now().Add(citadeltest.Patience); !done(); time.Sleep(time.Millisecond) {
		require.True(p.t, time.Now().Before(end), "never happened: %s", what)
		p.listener.Inbox().Drain(func(e citadel.Event) {
			if p.server.Handle(e) || e.Kind != citadel.Opened {
				return
			}
			if p.opened = append(p.opened, e.Conn); p.joins {
				p.join(e.Conn, replica.PeerID(len(p.opened)))
			}
		})
		require.NoError(p.t, p.server.Send())
		p.listener.Flush()
		for _, a := range p.actors {
			a.conn.Inbox().Drain(func(e citadel.Event) {
				_, err := a.Handle(e, func(replica.Update) { a.updates++ })
				a.failed = errors.Join(a.failed, err)
			})
			require.NoError(p.t, a.Acknowledge())
			a.conn.Flush()
		}
	}
}

// sees reports whether a client has an avatar like this.
func (a *actor) sees(id replica.PeerID, emote, score int64) bool {
	s := a.Receiver().State(avatarOf(id))
	return s != nil && s.Int(emoteField) == emote && s.Int(scoreField) == score
}

// What the server changes and what clients propose reaches everybody, also who comes later, and is acknowledged.
func TestReplication(t *testing.T) {
	p := newTroupe(t)
	anna, bert := p.hire(), p.hire()
	p.until("both see both", func() bool {
		return anna.sees(1, 0, 10) && anna.sees(2, 0, 10) && bert.sees(1, 0, 10) && bert.sees(2, 0, 10)
	})
	require.NoError(t, p.server.Authority().Entity(avatarOf(2)).State().SetInt(scoreField, 11))
	author := replica.NewAuthor(avatar, avatarOf(1), 0)
	for emote := range int64(4) {
		require.NoError(t, anna.Propose(author, &emoting{emote}))
	}
	require.NoError(t, anna.Propose(author, &emoting{3}), "nothing new")
	require.EqualValues(t, 4, author.Last())
	p.until("all is there", func() bool {
		return anna.sees(1, 3, 10) && anna.sees(2, 0, 11) && bert.sees(1, 3, 10) && bert.sees(2, 0, 11)
	})
	carl := p.hire()
	p.until("the late one has all", func() bool { return carl.sees(1, 3, 10) && carl.sees(2, 0, 11) && carl.sees(3, 0, 10) })
	p.until("all is acknowledged", func() bool {
		for id := range replica.PeerID(4) {
			for of := replica.PeerID(1); id > 0 && of < 4; of++ {
				if acked, pending := p.server.Authority().Sender().Baseline(id, avatarOf(of)); acked == 0 || pending > 0 {
					return false
				}
			}
		}
		return true
	})
	stats := p.server.Authority().Stats()
	require.EqualValues(t, 4, stats.Of(authority.Accepted))
	require.Empty(t, p.dropped)
	for _, a := range p.actors {
		require.NoError(t, a.failed)
		require.NotZero(t, a.updates)
		require.EqualValues(t, a.updates, a.Receiver().Stats().Applied)
	}
}

// What a client must not do has no effect but that the application hears of it.
func TestReplicationRefuses(t *testing.T) {
	p := newTroupe(t)
	anna, bert := p.hire(), p.hire()
	p.until("both see both", func() bool { return anna.sees(2, 0, 10) && bert.sees(1, 0, 10) })

	last := uint64(0)
	cheat := func(from *actor, field int, v int64) {
		author := replica.NewAuthor(avatar, avatarOf(2), last)
		draft := author.Begin(nil)
		draft.Int(field, v)
		body, err := author.End()
		require.NoError(t, err)
		last = author.Last()
		require.NoError(t, from.conn.Send(wire.KindRepDelta, body))
		from.conn.Flush()
	}
	cheat(bert, scoreField, 99)
	p.until("it is noticed", func() bool { return len(p.dropped) == 1 })
	require.ErrorIs(t, p.dropped[0], authority.ServerOnly)
	cheat(anna, emoteField, 9)
	p.until("it is noticed", func() bool { return len(p.dropped) == 2 })
	require.ErrorIs(t, p.dropped[1], authority.NotOwner)
	require.NoError(t, anna.conn.Send(wire.KindRepAck, []byte{1}))
	anna.conn.Flush()
	p.until("it is noticed", func() bool { return len(p.dropped) == 3 })

	p.joins = false
	mallory := p.hire()
	cheat(mallory, emoteField, 9)
	p.until("it is noticed", func() bool { return len(p.dropped) == 4 })
	require.ErrorIs(t, p.dropped[3], authority.NoMatch)
	require.NoError(t, mallory.conn.Send(wire.KindRepAck, []byte{0, 0}))
	mallory.conn.Flush()
	p.until("it is noticed", func() bool { return len(p.dropped) == 5 })

	require.NoError(t, p.server.Authority().Entity(avatarOf(1)).State().SetInt(scoreField, 12))
	p.until("life goes on", func() bool { return anna.sees(1, 0, 12) && bert.sees(1, 0, 12) })
	require.True(t, anna.sees(2, 0, 10) && bert.sees(2, 0, 10))
	require.Zero(t, mallory.Receiver().Len())
	stats := p.server.Authority().Stats()
	require.Zero(t, stats.Of(authority.Accepted))
}

// A connection is in the match until it ends, leaves, or another one speaks for the same peer.
func TestReplicationLeaves(t *testing.T) {
	p := newTroupe(t)
	anna, bert := p.hire(), p.hire()
	p.until("both see both", func() bool { return anna.sees(2, 0, 10) && bert.sees(1, 0, 10) })
	c, ok := p.server.Conn(1)
	require.True(t, ok)
	require.Same(t, p.opened[0], c)

	require.NoError(t, anna.conn.Close())
	p.until("anna is gone", func() bool { _, ok := p.server.Conn(1); return !ok })
	require.False(t, p.server.Leave(p.opened[0]))

	p.joins = false
	again := p.hire()
	require.NoError(t, p.server.Join(p.opened[2], 2, 1, false))
	p.until("the new connection has all", func() bool { return again.sees(1, 0, 10) && again.sees(2, 0, 10) })
	require.False(t, p.server.Leave(p.opened[1]), "it was replaced")
	require.NoError(t, p.server.Join(p.opened[2], 3, 1, false), "as somebody else")
	_, ok = p.server.Conn(2)
	require.False(t, ok)
	require.True(t, p.server.Leave(p.opened[2]))
	before := bert.updates
	require.NoError(t, p.server.Authority().Entity(avatarOf(1)).State().SetInt(scoreField, 13))
	require.NoError(t, p.server.Send())
	require.Equal(t, before, bert.updates)
}

// A client hears of it if it does not know a class of the server.
func TestReplicationOfUnknownClass(t *testing.T) {
	p := newTroupe(t)
	anna := p.hire(avatarClass(2))
	p.until("the table has come", func() bool { return anna.failed != nil })
	require.ErrorIs(t, anna.failed, replica.ErrUnknownClass)
	require.Zero(t, anna.Receiver().Len())
}

// What is of another protocol is left to others, and so is the end of a connection.
func TestReplicationHandlesItsOwn(t *testing.T) {
	p := newTroupe(t)
	a := p.hire()
	for kind, c := range map[wire.Kind]struct{ server, client bool }{
		wire.KindRepDelta:    {true, true},
		wire.KindRepAck:      {true, false},
		wire.KindRepSchema:   {false, true},
		wire.KindTsyncInput:  {false, false},
		wire.KindTsyncRewind: {false, false},
		wire.KindPosition:    {false, false},
	} {
		for _, how := range []citadel.EventKind{citadel.Frame, citadel.Datagram} {
			e := citadel.Event{Kind: how, Conn: p.opened[0], Envelope: wire.Envelope{Kind: kind}}
			require.Equal(t, c.server, p.server.Handle(e), "%v", kind)
			ours, err := a.Handle(e, nil)
			require.Equal(t, c.client, ours, "%v", kind)
			require.Equal(t, c.client, err != nil, "%v: an empty body", kind)
		}
	}
	for _, how := range []citadel.EventKind{citadel.Opened, citadel.Session, citadel.Closed} {
		e := citadel.Event{Kind: how, Conn: p.opened[0], Envelope: wire.Envelope{Kind: wire.KindRepDelta}}
		require.False(t, p.server.Handle(e))
		ours, err := a.Handle(e, nil)
		require.False(t, ours)
		require.NoError(t, err)
	}
	_, ok := p.server.Conn(1)
	require.False(t, ok, "it has ended")
}

// A tick in which nothing changes sends nothing and allocates nothing.
func TestReplicationAtRest(t *testing.T) {
	p := newTroupe(t)
	anna := p.hire()
	p.until("all is acknowledged", func() bool {
		acked, pending := p.server.Authority().Sender().Baseline(1, avatarOf(1))
		return acked > 0 && pending == 0
	})
	frames := p.opened[0].Stats().FramesOut
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if p.server.Send() != nil || anna.Acknowledge() != nil {
			panic("failed")
		}
	}))
	require.Equal(t, frames, p.opened[0].Stats().FramesOut)
}

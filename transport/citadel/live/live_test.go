//go:build !js

package live_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

// stage is a server and its clients, over real sockets, all run by the goroutine of the test.
type stage struct {
	t        *testing.T
	pin      string
	listener *citadel.Listener
	world    *server.World
	server   *live.Server
	guests   []*guest
}

func newStage(t *testing.T, world server.Config, cfg live.ServerConfig) *stage {
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	s := &stage{t: t, pin: pin}
	s.listener, err = citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		Config: citadel.Config{ManualFlush: true},
		TLS:    &tls.Config{Certificates: []tls.Certificate{cert}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.listener.Close() })
	s.world, err = server.New(world)
	require.NoError(t, err)
	s.server = live.NewServer(s.listener, s.world, cfg)
	return s
}

// guest is a client.
type guest struct {
	*live.Client
	events []client.Event
	over   error // why its connection has ended
	sent   int   // inputs
}

func (s *stage) dial() *citadel.Conn {
	conn, err := citadel.Dial(citadeltest.Within(s.t), s.listener.Addr().String(), citadel.DialConfig{
		Config: citadel.Config{ManualFlush: true}, Pin: s.pin,
	})
	require.NoError(s.t, err)
	return conn
}

func (s *stage) invite(conn *citadel.Conn, cfg client.Config) *guest {
	sync, err := client.New(cfg)
	require.NoError(s.t, err)
	g := &guest{Client: live.NewClient(conn, sync)}
	s.t.Cleanup(func() { _ = conn.Close() })
	s.guests = append(s.guests, g)
	return g
}

// until lets everybody take turns until something is the case.
func (s *stage) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(citadeltest.Patience); !done(); time.Sleep(time.Millisecond) {
		require.True(s.t, time.Now().Before(end), "never happened: %s", what)
		s.server.Pump()
		s.world.Tick()
		s.server.Send()
		s.server.Flush()
		for _, g := range s.guests {
			if g.over != nil {
				continue
			}
			err := g.Pump(func(e client.Event) { g.events = append(g.events, e) })
			if errors.Is(err, net.ErrClosed) {
				g.over = err
				continue
			}
			require.NoError(s.t, err)
			g.Sync().Advance(1.0 / 60)
			g.Flush()
		}
	}
}

// connection returns the server's end of the only connection.
func (s *stage) connection() *citadel.Conn {
	conn, ok := s.server.Conn(s.world.Clients()[0])
	require.True(s.t, ok)
	return conn
}

// sees reports whether a guest has applied a snapshot in which there is an object.
func (g *guest) sees(object uint32) bool {
	if g.Sync().View() == nil {
		return false
	}
	_, ok := g.Sync().View().Object(object)
	return ok
}

// happened returns the first event of a type.
func happened[E client.Event](g *guest) (found E, ok bool) {
	for _, e := range g.events {
		if e, ok := e.(E); ok {
			return e, true
		}
	}
	return found, false
}

var standing = tsync.State{Position: [3]float32{500, 0, 0}, Rotation: [4]float32{3: 1}}

// A client joins, sees, moves, shoots and leaves.
func TestWholeLife(t *testing.T) {
	var joined, left []uint64
	s := newStage(t, server.Config{PlayerSlots: 1}, live.ServerConfig{
		Joined: func(c *citadel.Conn, client *server.Client) { joined = append(joined, client.Participant()) },
		Left:   func(c *citadel.Conn, client *server.Client) { left = append(left, client.Participant()) },
	})
	_, err := s.world.Spawn(server.Object{
		ID: 100, Role: tsync.ServerSimulated, State: standing, Shape: rewind.Shape{Radius: 50},
	})
	require.NoError(t, err)
	g := s.invite(s.dial(), client.Config{})
	s.until("the guest sees the target and itself", func() bool { return g.sees(100) && g.sees(1) })
	require.Len(t, joined, 1)
	_, ok := happened[client.Welcome](g)
	require.True(t, ok)
	s.until("the guest has its role", func() bool { return len(g.Sync().AppendOwned(nil)) == 1 })

	there, ok := s.server.Client(s.connection())
	require.True(t, ok)
	conn, ok := s.server.Conn(there)
	require.True(t, ok)
	require.Equal(t, conn.ID(), joined[0])

	before, _, ok := g.Sync().Predicted(1)
	require.True(t, ok)
	seq, err := g.Sync().Push(1, &client.Input{
		Move: [3]float32{60, 0, 0}, DT: 1.0 / 60,
		Fire: true, Origin: [3]float32{0, 0, 0}, Direction: [3]float32{1, 0, 0},
	})
	require.NoError(t, err)
	s.until("the shot is resolved", func() bool { _, ok := happened[client.ShotResolved](g); return ok })
	shot, _ := happened[client.ShotResolved](g)
	require.Equal(t, seq, shot.InputSeq)
	require.True(t, shot.Hit)
	s.until("the input is acknowledged", func() bool { return g.Sync().Pending(1) == 0 })
	after, _ := s.world.Object(1)
	require.InDelta(t, before.Position[0]+1, after.State.Position[0], 0.2)
	require.EqualValues(t, 1, there.Stats().Inputs)

	require.NoError(t, g.Conn().Close())
	s.until("the guest is gone", func() bool { return len(s.world.Clients()) == 0 })
	require.Equal(t, joined, left)
	_, ok = s.server.Client(conn)
	require.False(t, ok)
	_, ok = s.server.Conn(there)
	require.False(t, ok)
}

// Send rate and rewinding follow the connection's own statistics.
func TestStatisticsArrive(t *testing.T) {
	s := newStage(t, server.Config{DemoMovers: 1}, live.ServerConfig{})
	g := s.invite(s.dial(), client.Config{})
	s.until("the server knows how far behind the guest is", func() bool {
		return g.sees(1) && s.world.Clients()[0].Lag().RTT > 0
	})
	lag := s.world.Clients()[0].Lag()
	require.Positive(t, lag.Interpolation)
	require.Equal(t, congestion.Good, s.world.Clients()[0].Congestion())
}

func TestPath(t *testing.T) {
	var s citadel.Stats
	s.Link = citadel.LinkStats{
		RTT: 80 * time.Millisecond, MinRTT: 60 * time.Millisecond, RTTJitter: 1500 * time.Microsecond,
		PacketsSent: 100, PacketsLost: 7, DatagramsDropped: 1,
	}
	s.Drops.OutboundDatagrams, s.Drops.OversizedDatagrams = 2, 4
	require.Equal(t, congestion.Path{RTT: 80, MinRTT: 60, Jitter: 1.5, Sent: 100, Lost: 7, Drops: 7}, live.Path(s))
}

// Both speak version 2 if both want to, whether the client offers it before its hello or after.
func TestVersion2(t *testing.T) {
	for _, c := range []struct {
		name  string
		epoch uint64
		offer bool
		kind  wire.Kind
	}{
		{"both", 7, true, wire.KindTsyncV2Snapshot},
		{"client only", 0, true, wire.KindTsyncSnapshot},
		{"server only", 7, false, wire.KindTsyncSnapshot},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, server.Config{DemoMovers: 1, Epoch: c.epoch}, live.ServerConfig{})
			g := s.invite(s.dial(), client.Config{Version2: c.offer})
			s.until("the guest sees", func() bool { return g.sees(1) })
			require.Equal(t, c.kind, s.world.Clients()[0].SnapshotKind())
			if c.kind == wire.KindTsyncV2Snapshot {
				require.Equal(t, c.epoch, g.Sync().View().Epoch())
			}
		})
	}

	s := newStage(t, server.Config{DemoMovers: 1, Epoch: 7}, live.ServerConfig{})
	g := s.invite(s.dial(), client.Config{})
	s.until("the guest sees", func() bool { return g.sees(1) })
	require.NoError(t, g.Conn().Send(wire.KindTsyncV2Hello, make([]byte, 100))) // no manifest
	require.NoError(t, g.Conn().Send(wire.KindTsyncV2Hello, tsync.AppendManifest(nil, tsync.DefaultManifest())))
	g.Conn().Flush()
	s.until("the server has changed over", func() bool {
		return s.world.Clients()[0].SnapshotKind() == wire.KindTsyncV2Snapshot
	})
}

// Whoever connects again takes the place of the older connection.
func TestTheLaterConnectionStays(t *testing.T) {
	s := newStage(t, server.Config{PlayerSlots: 2}, live.ServerConfig{
		Participant: func(*citadel.Conn) (uint64, error) { return 5, nil },
	})
	first := s.invite(s.dial(), client.Config{})
	s.until("the first plays", func() bool { return first.sees(1) })
	second := s.invite(s.dial(), client.Config{})
	s.until("the first is out", func() bool { return first.over != nil })
	end, ok := errors.AsType[*citadel.CloseError](first.over)
	require.True(t, ok)
	require.Equal(t, live.CodeReplaced, end.Code)
	s.until("the second plays", func() bool { return second.sees(1) })
	require.Len(t, s.world.Clients(), 1)
}

func TestRefused(t *testing.T) {
	banned := errors.New("banned")
	for name, c := range map[string]struct {
		participant func(*citadel.Conn) (uint64, error)
		hello       []byte
		reason      string
	}{
		"by the application": {func(*citadel.Conn) (uint64, error) { return 0, banned }, nil, "banned"},
		"nobody":             {func(*citadel.Conn) (uint64, error) { return 0, nil }, nil, server.ErrParticipant.Error()},
		"no opt-in":          {nil, []byte{1}, server.ErrNotOptIn.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, server.Config{DemoMovers: 1}, live.ServerConfig{Participant: c.participant})
			conn := s.dial()
			require.NoError(t, conn.Send(wire.KindTsyncHello, c.hello))
			conn.Flush()
			g := s.invite(conn, client.Config{})
			s.until("the guest is out", func() bool { return g.over != nil })
			end, ok := errors.AsType[*citadel.CloseError](g.over)
			require.True(t, ok)
			require.Equal(t, live.CodeRefused, end.Code)
			require.Equal(t, c.reason, end.Reason)
			require.Empty(t, s.world.Clients())
		})
	}
}

// A hello that is none does not take the participant's other connection out.
func TestNoOptInReplacesNobody(t *testing.T) {
	s := newStage(t, server.Config{DemoMovers: 1}, live.ServerConfig{
		Participant: func(*citadel.Conn) (uint64, error) { return 7, nil },
	})
	first := s.invite(s.dial(), client.Config{})
	s.until("the first plays", func() bool { return first.sees(1) })
	conn := s.dial()
	require.NoError(t, conn.Send(wire.KindTsyncHello, []byte{1}))
	conn.Flush()
	second := s.invite(conn, client.Config{})
	s.until("the second is out", func() bool { return second.over != nil })
	require.NoError(t, first.over)
	require.Len(t, s.world.Clients(), 1)
}

// What is malformed, too early or of another protocol harms nobody.
func TestNoise(t *testing.T) {
	s := newStage(t, server.Config{PlayerSlots: 1}, live.ServerConfig{})
	conn := s.dial()
	for _, kind := range []wire.Kind{wire.KindTsyncInput, wire.KindTsyncAck, wire.KindTsyncV2Input} {
		require.NoError(t, conn.SendDatagram(kind, []byte{1}))
	}
	require.NoError(t, conn.Send(wire.KindTsyncSnapshot, nil)) // what a server sends
	g := s.invite(conn, client.Config{})
	s.until("the guest sees itself", func() bool { return g.sees(1) })

	there := s.world.Clients()[0]
	malformed := there.Stats().Malformed
	require.NoError(t, conn.Send(wire.KindTsyncInput, []byte{1}))
	require.NoError(t, conn.Send(wire.KindTsyncV2Input, []byte{1}))
	require.NoError(t, conn.Send(wire.KindTsyncAck, []byte{1}))
	s.until("the server has counted them", func() bool { return there.Stats().Malformed == malformed+3 })

	// The server answers a hello again, and the client has nothing to do with that.
	before := g.Sync().View()
	require.NoError(t, conn.Send(wire.KindTsyncHello, nil))
	frames := there.Stats().Snapshots
	s.until("snapshots go on", func() bool { return there.Stats().Snapshots > frames+5 })
	require.Same(t, before, g.Sync().View())

	for kind, ours := range map[wire.Kind]bool{
		wire.KindTsyncInput: true, wire.KindTsyncSnapshot: false, wire.KindPosition: false, wire.KindSession: false,
	} {
		e := citadel.Event{Kind: citadel.Frame, Conn: conn, Envelope: wire.Envelope{Kind: kind}}
		require.Equal(t, ours, s.server.Handle(e), "%v", kind)
	}
	require.False(t, s.server.Handle(citadel.Event{Kind: citadel.Session, Conn: conn}))
	require.True(t, s.server.Handle(citadel.Event{Kind: citadel.Opened, Conn: conn}))
	ours, err := g.Handle(citadel.Event{Kind: citadel.Frame, Envelope: wire.Envelope{Kind: wire.KindPosition}}, nil)
	require.False(t, ours)
	require.NoError(t, err)
	ours, err = g.Handle(citadel.Event{Kind: citadel.Progress}, nil)
	require.False(t, ours)
	require.NoError(t, err)
	ours, err = g.Handle(citadel.Event{Kind: citadel.Frame, Envelope: wire.Envelope{Kind: wire.KindTsyncRole, Body: []byte{1}}}, nil)
	require.True(t, ours)
	require.ErrorIs(t, err, wire.ErrTooShort)
}

// However much there is to tell, snapshots are as large as the path's datagrams and not larger.
func TestSnapshotsFitThePath(t *testing.T) {
	const objects = 300
	s := newStage(t, server.Config{DemoMovers: objects, MaxPayload: 60_000, Budget: -1, CellSize: 200_000}, live.ServerConfig{})
	g := s.invite(s.dial(), client.Config{})
	largest, before := uint64(0), server.Stats{}
	s.until("the guest sees all, and the path is used", func() bool {
		for _, c := range s.world.Clients() {
			now := c.Stats()
			if now.Snapshots == before.Snapshots+1 {
				largest = max(largest, now.SnapshotBytes-before.SnapshotBytes)
			}
			before = now
		}
		return g.sees(objects) && g.Sync().View().Len() == objects && largest > live.SafePayload
	})
	there := s.connection()
	require.LessOrEqual(t, largest, uint64(there.MaxDatagram()))
	require.Zero(t, there.Stats().Drops.OversizedDatagrams)
	require.Zero(t, there.Stats().Link.DatagramsDropped, "to ask for the limit is no loss")
}

// What does not fit a datagram arrives all the same.
func TestLargeInputsGoReliably(t *testing.T) {
	s := newStage(t, server.Config{PlayerSlots: 1}, live.ServerConfig{})
	g := s.invite(s.dial(), client.Config{Sender: client.SenderConfig{MaxBytes: 8_000, Redundancy: 16}})
	const inputs = 16
	s.until("the guest plays", func() bool { return g.sees(1) && len(g.Sync().AppendOwned(nil)) == 1 })
	frames := g.Conn().Stats().FramesOut
	s.until("the inputs are acknowledged", func() bool {
		for g.Sync().View() != nil && g.sent < inputs {
			if _, err := g.Sync().Push(1, &client.Input{Payload: make([]byte, 200), DT: 0.001}); err != nil {
				break
			}
			g.sent++
		}
		return g.sent == inputs && g.Sync().Pending(1) == 0
	})
	require.EqualValues(t, inputs, s.world.Clients()[0].Stats().Inputs)
	require.Greater(t, g.Conn().Stats().FramesOut, frames, "no bundle was too large for a datagram")
}

// Over a link without datagrams everything arrives, too.
func TestWebSocket(t *testing.T) {
	const objects = 200
	s := newStage(t, server.Config{PlayerSlots: 1, MaxPayload: 20_000, Budget: -1}, live.ServerConfig{})
	for id := range uint32(objects) {
		_, err := s.world.Spawn(server.Object{ID: 100 + id, Role: tsync.ServerSimulated, State: tsync.State{Velocity: [3]float32{10}}})
		require.NoError(t, err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	web := ws.NewServer(s.listener, ws.Options{})
	go func() { _ = web.Serve(tcp) }()
	t.Cleanup(func() { _ = web.Close() })
	conn, err := ws.Dial(citadeltest.Within(t), "ws://"+tcp.Addr().String()+"/", citadel.DialConfig{})
	require.NoError(t, err)
	g := s.invite(conn, client.Config{})
	s.until("the guest plays", func() bool {
		_, err := g.Sync().Push(1, &client.Input{Move: [3]float32{30, 0, 0}, DT: 1.0 / 60})
		return err == nil
	})
	s.until("the input is acknowledged", func() bool { return g.Sync().Pending(1) == 0 })
	require.Zero(t, conn.MaxDatagram())
	before := s.world.Clients()[0].Stats()
	s.until("all is told in one snapshot", func() bool {
		now := s.world.Clients()[0].Stats()
		all := now.Snapshots == before.Snapshots+1 && now.Updates-before.Updates > objects
		before = now
		return all
	})
}

// An application that drains the inbox itself waits for it, too.
func TestPumpCounts(t *testing.T) {
	s := newStage(t, server.Config{DemoMovers: 1}, live.ServerConfig{})
	require.Zero(t, s.server.Pump())
	s.dial()
	require.NoError(t, s.listener.Inbox().Wait(context.Background()))
	require.Equal(t, 1, s.server.Pump())
}

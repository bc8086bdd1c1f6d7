package stress

import (
	"crypto/tls"
	"encoding/binary"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// What things cost, for the bounds, in bytes.
const (
	// Measured, and rounded up generously: a connection takes some 70 KiB and a stream 2, with a packet or two for
	// each on their way.
	slack         = 8 << 20   // the players and the test itself
	perConnection = 256 << 10 // goroutines, TLS, packets
	perStream     = 4 << 10
	perHandshake  = 64 << 10 // of QUIC that is not complete

	// Limits of quic-go, and those of package citadel that have no field in its configuration.
	datagramQueue = 128 << 11 // 128 datagrams
	firstWindow   = 256 << 10 // what a peer may send before anything is read
	mostWindow    = 4 << 20   // what it may come to be for one that is read quickly
	freeBuffer    = 64 << 10  // of each stream that is read, before it counts as reassembly
	readStreams   = 6
)

// strangers is what connections may cost that are not let in: what they may send unread, and twice a token, for the
// buffer doubles.
func strangers(cfg citadel.ListenConfig, many int) int64 {
	return int64(many) * int64(perConnection+firstWindow+datagramQueue+2*cfg.MaxTokenBytes)
}

// guests is what connections may cost that are let in and send a few frames.
func guests(cfg citadel.ListenConfig, many int) int64 {
	return strangers(cfg, many) + int64(many)*int64(2*cfg.OutboundBytes+2*cfg.InboundBytes+readStreams*freeBuffer)
}

// busyGuests is what they may cost if they send as much as they can: the windows grow, and in addition all of them
// together have what MaxReassembly lets them have.
func busyGuests(cfg citadel.ListenConfig, many int) int64 {
	return guests(cfg, many) + int64(many)*(mostWindow-firstWindow) + int64(cfg.MaxReassembly)
}

// attacks lists what clients may do to a server.
func attacks() []attack {
	few, lasts := pick(4, 8, 60), pick(200*time.Millisecond, 500*time.Millisecond, 10*time.Second)
	return []attack{
		{
			name: "wrong first frame", many: pick(9, 27, 450), run: wrongFirstFrame,
			bound: strangers,
			check: func(t *testing.T, s *siege) {
				s.ends(t, citadel.CodeAuthProtocol)
				require.EqualValues(t, s.many, s.stats.Rejected)
				require.Zero(t, s.stats.TimedOut)
				require.Zero(t, s.game.opened)
			},
		},
		{
			name: "slow loris", many: pick(24, 48, 48), run: slowLoris,
			config: func(c *citadel.ListenConfig) {
				c.MaxHalfOpen = pick(16, 32, 32)
				c.HandshakeTimeout = pick(time.Second, 2*time.Second, 5*time.Second)
			},
			// Never more than MaxHalfOpen, and as many whose goroutines are about to end.
			bound: func(cfg citadel.ListenConfig, _ int) int64 { return strangers(cfg, 2*cfg.MaxHalfOpen) },
			check: func(t *testing.T, s *siege) {
				late, pushed := s.report.Ends[codeName(citadel.CodeAuthProtocol)], s.report.Ends[codeName(citadel.CodeServerFull)]
				require.Equal(t, s.many, late+pushed, "%v", s.report)
				require.Positive(t, late)
				require.EqualValues(t, late, s.stats.Rejected)
				require.GreaterOrEqual(t, s.stats.TimedOut, s.stats.Rejected)
				require.GreaterOrEqual(t, s.stats.Refused.HalfOpen, uint64(pushed))
				require.Zero(t, s.game.opened)
			},
		},
		{
			name: "unfinished handshakes", many: pick(30, 60, 400), lasts: lasts, run: unfinishedHandshakes,
			config: func(c *citadel.ListenConfig) { c.MaxHalfOpen = 16 },
			bound:  func(cfg citadel.ListenConfig, _ int) int64 { return int64(cfg.MaxHalfOpen) * perHandshake },
			check: func(t *testing.T, s *siege) {
				require.Empty(t, s.report.Ends)
				require.Equal(t, s.many, s.report.Counts["begun"])
				require.Positive(t, s.meter.shaking)
				require.EqualValues(t, honest+1, s.stats.Accepted)
			},
		},
		{
			name: "oversized token", many: pick(9, 27, 450), run: oversizedToken,
			bound: strangers,
			check: func(t *testing.T, s *siege) {
				s.ends(t, citadel.CodeAuthProtocol)
				require.EqualValues(t, s.many, s.stats.Rejected)
				require.Zero(t, s.game.opened)
			},
		},
		{
			name: "auth twice", many: pick(9, 27, 450), run: authTwice,
			bound: guests,
			check: func(t *testing.T, s *siege) {
				s.ends(t, citadel.CodeAuthProtocol)
				require.EqualValues(t, s.many+honest+1, s.stats.Accepted)
				require.GreaterOrEqual(t, s.stats.Conns.Drops.StrayAuthFrames, uint64(s.many))
				require.Equal(t, map[citadel.Code]int{citadel.CodeAuthProtocol: s.many}, s.game.ends)
			},
		},
		{
			name: "early data", many: few, lasts: 100 * time.Millisecond, run: earlyData,
			config: func(c *citadel.ListenConfig) { c.TLS = sharedTickets() },
			helper: earlyServer,
			bound:  guests,
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{stillOpen: s.many}, s.report.Ends)
				require.Zero(t, s.report.Counts["accepted early"])
				require.Equal(t, s.many, s.report.Counts["resumed"], "the tickets were good for all but early data")
				require.Equal(t, s.many, s.report.Counts["sent early"])
				require.Equal(t, s.many, s.game.opened, "nobody is let in twice")
				require.Equal(t, s.many, s.game.frames, "and what was said counts once")
			},
		},
		{
			name: "half-open streams", many: pick(3, 20, 20), lasts: lasts, run: halfOpenStreams,
			bound: func(cfg citadel.ListenConfig, many int) int64 {
				return guests(cfg, many) + int64(many)*int64(2*cfg.MaxStreams)*perStream
			},
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{stillOpen: s.many}, s.report.Ends)
				// One of those that a connection may have is in use for the handshake.
				require.Equal(t, map[string]int{"streams": s.many * (2*s.cfg.MaxStreams - 1), "refused": 2 * s.many}, s.report.Counts)
				require.Zero(t, s.game.frames)
			},
		},
		{
			name: "giant length prefix", many: pick(12, 24, 480), run: giantPrefix,
			bound: guests,
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{
					codeName(citadel.CodeAuthProtocol): s.many / 2,
					codeName(citadel.CodeProtocol):     s.many / 2,
				}, s.report.Ends)
				require.EqualValues(t, s.many/2, s.stats.Rejected)
				require.Equal(t, map[citadel.Code]int{citadel.CodeProtocol: s.many / 2}, s.game.ends)
				require.Equal(t, s.many/6, s.game.frames, "what came before it is delivered")
			},
		},
		{
			name: "announced sizes", many: pick(9, 27, 200), lasts: lasts, run: announcedSizes,
			bound: guests, // and not 72 MiB for each
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{stillOpen: s.many}, s.report.Ends)
				require.EqualValues(t, s.many, s.stats.Conns.Drops.BrokenTransfers)
				require.Zero(t, s.game.frames)
			},
		},
		{
			name: "garbage packets", lasts: pick(200*time.Millisecond, time.Second, 10*time.Second), run: garbagePackets,
			config: func(c *citadel.ListenConfig) { c.MaxHalfOpen = 16 },
			bound:  func(cfg citadel.ListenConfig, _ int) int64 { return int64(cfg.MaxHalfOpen) * perHandshake },
			check: func(t *testing.T, s *siege) {
				require.Positive(t, s.report.Counts["packets"])
				require.EqualValues(t, honest+1, s.stats.Accepted)
				require.Zero(t, s.stats.Rejected)
			},
		},
		{
			name: "garbage datagrams", many: pick(2, 3, 10), lasts: pick(200*time.Millisecond, time.Second, 10*time.Second),
			run:    garbageDatagrams,
			config: func(c *citadel.ListenConfig) { c.InboundDatagrams = 64 },
			bound: func(cfg citadel.ListenConfig, many int) int64 {
				return guests(cfg, many) + int64(many)*int64(cfg.InboundDatagrams)*2048
			},
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{stillOpen: s.many}, s.report.Ends)
				drops := s.stats.Conns.Drops
				require.Positive(t, drops.MalformedDatagrams)
				require.Positive(t, drops.StrayAuthFrames)
				require.Positive(t, s.stats.Conns.DatagramsIn)
				require.LessOrEqual(t, drops.MalformedDatagrams+drops.StrayAuthFrames+drops.InboundDatagrams+s.stats.Conns.DatagramsIn,
					uint64(s.report.Counts["datagrams"]))
				require.Zero(t, s.game.frames)
			},
		},
		{
			name: "datagrams before auth", many: few, lasts: 50 * time.Millisecond, run: datagramsBeforeAuth,
			bound: guests,
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{stillOpen: s.many}, s.report.Ends)
				require.Equal(t, s.many, s.game.opened)
				require.Positive(t, s.stats.Conns.Drops.PreAuthDatagrams)
				require.LessOrEqual(t, s.stats.Conns.Drops.PreAuthDatagrams, uint64(s.report.Counts["datagrams"]))
				// On a busy machine, the token may overtake what the attacker's own QUIC has queued.
				require.LessOrEqual(t, s.stats.Conns.DatagramsIn, uint64(s.many*sendQueue), "what came before is not delivered later")
			},
		},
		{
			name: "fragments", many: pick(6, 18, 60), run: fragmentFlood,
			config: func(c *citadel.ListenConfig) {
				c.MaxSessionFrame, c.MaxReassembly = fragmentedFrame, 4<<20
				c.SessionFrameTimeout = pick(500*time.Millisecond, time.Second, 10*time.Second)
			},
			bound: busyGuests,
			check: func(t *testing.T, s *siege) {
				// A third begins a frame inside a frame. The others take too long, or more than there is.
				exhausted := s.report.Ends[codeName(citadel.CodeExhausted)]
				require.Equal(t, s.many, exhausted+s.report.Ends[codeName(citadel.CodeProtocol)], "%v", s.report)
				require.EqualValues(t, exhausted, s.stats.Exhausted)
				require.Equal(t, s.many, s.game.ends[citadel.CodeExhausted]+s.game.ends[citadel.CodeProtocol])
				require.EqualValues(t, s.many, s.stats.Conns.Drops.BrokenTransfers)
				require.Zero(t, s.game.frames, "nothing half-way is delivered")
			},
		},
		{
			name: "never reads", many: pick(3, 6, 20), run: neverRead,
			guest: func(c *citadel.Conn, _ uint64) { _ = c.SendSession(make([]byte, deafFrame)) },
			bound: guests,
			check: func(t *testing.T, s *siege) {
				s.ends(t, citadel.CodeOverflow)
				require.Equal(t, map[citadel.Code]int{citadel.CodeOverflow: s.many}, s.game.ends)
			},
		},
		{
			name: "reads much later", many: pick(3, 6, 20), lasts: pick(200*time.Millisecond, time.Second, 60*time.Second), run: readLater,
			config: func(c *citadel.ListenConfig) { c.OutboundBytes = citadel.DefaultOutboundBytes },
			guest:  sendNumbered(),
			bound:  guests,
			check: func(t *testing.T, s *siege) {
				require.Equal(t, map[string]int{stillOpen: s.many}, s.report.Ends)
				require.Equal(t, s.many*int(s.lasts/tick), s.report.Counts["frames"])
			},
		},
	}
}

// sendNumbered sends each guest a frame in each tick.
func sendNumbered() func(*citadel.Conn, uint64) {
	sent := make(map[*citadel.Conn]uint64)
	frame := make([]byte, pausingFrame)
	return func(c *citadel.Conn, _ uint64) {
		binary.LittleEndian.PutUint64(frame, sent[c])
		sent[c]++
		_ = c.SendSession(frame) // what is wrong then comes out at the other end
	}
}

func isNumbered(frame []byte, n int) bool { return binary.LittleEndian.Uint64(frame) == uint64(n) }

// sharedTickets makes a configuration whose tickets another server accepts that has it, too.
func sharedTickets() *tls.Config {
	conf := serverTLS()
	conf.SetSessionTicketKeys([][32]byte{{1, 2, 3}})
	return conf
}

// earlyServer starts a server that lets its clients send early data, and believes the tickets of the one that is
// attacked, which believes its own in turn.
func earlyServer(t *testing.T, cfg citadel.ListenConfig) string {
	t.Helper()
	conf := sharedTickets()
	conf.NextProtos = cfg.TLS.NextProtos
	ln, err := quic.ListenAddrEarly("127.0.0.1:0", conf, &quic.Config{Allow0RTT: true, EnableDatagrams: true, MaxIncomingUniStreams: 256})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			if _, err := ln.Accept(t.Context()); err != nil {
				return
			}
		}
	}()
	return ln.Addr().String()
}

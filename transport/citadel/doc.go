// Package citadel carries envelopes between games over QUIC, in the Citadel realtime wire format.
//
// A server listens, clients dial:
//
//	cert, pin, err := citadel.DevCertificate()
//	ln, err := citadel.Listen(":7350", citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
//	...
//	conn, err := citadel.Dial(ctx, "127.0.0.1:7350", citadel.DialConfig{Pin: pin})
//
// Both ends get what happens through an [Inbox], which the game loop drains on its own goroutine, and send
// with [Conn.SendSession], [Conn.Send] and [Conn.SendDatagram], which never block:
//
//	inbox := ln.Inbox()
//	for {
//		inbox.Drain(func(e citadel.Event) {
//			switch e.Kind {
//			case citadel.Opened: // greet e.Conn
//			case citadel.Session: // e.Envelope.Body is a frame of the command session, borrowed
//			case citadel.Closed: // forget e.Conn; e.Err says why
//			}
//		})
//		// simulate, send
//	}
//
// # Handshake
//
// A connection opens with one question and one answer: the client's first reliable envelope holds its token, or
// nothing if it wants to be a guest; the server's [Authenticator] decides. Before that a server processes
// nothing else. Rejections say as little as possible and tokens are never logged.
//
// # Delivery
//
// Reliable envelopes are sent on one long-lived stream, in order, or if [Config.SendStyle] says so, each on a
// fresh stream, as existing Citadel servers need it. Both are accepted from any peer at all times: envelopes are
// delivered as soon as they are complete, in the order in which the peer opened its streams.
//
// What is sent waits in a bounded queue for a goroutine that writes everything that has come together at once.
// If a peer takes so little that the queue overflows, its connection is closed with [ErrOverflow]; datagrams
// give way instead, oldest first. What is received waits in the inbox, of which each connection may use a
// bounded share; a connection whose share is full is not read until the inbox has been drained. So a peer that
// is slow, or floods, harms nobody but itself.
//
// A datagram is never lost without a trace on this side of the network: what does not fit is refused or sent
// reliably, and all that is dropped is counted. QUIC alone drops datagrams untold, if more than 128 arrive before
// a goroutine gets to run; with a [Tracer] those are counted, too.
//
// # Links
//
// A connection runs on a [Link], which is QUIC for [Dial] and [Listen]. Links of other kinds are brought into a server
// with [Listener.Admit], where the same limits, authenticator and inbox apply to them; a client gives them
// to [Open]. A server that does not want QUIC at all is made by [NewListener], and one that shares its port with
// another protocol over QUIC by [ListenConfig.ALPN].
//
// # Limits
//
// A server bounds its connections, overall and by IP address, those that have not authenticated apart from the
// others, and the memory for what has not arrived completely; see [ListenConfig]. Early data of QUIC (0-RTT),
// which can be replayed, is not accepted.
//
// # Ends
//
// A connection that has opened ends with one Closed event, which says why: see [CloseError]. An end in good
// order ([Conn.Close], [Conn.Disconnect], [Listener.Shutdown]) delivers what has been queued before. A peer that
// dies is noticed by its silence, in less than two seconds by default; a server that has been restarted says so
// itself, to whoever has something to say to it, if it has a [ListenConfig.StatelessResetKey]. A client whose
// address changes stays connected.
package citadel

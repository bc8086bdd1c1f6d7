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
// Reliable envelopes are sent on one long-lived stream, in order. They are accepted on any number of streams:
// existing Citadel peers send each on a fresh one. Envelopes are delivered as soon as they are complete, in
// the order in which the peer opened its streams.
//
// What is sent waits in a bounded queue for a goroutine that writes everything that has come together at once.
// If a peer takes so little that the queue overflows, its connection is closed with [ErrOverflow]; datagrams
// give way instead, oldest first. What is received waits in the inbox, of which each connection may use a
// bounded share; a connection whose share is full is not read until the inbox has been drained. So a peer that
// is slow, or floods, harms nobody but itself.
//
// # Ends
//
// A connection that has opened ends with one Closed event, which says why: see [CloseError]. An end in good
// order ([Conn.Close], [Conn.Disconnect], [Listener.Shutdown]) delivers what has been queued before. A peer that
// dies is noticed by its silence, in less than two seconds by default.
package citadel

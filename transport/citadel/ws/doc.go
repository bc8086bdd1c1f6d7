// Package ws carries envelopes over WebSocket, for pages, for programs compiled to js/wasm and for networks that
// let nothing else through.
//
// A server is an HTTP handler that belongs to a [citadel.Listener], beside QUIC or without it:
//
//	ln, err := citadel.NewListener(citadel.ListenConfig{})
//	...
//	go ws.NewServer(ln, ws.Options{Origins: []string{"game.example"}}).ListenAndServe()
//
// and a client dials a URL:
//
//	conn, err := ws.Dial(ctx, "ws://127.0.0.1:7352/", citadel.DialConfig{})
//
// From there on connections are what they are over QUIC: the same handshake, the same events in the same inbox,
// the same limits.
//
// # Messages
//
// A message is binary and holds one or more whole framed envelopes. One without any is no message but a sign of
// life: see below. Text, an envelope that is cut off by the end of its message, and a message that is longer than
// the largest envelope and 64 KiB break the protocol and end the connection. What is sent at once is sent in
// messages of up to 64 KiB, or of one envelope.
//
// Everything is reliable and in order. What [citadel.Conn.SendDatagram] is given is sent like the rest, at once,
// and arrives as a Frame event; if more than 64 KiB wait to be sent it is dropped and counted.
//
// A client may ask for [Subprotocol] or for none; this package's asks for none, because existing servers know
// none and a browser then refuses the connection. Messages are not compressed.
//
// # Which pages may connect
//
// Browsers let every page open WebSockets to everywhere and leave it to servers to refuse. A server lets those
// pages in that come from the same host and port, and those that [Options] names. The token in the handshake is
// not sent by a browser on its own like a cookie, so a foreign page could connect but not as somebody.
//
// # Ends
//
// When a connection ends otherwise than by a goodbye, the code is sent as status 4000 + code, CodeNone as 1000,
// and codes from 999 on all as 4999, with the first 123 bytes of the reason. A page may close with the same
// statuses; of the others those that say that the protocol was broken are CodeProtocol.
//
// # Who is alive
//
// TCP does not notice for minutes that a peer is gone. A peer of which nothing is heard for Config.IdleTimeout,
// no message, ping or pong, is given up with ErrTimeout; whoever has said or heard nothing for Config.KeepAlive
// sends a ping. A page can do neither, but its browser answers pings, so that its server notices. In the other
// direction a client in a browser sends empty messages, which a server answers with the like; once it has seen
// one, it expects more.
//
// A peer that takes nothing but says something is kept until more has to be queued for it than
// Config.OutboundBytes. While this end does not listen, because a connection's share of the inbox is full, no
// silence counts.
package ws

// DefaultPort is the TCP port that servers listen on if nothing else is agreed upon.
const DefaultPort = "7352"

// Subprotocol is what a client that wants to name a WebSocket subprotocol must name.
const Subprotocol = "citadel.0"

// Package wt carries envelopes over WebTransport, which gives pages what QUIC gives programs: streams and
// datagrams.
//
// A server speaks it on the UDP port on which it speaks QUIC:
//
//	cert, pin, err := citadel.DevCertificate()
//	ln, err := citadel.Listen(":7350", citadel.ListenConfig{
//		TLS:  &tls.Config{Certificates: []tls.Certificate{cert}},
//		ALPN: wt.NewServer(wt.Options{Origins: []string{"game.example"}}).ALPN(),
//	})
//
// and a client dials a URL:
//
//	conn, err := wt.Dial(ctx, "https://127.0.0.1:7350/", citadel.DialConfig{Pin: pin})
//
// From there on connections are what they are over QUIC: the same handshake, the same events in the same inbox,
// the same limits.
//
// # Pages
//
// A page connects with
//
//	new WebTransport("https://127.0.0.1:7350/", {serverCertificateHashes: [{algorithm: "sha-256", value: hash}]})
//
// where hash is the pin, as bytes. Browsers accept such a certificate only if it has an ECDSA key and is valid for
// two weeks at most, which those of [citadel.DevCertificate] are; without hashes it must be one that the browser
// trusts anyway. The page says the same as any client: KIND_AUTH first, on a unidirectional or bidirectional
// stream, and then framed envelopes on streams and others in datagrams. The server's envelopes come on
// unidirectional streams: all on one, or each on its own if the server's SendStyle is StreamPerEnvelope.
//
// Compiled to js/wasm, [Dial] uses the browser's WebTransport itself. There, of the configuration, Pin becomes the
// hash, TLS and Tracer have no meaning, IdleTimeout and KeepAlive are the browser's business, and streams that the
// server sends one after the other may arrive in another order.
//
// When the server ends a session while the page has just told the browser to close one of its streams, Chromium 156
// now and then crashes. A page that keeps its stream open until the end, as Dial does, is safe.
//
// Browsers let every page connect to everywhere and leave it to servers to refuse. A server lets those pages in
// that come from the same host and port, and those that [Options] names.
//
// Chromium gives up a silent connection one second before the time that the server names. A listener with
// ListenConfig.ALPN therefore names one second more, and its own connections may stay silent for that much longer.
//
// # Order
//
// Streams are handed on in the order in which the peer opened them, as over QUIC. HTTP/3 opens a few of its own
// among them, which are not for us to see: a stream that seems to be missing is waited for as long as a lost
// packet might take, and then taken for one of those. That costs a page a moment when it connects. A client that
// knows that only the first of its unidirectional streams is HTTP/3's may spare itself the moment with the header
// Citadel-Own-Streams: 1, as this package does at both ends.
//
// # Datagrams
//
// A datagram carries the number of its session, one byte as a rule, so that MaxDatagram is that much less than
// over QUIC. HTTP/3 keeps up to 32 datagrams that nobody has read yet, and drops more without telling.
//
// # Ends
//
// A session ends with a code of 32 bits, which is the connection's code, and a reason. One that ends without is
// CodeNone. A peer that dies is noticed by QUIC.
package wt

// Protocol is the protocol that QUIC clients name who want WebTransport.
const Protocol = "h3"

package citadel

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// Link is what a [Conn] runs on: one connection to one peer that carries streams of bytes and perhaps
// datagrams, and knows nothing of envelopes. QUIC is one, made by [Dial] and [Listen]. WebTransport and
// WebSocket are others, brought in by [Listener.Admit] and [Open]. [DialQUIC], [QUICError], [DialConfig.ClientTLS] and
// [ParsePin] are for those who make one.
//
// All methods are safe for concurrent use. A method that waits returns when its context ends and when the link
// does, at the latest when [Link.Close] has returned. What is not supported fails with
// [errors.ErrUnsupported] and is not tried again.
type Link interface {
	// OpenUni opens a stream to the peer, waiting until the peer allows one more. Close finishes it; what was
	// written before is still delivered. The writer is used by one goroutine.
	//
	// Each call of Write is given one or more whole framed envelopes, so a link of messages can make one
	// message of it. Write does not retain what it is given. It may wait for the peer to take it, and then
	// holds up nothing but this stream. An error that matches [ErrStreamReset] means that the peer does not
	// want this stream; any other one, that the link has ended or is about to.
	OpenUni(ctx context.Context) (io.WriteCloser, error)

	// AcceptUni waits for the next unidirectional stream of the peer, in the order in which the peer opened
	// them. Reading ends with io.EOF where the peer finished the stream and with an error that matches
	// [ErrStreamReset] if it gave the stream up; any other error means that the link has ended. The reader is
	// used by one goroutine, and read until it fails.
	//
	// A link without streams has a single one that ends with it.
	AcceptUni(ctx context.Context) (io.Reader, error)

	// AcceptBidi does for bidirectional streams what AcceptUni does for unidirectional ones. Nothing is
	// ever said on them to the peer, so the link finishes that direction at once.
	AcceptBidi(ctx context.Context) (io.Reader, error)

	// SendDatagram sends p unreliably and does not retain it. It may wait for room in the link's own queue.
	// Something that does not fit is refused with a [DatagramTooLargeError] about p.
	SendDatagram(p []byte) error

	// ReceiveDatagram waits for a datagram, which then belongs to the caller.
	ReceiveDatagram(ctx context.Context) ([]byte, error)

	// MaxDatagram returns the length in bytes of the longest p that SendDatagram would take at present, and
	// 0 if the peer takes no datagrams.
	MaxDatagram() int

	// Close ends the link at once, telling the peer the code and the reason (up to 256 bytes of UTF-8) if the
	// link can carry them. It does not wait for the peer. When it returns, the context has ended. Only the first call
	// has an effect.
	Close(code Code, reason string)

	// Context ends with the link.
	Context() context.Context

	// Err returns why the link has ended, once its context has. A [*CloseError] is taken as it is, a timeout is
	// [CodeTimeout], and anything else the cause of a [CodeTransport].
	Err() error

	// LocalAddr and RemoteAddr return the two addresses. A server counts connections by the remote one's IP
	// address if it is a *net.UDPAddr, a *net.TCPAddr, a *net.IPAddr, or its String has the form host:port.
	LocalAddr() net.Addr
	RemoteAddr() net.Addr

	// Stats returns what is known of the link.
	Stats() LinkStats
}

// LinkStats describes what a link has experienced so far. A link that does not know a value leaves it zero.
// Packets and bytes are those of the link with all its overhead, below UDP or TCP.
type LinkStats struct {
	RTT       time.Duration // smoothed round-trip time
	MinRTT    time.Duration // shortest one seen
	RTTJitter time.Duration // mean deviation

	PacketsSent, BytesSent         uint64 // those sent again included
	PacketsReceived, BytesReceived uint64
	PacketsLost, BytesLost         uint64 // believed lost; may become less when they turn up after all

	// DatagramsDropped counts datagrams that the link dropped itself although they arrived, or that it did
	// not send although it took them. QUIC only tells those who trace it: see Config.Tracer.
	DatagramsDropped uint64
}

// ErrStreamReset is what reading or writing a stream of a [Link] fails with when the peer has given up the stream
// and nothing else.
var ErrStreamReset = errors.New("citadel: peer reset the stream")

// linkError explains the end of a link.
func linkError(err error) *CloseError {
	if e, ok := errors.AsType[*CloseError](err); ok {
		return e
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return &CloseError{Code: CodeTimeout, Cause: err}
	}
	return &CloseError{Code: CodeTransport, Cause: err}
}

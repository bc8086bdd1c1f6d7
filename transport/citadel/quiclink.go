package citadel

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/quic-go/quic-go"
)

// quicLink is a QUIC connection as a Link. Its streams are QUIC's streams under another name, so that wrapping
// them costs nothing.
type quicLink struct{ qc *quic.Conn }

var _ Link = quicLink{}

type (
	quicSendStream    quic.SendStream
	quicReceiveStream quic.ReceiveStream
	quicBidiStream    quic.Stream
)

func (s *quicSendStream) Write(p []byte) (int, error) {
	n, err := (*quic.SendStream)(s).Write(p)
	return n, streamError(err)
}

// Close only fails if the peer has stopped the stream.
func (s *quicSendStream) Close() error {
	if (*quic.SendStream)(s).Close() != nil {
		return ErrStreamReset
	}
	return nil
}

func (s *quicSendStream) TryWriteAll(p []byte) error { return (*quic.SendStream)(s).TryWriteAll(p) }

func (s *quicReceiveStream) Read(p []byte) (int, error) {
	n, err := (*quic.ReceiveStream)(s).Read(p)
	return n, streamError(err)
}

func (s *quicBidiStream) Read(p []byte) (int, error) {
	n, err := (*quic.Stream)(s).Read(p)
	return n, streamError(err)
}

// streamError tells the end of a stream from the end of everything.
func streamError(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if _, reset := errors.AsType[*quic.StreamError](err); reset {
		return ErrStreamReset
	}
	return err
}

func (l quicLink) OpenUni(ctx context.Context) (io.WriteCloser, error) {
	s, err := l.qc.OpenUniStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	return (*quicSendStream)(s), nil
}

func (l quicLink) AcceptUni(ctx context.Context) (io.Reader, error) {
	s, err := l.qc.AcceptUniStream(ctx)
	if err != nil {
		return nil, err
	}
	return (*quicReceiveStream)(s), nil
}

func (l quicLink) AcceptBidi(ctx context.Context) (io.Reader, error) {
	s, err := l.qc.AcceptStream(ctx)
	if err != nil {
		return nil, err
	}
	// A peer that does not want to hear anything has already closed this direction.
	_ = s.Close()
	return (*quicBidiStream)(s), nil
}

// datagramMargin is what QUIC's own estimate of the room for a datagram leaves out: the frame's header and the
// packet number. It only matters towards a peer with connection ids of more than 13 bytes, where a datagram
// in between would be accepted and silently dropped.
const datagramMargin = 3 + 4

// safeDatagram is what QUIC carries on every path; longer datagrams are measured before they are sent.
const safeDatagram = 1100

// oversized fits no packet. QUIC refuses it before looking at it and says in the error what would fit.
var oversized [1 << 17]byte

func (l quicLink) SendDatagram(p []byte) error {
	if len(p) > safeDatagram {
		if limit := l.MaxDatagram(); len(p) > limit {
			return &DatagramTooLargeError{Size: len(p), Max: limit}
		}
	}
	err := l.qc.SendDatagram(p)
	if e, tooLarge := errors.AsType[*quic.DatagramTooLargeError](err); tooLarge {
		return &DatagramTooLargeError{Size: len(p), Max: max(0, int(e.MaxDatagramPayloadSize)-datagramMargin)}
	}
	return err
}

func (l quicLink) ReceiveDatagram(ctx context.Context) ([]byte, error) {
	return l.qc.ReceiveDatagram(ctx)
}

func (l quicLink) MaxDatagram() int {
	if e, ok := errors.AsType[*quic.DatagramTooLargeError](l.qc.SendDatagram(oversized[:])); ok {
		return max(0, int(e.MaxDatagramPayloadSize)-datagramMargin)
	}
	return 0 // the peer takes none
}

func (l quicLink) Close(code Code, reason string) {
	_ = l.qc.CloseWithError(quic.ApplicationErrorCode(code), reason) // its error is always nil
}

func (l quicLink) Context() context.Context { return l.qc.Context() }
func (l quicLink) LocalAddr() net.Addr      { return l.qc.LocalAddr() }
func (l quicLink) RemoteAddr() net.Addr     { return l.qc.RemoteAddr() }

func (l quicLink) Err() error {
	if l.qc.Context().Err() == nil {
		return nil
	}
	return QUICError(context.Cause(l.qc.Context()))
}

func (l quicLink) Stats() LinkStats {
	var dropped uint64
	if t, ok := l.qc.QlogTrace().(*countingTrace); ok {
		dropped = t.dropped.Load()
	}
	s := l.qc.ConnectionStats()
	return LinkStats{
		RTT: s.SmoothedRTT, MinRTT: s.MinRTT, RTTJitter: s.MeanDeviation,
		PacketsSent: s.PacketsSent, BytesSent: s.BytesSent,
		PacketsReceived: s.PacketsReceived, BytesReceived: s.BytesReceived,
		PacketsLost: s.PacketsLost, BytesLost: s.BytesLost,
		DatagramsDropped: dropped,
	}
}

// QUICError explains the end of a QUIC connection, or why there is none, for [Link.Err]. Application error codes
// count as codes of this package.
func QUICError(err error) *CloseError {
	if e, ok := errors.AsType[*quic.ApplicationError](err); ok {
		return &CloseError{Remote: e.Remote, Code: Code(min(uint64(e.ErrorCode), 1<<32-1)), Reason: clip(e.ErrorMessage)}
	}
	if e, ok := errors.AsType[*quic.TransportError](err); ok {
		if e.Remote && e.ErrorCode == quic.ConnectionRefused {
			return &CloseError{Remote: true, Code: CodeServerFull, Cause: err}
		}
		return &CloseError{Remote: e.Remote, Code: CodeTransport, Cause: err}
	}
	if _, ok := errors.AsType[*quic.StatelessResetError](err); ok {
		return &CloseError{Remote: true, Code: CodeReset, Cause: err}
	}
	return linkError(err)
}

//go:build !js

package wt

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/quic-go/quicvarint"
	"github.com/quic-go/webtransport-go"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// link is a WebTransport session as a [citadel.Link]. It has its QUIC connection to itself.
type link struct {
	sess   *webtransport.Session
	qc     *quic.Conn
	str    *http3.Stream // the session's own stream, at a server
	header int           // bytes of a datagram that are not ours
	ctx    context.Context
	cancel context.CancelCauseFunc

	closing sync.Once
	uni     arrivals[*webtransport.ReceiveStream]
	bidi    arrivals[*webtransport.Stream]
}

var _ citadel.Link = (*link)(nil)

const (
	// causeTime bounds how long the end of a session waits for the QUIC connection to end as well, which
	// then knows better why.
	causeTime = 100 * time.Millisecond

	// farewellTime bounds how long a QUIC connection outlives a session that this end has closed, so that
	// the peer learns the code.
	farewellTime = time.Second
)

// ownStreams is how many unidirectional streams of its own HTTP/3 has opened at an end, of the library used here:
// the control stream, before any other. Both ends say so in a header, because others open more.
const (
	ownStreams       = 1
	ownStreamsHeader = "Citadel-Own-Streams"
	ownStreamsValue  = "1"

	// mostOwnStreams is how many others open, at the same time: the control stream and two of QPACK.
	mostOwnStreams = 3
)

// newLink makes a link of a session. str is the stream that it was asked for on at a server, and nil at a client.
// headers are the peer's. The QUIC connection is closed some time after the session has ended, and release is
// called then.
func newLink(sess *webtransport.Session, qc *quic.Conn, str *http3.Stream, headers http.Header, release func()) *link {
	var id quic.StreamID // a client's first request
	if str != nil {
		id = str.StreamID()
	}
	l := &link{sess: sess, qc: qc, str: str, header: quicvarint.Len(uint64(id) / 4)}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	rtt := func() time.Duration { return qc.ConnectionStats().SmoothedRTT }
	firstUni, nextBidi := quic.StreamID(3), quic.StreamID(1)
	if str != nil {
		firstUni, nextBidi = 2, id+nextStream
	}
	l.uni = arrivals[*webtransport.ReceiveStream]{accept: sess.AcceptUniStream, rtt: rtt, next: firstUni + ownStreams*nextStream}
	if headers.Get(ownStreamsHeader) != ownStreamsValue {
		l.uni.sure = firstUni + mostOwnStreams*nextStream
	}
	l.bidi = arrivals[*webtransport.Stream]{accept: sess.AcceptStream, rtt: rtt, next: nextBidi}
	context.AfterFunc(sess.Context(), func() {
		l.cancel(l.reason())
		l.farewell()
		release()
	})
	return l
}

// reason finds out why the session has ended.
func (l *link) reason() error {
	_, err := l.sess.OpenUniStream() // which is not possible any more
	if e, ok := errors.AsType[*webtransport.SessionError](err); ok {
		return &citadel.CloseError{Remote: e.Remote, Code: citadel.Code(e.ErrorCode), Reason: strings.ToValidUTF8(e.Message, "")}
	}
	select {
	case <-l.qc.Context().Done():
		return explain(context.Cause(l.qc.Context()))
	case <-time.After(causeTime):
		// The peer has finished or reset the session's stream, which means the same as code 0.
		return &citadel.CloseError{Remote: true, Cause: err}
	}
}

// explain says why a QUIC connection has ended. Its codes are those of HTTP/3.
func explain(err error) error {
	if e, ok := errors.AsType[*quic.ApplicationError](err); ok {
		c := &citadel.CloseError{Remote: e.Remote, Code: citadel.CodeTransport, Cause: err}
		if e.ErrorCode == 0 || e.ErrorCode == quic.ApplicationErrorCode(http3.ErrCodeNoError) {
			c.Code, c.Cause = citadel.CodeNone, nil
		}
		return c
	}
	return citadel.QUICError(err)
}

// farewell closes the QUIC connection when the session has ended. A client that has ended it gives the server, which
// will close the connection when it has heard of that, the time to do so.
func (l *link) farewell() {
	if e, ok := errors.AsType[*citadel.CloseError](context.Cause(l.ctx)); ok && !e.Remote && l.str == nil {
		select {
		case <-l.qc.Context().Done():
		case <-time.After(farewellTime):
		}
	}
	l.closeQUIC()
}

func (l *link) closeQUIC() {
	_ = l.qc.CloseWithError(quic.ApplicationErrorCode(http3.ErrCodeNoError), "")
}

// OpenUni implements [citadel.Link].
func (l *link) OpenUni(ctx context.Context) (io.WriteCloser, error) {
	s, err := l.sess.OpenUniStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	return &sendStream{s, context.AfterFunc(l.ctx, func() { _ = s.SetWriteDeadline(time.Now()) })}, nil
}

// sendStream is a stream to the peer, on which nobody waits any more when the link has ended.
type sendStream struct {
	*webtransport.SendStream
	forget func() bool
}

func (s *sendStream) Close() error {
	s.forget()
	return s.SendStream.Close()
}

// AcceptUni implements [citadel.Link].
func (l *link) AcceptUni(ctx context.Context) (io.Reader, error) {
	s, err := l.uni.take(ctx)
	if err != nil {
		return nil, err
	}
	return l.receive(s), nil
}

// AcceptBidi implements [citadel.Link].
func (l *link) AcceptBidi(ctx context.Context) (io.Reader, error) {
	s, err := l.bidi.take(ctx)
	if err != nil {
		return nil, err
	}
	_ = s.Close() // a peer that does not want to hear anything may have stopped it already
	return l.receive(s), nil
}

// source is the reading half of a stream.
type source interface {
	io.Reader
	SetReadDeadline(time.Time) error
}

// receiveStream is a stream of the peer, on which nobody waits any more when the link has ended.
type receiveStream struct {
	s      source
	forget func() bool
}

func (l *link) receive(s source) *receiveStream {
	return &receiveStream{s, context.AfterFunc(l.ctx, func() { _ = s.SetReadDeadline(time.Now()) })}
}

func (r *receiveStream) Read(p []byte) (int, error) {
	n, err := r.s.Read(p)
	if err != nil {
		r.forget()
	}
	if _, reset := errors.AsType[*webtransport.StreamError](err); reset {
		err = citadel.ErrStreamReset
	}
	return n, err
}

const (
	// datagramMargin is what QUIC's own estimate of the room for a datagram leaves out: the frame's header
	// and the packet number.
	datagramMargin = 3 + 4

	// safeDatagram is what is carried on every path; longer datagrams are measured before they are sent.
	safeDatagram = 1100
)

// oversized fits no packet. QUIC refuses it before looking at it and says in the error what would fit.
var oversized [1 << 17]byte

// SendDatagram implements [citadel.Link].
func (l *link) SendDatagram(p []byte) error {
	if len(p) > safeDatagram {
		if limit := l.MaxDatagram(); len(p) > limit {
			return &citadel.DatagramTooLargeError{Size: len(p), Max: limit}
		}
	}
	err := l.sess.SendDatagram(p)
	if e, tooLarge := errors.AsType[*quic.DatagramTooLargeError](err); tooLarge {
		return &citadel.DatagramTooLargeError{Size: len(p), Max: l.room(e)}
	}
	return err
}

// ReceiveDatagram implements [citadel.Link].
func (l *link) ReceiveDatagram(ctx context.Context) ([]byte, error) {
	return l.sess.ReceiveDatagram(ctx)
}

// MaxDatagram implements [citadel.Link].
func (l *link) MaxDatagram() int {
	if e, ok := errors.AsType[*quic.DatagramTooLargeError](l.qc.SendDatagram(oversized[:])); ok {
		return l.room(e)
	}
	return 0
}

// room is what an error of QUIC leaves for us.
func (l *link) room(e *quic.DatagramTooLargeError) int {
	return max(0, int(e.MaxDatagramPayloadSize)-datagramMargin-l.header)
}

// Close implements [citadel.Link].
func (l *link) Close(code citadel.Code, reason string) {
	l.closing.Do(func() {
		l.cancel(&citadel.CloseError{Code: code, Reason: reason})
		if l.str == nil {
			_ = l.sess.CloseWithError(webtransport.SessionErrorCode(code), reason)
			return
		}
		// What the library does beside telling the code, which is to stop the session's stream in the other
		// direction, makes Chromium forget the code: both come in one packet, and it looks at the latter
		// first. So here the peer is told, and then ends the session itself.
		if l.sess.Context().Err() == nil && l.str.TryWriteAll(closeCapsule(code, reason)) == nil {
			_ = l.str.Close()
			time.AfterFunc(farewellTime, l.closeQUIC)
			return
		}
		l.closeQUIC()
	})
}

// closeSession is the type of the capsule that says why a session ends.
const closeSession = 0x2843

func closeCapsule(code citadel.Code, reason string) []byte {
	b := quicvarint.Append(nil, closeSession)
	b = quicvarint.Append(b, uint64(4+len(reason)))
	b = binary.BigEndian.AppendUint32(b, uint32(code))
	return append(b, reason...)
}

// Context implements [citadel.Link].
func (l *link) Context() context.Context { return l.ctx }

// Err implements [citadel.Link].
func (l *link) Err() error { return context.Cause(l.ctx) }

// LocalAddr implements [citadel.Link].
func (l *link) LocalAddr() net.Addr { return l.qc.LocalAddr() }

// RemoteAddr implements [citadel.Link].
func (l *link) RemoteAddr() net.Addr { return l.qc.RemoteAddr() }

// Stats implements [citadel.Link].
func (l *link) Stats() citadel.LinkStats {
	s := l.qc.ConnectionStats()
	return citadel.LinkStats{
		RTT: s.SmoothedRTT, MinRTT: s.MinRTT, RTTJitter: s.MeanDeviation,
		PacketsSent: s.PacketsSent, BytesSent: s.BytesSent,
		PacketsReceived: s.PacketsReceived, BytesReceived: s.BytesReceived,
		PacketsLost: s.PacketsLost, BytesLost: s.BytesLost,
	}
}

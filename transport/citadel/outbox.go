package citadel

import (
	"fmt"
	"sync"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

const (
	// What is held back for a manual flush leaves by itself from this size on.
	maxHeldBytes = 64 << 10

	// A buffer that a burst has grown beyond this is given back once it is written.
	maxIdleOutbound = 256 << 10
)

// outbox is what waits to be written to the ordered stream: framed envelopes, back to back, in one of two
// buffers that take turns. The game loop appends to one while the writer writes the other.
type outbox struct {
	maxBytes, maxFrames int
	maxSession          int
	manual              bool
	sessionKind         wire.Kind
	partKind            wire.Kind
	wake                chan struct{}

	mu            sync.Mutex
	buf, spare    []byte
	frames        int // in buf
	writing       int // bytes that the writer holds
	writingFrames int
	flush         bool // write what is there
	closed        bool // nothing is added any more
	ending        bool // write what is there, and finish
	transfer      uint32
}

func (o *outbox) init(cfg *Config) {
	o.maxBytes, o.maxFrames = cfg.OutboundBytes, cfg.OutboundFrames
	o.maxSession, o.manual = cfg.MaxSessionEnvelope, cfg.ManualFlush
	o.sessionKind, o.partKind = cfg.SessionKind, cfg.SessionPartKind
	o.wake = make(chan struct{}, 1)
}

// errQueueFull is what makes a connection overflow.
type errQueueFull struct{ bytes, frames int }

func (e errQueueFull) Error() string {
	return fmt.Sprintf("%d bytes in %d frames wait for the peer to take them", e.bytes, e.frames)
}

// add queues one envelope.
func (o *outbox) add(kind wire.Kind, body []byte) error {
	if len(body) > wire.MaxBody || len(body)+wire.FrameOverhead > o.maxBytes {
		return o.tooLarge(len(body))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.reserve(len(body)+wire.FrameOverhead, 1); err != nil {
		return err
	}
	o.buf = wire.AppendFrameHeader(o.buf, kind, len(body))
	o.buf = append(o.buf, body...)
	o.signal()
	return nil
}

// addSession queues a session frame, in parts if it must be.
func (o *outbox) addSession(frame []byte) (parts int, err error) {
	if len(frame) <= o.maxSession {
		return 1, o.add(o.sessionKind, frame)
	}
	parts = partCount(len(frame), o.maxSession)
	size := len(frame) + parts*(wire.FrameOverhead+wire.PartHeaderBytes)
	if size > o.maxBytes || parts > o.maxFrames {
		return 0, o.tooLarge(len(frame))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.reserve(size, parts); err != nil {
		return 0, err
	}
	o.transfer++
	o.buf = appendParts(o.buf, o.partKind, o.transfer, frame, o.maxSession)
	o.signal()
	return parts, nil
}

func (o *outbox) tooLarge(n int) error {
	return fmt.Errorf("citadel: %w: %d bytes do not fit the outbound queue of %d bytes and %d frames",
		wire.ErrFrameTooLarge, n, o.maxBytes, o.maxFrames)
}

// reserve makes sure that there is room. It is called with mu held.
func (o *outbox) reserve(size, frames int) error {
	if o.closed {
		return errEnded
	}
	bytes, count := len(o.buf)+o.writing, o.frames+o.writingFrames
	if bytes+size > o.maxBytes || count+frames > o.maxFrames {
		return errQueueFull{bytes, count}
	}
	o.frames += frames
	return nil
}

// signal wakes the writer, unless more is to come. It is called with mu held.
func (o *outbox) signal() {
	if o.due() {
		o.nudge()
	}
}

// due reports whether what is queued shall be written now.
func (o *outbox) due() bool {
	return o.ending || len(o.buf) > 0 && (!o.manual || o.flush || len(o.buf) >= maxHeldBytes)
}

func (o *outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// release lets go of what is queued.
func (o *outbox) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush = true
	o.signal()
}

// end adds a last envelope, whatever the limits say, and lets nothing follow it. A nil body adds none.
func (o *outbox) end(kind wire.Kind, body []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed, o.ending = true, true
	if body != nil {
		o.buf = wire.AppendFrameHeader(o.buf, kind, len(body))
		o.buf = append(o.buf, body...)
		o.frames++
	}
	o.nudge()
}

// close lets nothing be added any more.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// take waits for something to write. last says that nothing comes after it, ok is false if done was closed
// first.
func (o *outbox) take(done <-chan struct{}) (buf []byte, frames int, last, ok bool) {
	for {
		o.mu.Lock()
		if o.due() {
			buf, frames, last = o.buf, o.frames, o.ending
			o.buf, o.spare, o.frames, o.flush = o.spare, nil, 0, false
			o.writing, o.writingFrames = len(buf), frames
			o.mu.Unlock()
			return buf, frames, last, true
		}
		o.flush = false
		o.mu.Unlock()
		select {
		case <-o.wake:
		case <-done:
			return nil, 0, false, false
		}
	}
}

// wrote gives the buffer of take back.
func (o *outbox) wrote(buf []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing, o.writingFrames = 0, 0
	if cap(buf) <= maxIdleOutbound {
		o.spare = buf[:0]
	}
}

// queued returns the bytes that have not been handed to QUIC.
func (o *outbox) queued() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.buf) + o.writing
}

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

// outbox is what waits to be sent reliably: framed envelopes, back to back, in one of two
// buffers that take turns. The game loop appends to one while the writer writes the other. The writer is a
// goroutine that exists while there is something to write.
type outbox struct {
	maxBytes, maxFrames int
	maxSession          int
	manual              bool
	sessionKind         wire.Kind
	partKind            wire.Kind
	start               func() // starts a writer

	mu            sync.Mutex
	running       bool                              // there is a writer
	try           func(buf []byte, frames int) bool // writes without waiting, or not at all; may be nil
	tried         int                               // bytes written so since a writer has last been through
	buf, spare    []byte
	frames        int // in buf
	writing       int // bytes that the writer holds
	writingFrames int
	flush         bool // write what is there
	closed        bool // nothing is added any more
	ending        bool // write what is there, and finish
	transfer      uint32
}

func (o *outbox) init(cfg *Config, start func()) {
	o.start = start
	o.maxBytes, o.maxFrames = cfg.OutboundBytes, cfg.OutboundFrames
	o.maxSession, o.manual = cfg.MaxSessionEnvelope, cfg.ManualFlush
	o.sessionKind, o.partKind = cfg.SessionKind, cfg.SessionPartKind
}

// errQueueFull is what makes a connection overflow.
type errQueueFull struct{ bytes, frames int }

func (e errQueueFull) Error() string {
	return fmt.Sprintf("%d bytes in %d frames wait for the peer to take them", e.bytes, e.frames)
}

// add queues one envelope.
func (o *outbox) add(kind wire.Kind, body []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.put(kind, body); err != nil {
		return err
	}
	o.signal()
	return nil
}

// addFirst queues an envelope that leaves with the next one, or with release.
func (o *outbox) addFirst(kind wire.Kind, body []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.put(kind, body)
}

// put is called with mu held.
func (o *outbox) put(kind wire.Kind, body []byte) error {
	if len(body) > wire.MaxBody || len(body)+wire.FrameOverhead > o.maxBytes {
		return o.tooLarge(len(body))
	}
	if err := o.reserve(len(body)+wire.FrameOverhead, 1); err != nil {
		return err
	}
	o.buf = wire.AppendFrameHeader(o.buf, kind, len(body))
	o.buf = append(o.buf, body...)
	return nil
}

// A datagram that travels reliably is only queued while no more than this waits: it must not contribute to an
// overflow, and it is of little use late.
const maxSpareBytes = 64 << 10

// offer queues an envelope if there is room to spare, and lets go of everything that is queued.
func (o *outbox) offer(kind wire.Kind, body []byte) (queued bool, err error) {
	size := len(body) + wire.FrameOverhead
	if len(body) > wire.MaxBody || size > o.maxBytes {
		return false, o.tooLarge(len(body))
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false, errEnded
	}
	if waiting := len(o.buf) + o.writing; waiting > 0 && waiting+size > maxSpareBytes {
		return false, nil
	}
	if o.put(kind, body) != nil {
		return false, nil // no room at all
	}
	o.flush = true
	o.signal()
	return true, nil
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

// signal sees to it that somebody writes, unless more is to come. It is called with mu held.
func (o *outbox) signal() {
	if o.running || !o.due() || o.writeNow() {
		return
	}
	o.running = true
	o.start()
}

// What is flushed is written on the spot if it is little, which saves a goroutine. The link does not say when
// that has left. So once in a while it is a writer's turn, who waits until it has.
const (
	maxDirect  = 1200
	maxInDoubt = 4 << 10
)

// writeNow writes what is queued without waiting, and reports whether it has. It is called with mu held.
func (o *outbox) writeNow() bool {
	n := len(o.buf)
	if o.try == nil || !o.flush || o.ending || n > maxDirect || o.tried+n > maxInDoubt || !o.try(o.buf, o.frames) {
		return false
	}
	o.tried += n
	o.buf, o.frames, o.flush = o.buf[:0], 0, false
	return true
}

// direct says how to write without waiting.
func (o *outbox) direct(try func(buf []byte, frames int) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.try = try
}

// due reports whether what is queued shall be written now.
func (o *outbox) due() bool {
	return o.ending || len(o.buf) > 0 && (!o.manual || o.flush || len(o.buf) >= maxHeldBytes)
}

// release lets go of what is queued.
func (o *outbox) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush = len(o.buf) > 0
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
	o.signal()
}

// close lets nothing be added any more.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

// take returns what shall be written now, and false if that is nothing; the writer then ends. last says that
// nothing comes after it.
func (o *outbox) take() (buf []byte, frames int, last, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.due() {
		o.running = false
		return nil, 0, false, false
	}
	buf, frames, last = o.buf, o.frames, o.ending
	o.buf, o.spare, o.frames, o.flush = o.spare, nil, 0, false
	o.writing, o.writingFrames = len(buf), frames
	return buf, frames, last, true
}

// progress notes that the writer is done with one envelope of n bytes.
func (o *outbox) progress(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing -= n
	o.writingFrames--
}

// wrote gives the buffer of take back.
func (o *outbox) wrote(buf []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing, o.writingFrames, o.tried = 0, 0, 0
	if cap(buf) <= maxIdleOutbound {
		o.spare = buf[:0]
	}
}

// queued returns what the link has not taken yet.
func (o *outbox) queued() (bytes, frames int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.buf) + o.writing, o.frames + o.writingFrames
}

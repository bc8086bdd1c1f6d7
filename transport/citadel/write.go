package citadel

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// SendStyle is how a connection sends reliable envelopes. Both styles are accepted from a peer at all times,
// and both keep the order of the envelopes as far as the peer cares to.
type SendStyle uint8

const (
	// OneStream sends all envelopes on one stream that stays open. It is the cheap one.
	OneStream SendStyle = iota

	// StreamPerEnvelope sends each envelope on a fresh stream and finishes it at once. Servers that read a
	// stream only to its end need it.
	StreamPerEnvelope
)

// String returns the style's name.
func (s SendStyle) String() string {
	switch s {
	case OneStream:
		return "one stream"
	case StreamPerEnvelope:
		return "stream per envelope"
	}
	return fmt.Sprintf("style %d", uint8(s))
}

// writeStream writes what is queued, whatever has come together since the last write at once, and ends when
// there is no more. The outbox starts it again; there is never more than one.
func (c *Conn) writeStream() {
	write := c.writeOn
	if c.cfg.SendStyle == StreamPerEnvelope {
		write = c.writeEach
	}
	for {
		buf, frames, last, ok := c.out.take()
		if !ok {
			return
		}
		if err := write(buf, frames); err != nil {
			c.writeFailed(err)
			return // and the outbox believes that somebody writes, which is as well
		}
		c.out.wrote(buf)
		if last {
			if c.stream != nil {
				_ = c.stream.Close() // nobody is left to tell if this fails
			}
			return
		}
	}
}

// writeFailed ends the connection, unless the link does so itself.
func (c *Conn) writeFailed(err error) {
	if errors.Is(err, ErrStreamReset) {
		c.end(&CloseError{Code: CodeProtocol, Reason: "the stream is not read", Cause: err})
		return
	}
	select {
	case <-c.link.Context().Done(): // and it knows why
	case <-time.After(time.Second):
		c.end(linkError(err))
	}
}

// writeOn writes framed envelopes to the stream that stays open.
func (c *Conn) writeOn(buf []byte, frames int) error {
	if len(buf) == 0 {
		return nil
	}
	if c.stream == nil {
		s, err := c.link.OpenUni(c.link.Context())
		if err != nil {
			return err
		}
		c.stream = s
		if s, ok := s.(tryWriter); ok && c.cfg.ManualFlush {
			c.out.direct(func(buf []byte, frames int) bool {
				if s.TryWriteAll(buf) != nil {
					return false // whoever writes next learns why
				}
				c.wrote(buf, frames)
				return true
			})
		}
	}
	return c.writeTo(c.stream, buf, frames)
}

// writeEach writes framed envelopes to a stream each. Streams are opened in order, which is what lets the peer
// restore the order; if it allows no more of them for now, this is where everything waits.
func (c *Conn) writeEach(buf []byte, _ int) error {
	for len(buf) > 0 {
		_, n, err := wire.ParseFramed(buf)
		if err != nil || n == 0 {
			panic("citadel: the outbox holds something that is no envelope") // it only holds what it framed
		}
		s, err := c.link.OpenUni(c.link.Context())
		if err != nil {
			return err
		}
		if err := c.writeTo(s, buf[:n], 1); err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		c.out.progress(n)
		buf = buf[n:]
	}
	return nil
}

func (c *Conn) writeTo(s io.Writer, buf []byte, frames int) error {
	if _, err := s.Write(buf); err != nil {
		return err
	}
	c.wrote(buf, frames)
	return nil
}

func (c *Conn) wrote(buf []byte, frames int) {
	c.counters.writes.Add(1)
	c.counters.framesOut.Add(uint64(frames))
	c.counters.bytesOut.Add(uint64(len(buf)))
}

// tryWriter is what a stream may be that can also write without waiting. It writes all or nothing.
type tryWriter interface{ TryWriteAll(p []byte) error }

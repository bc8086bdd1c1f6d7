//go:build !js

package ws

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// closeGrace bounds how long a close waits for room for its last words.
	closeGrace = 250 * time.Millisecond

	// lingerTime bounds how long a closed connection waits for the peer to close its end.
	lingerTime = time.Second
)

// netConn is the network connection below a WebSocket. It counts, it remembers why it failed, and closing it
// does not destroy what the peer has not read yet: TCP resets a connection that is closed with something
// unread, and whoever is reset may lose what had come before. So it finishes its own direction and throws away
// what still comes until the peer finishes the other one, or for lingerTime.
type netConn struct {
	net.Conn               // for closing, deadlines and addresses
	rw       io.ReadWriter // the same, or TLS on top of it
	listen   func(on bool) // called when reading begins to wait and ceases to, if not nil

	sent, received atomic.Uint64
	failed         atomic.Pointer[error]
	closing        sync.Once
	closed         atomic.Bool
	reading        sync.Mutex
	writing        sync.Mutex // held for as long as a frame takes
}

func (c *netConn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.closed.Load() {
		return 0, net.ErrClosed
	}
	if c.listen != nil {
		c.listen(true)
		defer c.listen(false)
	}
	n, err := c.rw.Read(p)
	c.received.Add(uint64(n))
	c.note(err)
	return n, err
}

// Write is for the library, which writes each of its frames with one call.
func (c *netConn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.write(p)
}

// write is called with writing held.
func (c *netConn) write(p []byte) (int, error) {
	n, err := c.rw.Write(p)
	c.sent.Add(uint64(n))
	c.note(err)
	return n, err
}

// note remembers the first error.
func (c *netConn) note(err error) {
	if err != nil {
		c.failed.CompareAndSwap(nil, &err)
	}
}

// failure returns the first error, or nil if there was none.
func (c *netConn) failure() error {
	if err := c.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// interrupt makes those return who read, now and later, and those who write soon.
func (c *netConn) interrupt() {
	now := time.Now()
	_ = c.Conn.SetReadDeadline(now)
	_ = c.Conn.SetWriteDeadline(now.Add(closeGrace))
}

// Close implements [net.Conn]. It does not wait.
func (c *netConn) Close() error {
	err := net.ErrClosed
	c.closing.Do(func() {
		c.closed.Store(true)
		c.interrupt()
		half, ok := c.Conn.(interface{ CloseWrite() error })
		if !ok || half.CloseWrite() != nil {
			err = c.Conn.Close()
			return
		}
		err = nil
		go c.linger()
	})
	return err
}

// linger waits for the peer to finish, and lets go.
func (c *netConn) linger() {
	c.reading.Lock() // whoever still reads is about to return
	defer c.reading.Unlock()
	_ = c.Conn.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.Conn.Close()
}

//go:build !js

package ws

import (
	"crypto/rand"
	"encoding/binary"
	"net"
	"sync"
)

// The library reads, and says hello and goodbye. What lies between is written here, because the library has an
// answer to a ping wait until the peer has taken what is being sent, stops reading meanwhile, and gives up the
// connection after five seconds of that.

// The frames that are written here, each of them the last of its message.
const (
	frameBinary = 0x80 | 0x2
	framePing   = 0x80 | 0x9
	framePong   = 0x80 | 0xa
)

const (
	maxControl = 125      // bytes of a ping or a pong
	chunkSize  = 16 << 10 // how much is masked or joined with its header at once
)

// frameWriter writes frames to a connection.
type frameWriter struct {
	nc     *netConn
	masked bool   // as a client must
	chunk  []byte // guarded by nc.writing

	mu   sync.Mutex
	pong []byte // what is to be answered, nil if nothing is
}

// send writes a message and waits until the network has taken it.
func (w *frameWriter) send(p []byte) error {
	w.nc.writing.Lock()
	err := w.frame(frameBinary, p)
	w.nc.writing.Unlock()
	w.answer()
	return err
}

// ping writes a ping unless something else is being written.
func (w *frameWriter) ping(p []byte) {
	if !w.nc.writing.TryLock() {
		return
	}
	_ = w.frame(framePing, p) // the reader learns of it
	w.nc.writing.Unlock()
	w.answer()
}

// answerTo answers a ping, now or after what is being written.
func (w *frameWriter) answerTo(ping []byte) {
	w.mu.Lock()
	w.pong = append(make([]byte, 0, maxControl), ping...)
	w.mu.Unlock()
	w.answer()
}

// answer writes the answer that is due, if there is one, and nobody else writes who will do it afterwards.
func (w *frameWriter) answer() {
	for {
		w.mu.Lock()
		pong := w.pong
		w.mu.Unlock()
		if pong == nil || !w.nc.writing.TryLock() {
			return
		}
		w.mu.Lock()
		pong, w.pong = w.pong, nil
		w.mu.Unlock()
		if pong != nil {
			_ = w.frame(framePong, pong) // the reader learns of it
		}
		w.nc.writing.Unlock()
	}
}

// frame writes one frame. It is called with nc.writing held.
func (w *frameWriter) frame(kind byte, p []byte) error {
	if w.nc.closed.Load() {
		return net.ErrClosed
	}
	b, key := w.header(kind, len(p))
	for first := true; first || len(p) > 0; first = false {
		n := min(len(p), chunkSize-len(b))
		if !w.masked && !first {
			_, err := w.nc.write(p)
			return err
		}
		start := len(b)
		b = append(b, p[:n]...)
		if w.masked {
			key = mask(b[start:], key)
		}
		p = p[n:]
		if _, err := w.nc.write(b); err != nil {
			return err
		}
		w.chunk, b = b, b[:0]
	}
	return nil
}

// header begins a chunk with the header of a frame.
func (w *frameWriter) header(kind byte, size int) (b []byte, key uint32) {
	if w.chunk == nil {
		w.chunk = make([]byte, 0, 512)
	}
	b = append(w.chunk[:0], kind)
	var bit byte
	if w.masked {
		bit = 0x80
	}
	switch {
	case size <= maxControl:
		b = append(b, bit|byte(size))
	case size <= 1<<16-1:
		b = binary.BigEndian.AppendUint16(append(b, bit|126), uint16(size))
	default:
		b = binary.BigEndian.AppendUint64(append(b, bit|127), uint64(size))
	}
	if w.masked {
		var k [4]byte
		_, _ = rand.Read(k[:]) // it never fails
		b = append(b, k[:]...)
		key = binary.LittleEndian.Uint32(k[:])
	}
	return b, key
}

// mask combines b with a key, whose lowest byte is next, and returns the key for what follows.
func mask(b []byte, key uint32) uint32 {
	wide := uint64(key)<<32 | uint64(key)
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)^wide)
		b = b[8:]
	}
	for i := range b {
		b[i] ^= byte(key)
		key = key>>8 | key<<24
	}
	return key
}

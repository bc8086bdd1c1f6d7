package tsync

import (
	"encoding/binary"
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// SnapshotWriter encodes a snapshot piece by piece, for a sender that decides how much goes into one by its size:
//
//	w.Begin(codec, dst, header)
//	for each removed id { w.Remove(id) }
//	for each update { if w.Fits(update.Fields, limit) { w.Add(&update) } }
//	dst = w.Bytes()
//
// The bytes are those of [Codec.AppendSnapshot]. The zero value is ready for Begin. A writer is not safe for concurrent
// use.
type SnapshotWriter struct {
	codec   *Codec
	bits    bitpack.Writer
	start   int // of the header, in the slice
	removed int
	updates int
}

// Begin starts a snapshot behind dst, which the writer owns until [SnapshotWriter.Bytes]. The header's counts are
// ignored: they will be those of what is added.
func (w *SnapshotWriter) Begin(c *Codec, dst []byte, h SnapshotHeader) {
	*w = SnapshotWriter{codec: c, start: len(dst)}
	w.bits.Reset(appendSnapshotHeader(dst, h))
}

// Remove adds an object to those that the client is to forget. It returns [wire.ErrCount] if there are 65535 already,
// or updates: they come after.
func (w *SnapshotWriter) Remove(object uint32) error {
	if w.removed == math.MaxUint16 {
		return errMany
	}
	if w.updates > 0 {
		return errLate
	}
	w.removed++
	w.bits.WriteBits(uint64(object), 8*removedBytes)
	return nil
}

// Add adds an update. Its errors are those of [Codec.AppendSnapshot]; the snapshot is then what it was.
func (w *SnapshotWriter) Add(u *Update) error {
	if w.updates == math.MaxUint16 {
		return errMany
	}
	if err := w.codec.write(&w.bits, u); err != nil {
		return err
	}
	w.updates++
	return nil
}

// Bits returns the size of the snapshot so far, padding not included.
func (w *SnapshotWriter) Bits() uint64 {
	return 8*SnapshotHeaderBytes + w.bits.Len()
}

// Fits reports whether the snapshot stays within limit bytes if an update with the given fields is added. What was in
// the slice before Begin, such as a clock, does not count.
func (w *SnapshotWriter) Fits(f Fields, limit int) bool {
	return limit >= 0 && w.Bits()+uint64(w.codec.UpdateBits(f)) <= 8*uint64(limit)
}

// Updates returns the number of updates so far.
func (w *SnapshotWriter) Updates() int { return w.updates }

// Bytes ends the snapshot and returns the slice given to Begin with it behind. The writer gives the slice away: what
// comes next is Begin.
func (w *SnapshotWriter) Bytes() []byte {
	b := w.bits.Bytes()
	binary.BigEndian.PutUint16(b[w.start+removedAt:], uint16(w.removed))
	binary.BigEndian.PutUint16(b[w.start+updatesAt:], uint16(w.updates))
	return b
}

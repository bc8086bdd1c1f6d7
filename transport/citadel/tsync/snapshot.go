package tsync

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// SnapshotHeaderBytes is the size of what precedes a snapshot's lists.
const SnapshotHeaderBytes = 17

// MaxSnapshotBytes is the size that a sender should keep snapshots to, [ClockBytes] of a [SnapshotV2] included: with
// its kind one is then a datagram of 1,200 bytes. Neither encoder nor decoder insists on it.
const MaxSnapshotBytes = 1198

// Where the counts are in a header, in bytes.
const (
	removedAt = 13
	updatesAt = 15
)

// The parts of an update that do not depend on the codec, in bits.
const (
	updateHeadBits = 32 + 16 + 4
	inputSeqBits   = 32
	removedBytes   = 4
)

// What is wrong with a snapshot, made once: a bad one is refused without allocating.
var (
	errOverrun = fmt.Errorf("tsync: snapshot: %w", bitpack.ErrOverrun)
	errCode    = fmt.Errorf("tsync: snapshot: %w", quant.ErrInvalidCode)
	errPadding = fmt.Errorf("tsync: snapshot: %w", bitpack.ErrPadding)
	errFields  = fmt.Errorf("tsync: update: no such field: %w", wire.ErrOutOfRange)
	errMany    = fmt.Errorf("tsync: snapshot: list of more than 65535: %w", wire.ErrCount)
	errLate    = fmt.Errorf("tsync: snapshot: removed id after an update: %w", wire.ErrCount)
)

// Update is what a snapshot says of one object. Fields that are not announced are not encoded, and are zero in what
// was decoded: they are as in the base.
type Update struct {
	Object   uint32
	Gen      uint16 // counts the lives of an object id
	Fields   Fields
	InputSeq uint32
	Codes    Codes
}

// Snapshot is the body of a kind-8 frame: how the world around a client differs from that of an earlier snapshot.
//
//	tick 32 | id 32 | base 32 | send rate 8 | removed 16 | updates 16 | removed ids 32 each | updates, in bits:
//	object 32 | gen 16 | fields 4 | position | rotation | velocity | input sequence 32
type Snapshot struct {
	Tick     uint32 // of the server's simulation
	ID       uint32
	Base     uint32 // id of the snapshot it differs from; 0 if there is none and it is complete
	SendRate uint8  // snapshots a second, at present
	Removed  []uint32
	Updates  []Update
}

// SnapshotHeader is a snapshot without its lists.
type SnapshotHeader struct {
	Tick     uint32
	ID       uint32
	Base     uint32
	SendRate uint8
	Removed  uint16 // ids that follow
	Updates  uint16 // updates that follow
}

// ParseSnapshotHeader reads no more than the header of a snapshot, for a receiver that has no use for one whose id is
// old or whose base it does not hold. It returns [bitpack.ErrOverrun] if the header or the lists that it announces
// cannot be in b. Whether the rest is valid, [Codec.ParseSnapshot] says.
func ParseSnapshotHeader(b []byte) (SnapshotHeader, error) {
	if len(b) < SnapshotHeaderBytes {
		return SnapshotHeader{}, errOverrun
	}
	h := SnapshotHeader{
		Tick:     binary.BigEndian.Uint32(b),
		ID:       binary.BigEndian.Uint32(b[4:]),
		Base:     binary.BigEndian.Uint32(b[8:]),
		SendRate: b[12],
		Removed:  binary.BigEndian.Uint16(b[removedAt:]),
		Updates:  binary.BigEndian.Uint16(b[updatesAt:]),
	}
	if uint64(h.Removed)*8*removedBytes+uint64(h.Updates)*updateHeadBits > uint64(len(b)-SnapshotHeaderBytes)*8 {
		return SnapshotHeader{}, errOverrun
	}
	return h, nil
}

// SnapshotBits returns the size of s, padding not included.
func (c *Codec) SnapshotBits(s *Snapshot) uint64 {
	n := 8 * (SnapshotHeaderBytes + removedBytes*uint64(len(s.Removed)))
	for i := range s.Updates {
		n += uint64(c.bits[s.Updates[i].Fields&allFields])
	}
	return n
}

// SnapshotBytes returns the size of s.
func (c *Codec) SnapshotBytes(s *Snapshot) int {
	return int((c.SnapshotBits(s) + 7) / 8)
}

// ParseSnapshot reads a whole body into the lists of into, which it reuses, and retains nothing of b. It returns
// [bitpack.ErrOverrun], [quant.ErrInvalidCode] or [bitpack.ErrPadding]; into is then empty. What it allocates is bounded by
// the bytes that are there, whatever the counts say: at most 16 bytes for each.
func (c *Codec) ParseSnapshot(b []byte, into *Snapshot) error {
	if err := c.parseSnapshot(b, into); err != nil {
		*into = Snapshot{Removed: into.Removed[:0], Updates: into.Updates[:0]}
		return err
	}
	return nil
}

func (c *Codec) parseSnapshot(b []byte, into *Snapshot) error {
	if len(b) < SnapshotHeaderBytes {
		return errOverrun
	}
	into.Tick = binary.BigEndian.Uint32(b)
	into.ID = binary.BigEndian.Uint32(b[4:])
	into.Base = binary.BigEndian.Uint32(b[8:])
	into.SendRate = b[12]
	removed := int(binary.BigEndian.Uint16(b[removedAt:]))
	updates := int(binary.BigEndian.Uint16(b[updatesAt:]))
	b = b[SnapshotHeaderBytes:]

	if removed*removedBytes > len(b) {
		return errOverrun
	}
	into.Removed = resize(into.Removed, removed)
	for i := range into.Removed {
		into.Removed[i] = binary.BigEndian.Uint32(b[removedBytes*i:])
	}

	var r bitpack.Reader
	r.Reset(b[removedBytes*removed:])
	// An impossible count is found out by reading on, because an invalid code on the way there comes first.
	room := min(uint64(updates), r.Remaining()/updateHeadBits)
	list := resize(into.Updates, int(room))
	into.Updates = list
	for i := range list {
		if err := c.readUpdate(&r, &list[i]); err != nil {
			return err
		}
	}
	if len(list) < updates {
		return errOverrun
	}
	if r.Finish() != nil {
		return errPadding
	}
	return nil
}

// readUpdate reads an update over what u was.
func (c *Codec) readUpdate(r *bitpack.Reader, u *Update) error {
	head, err := r.ReadBits(updateHeadBits)
	if err != nil {
		return errOverrun
	}
	f := Fields(head & 15)
	*u = Update{Object: uint32(head >> 20), Gen: uint16(head >> 4), Fields: f}
	if f&FieldPosition != 0 {
		if err := c.position.read(r, &u.Codes.Position); err != nil {
			return err
		}
	}
	if f&FieldRotation != 0 {
		if u.Codes.Rotation, err = r.ReadBits(c.quatBits); err != nil {
			return errOverrun
		}
	}
	if f&FieldVelocity != 0 {
		if err := c.velocity.read(r, &u.Codes.Velocity); err != nil {
			return err
		}
	}
	if f&FieldInputSeq != 0 {
		seq, err := r.ReadBits(inputSeqBits)
		if err != nil {
			return errOverrun
		}
		u.InputSeq = uint32(seq)
	}
	return nil
}

// AppendSnapshot appends the encoding of s, and retains nothing of it. It returns [wire.ErrCount] for a list of more
// than 65535, [quant.ErrInvalidCode] for a code above the largest and [wire.ErrOutOfRange] for a field that there is not; the
// slice then comes back as long as it was.
func (c *Codec) AppendSnapshot(dst []byte, s *Snapshot) ([]byte, error) {
	if len(s.Removed) > math.MaxUint16 || len(s.Updates) > math.MaxUint16 {
		return dst, errMany
	}
	dst, start := slices.Grow(dst, c.SnapshotBytes(s)), len(dst)
	dst = appendSnapshotHeader(dst, s.header())
	for _, id := range s.Removed {
		dst = binary.BigEndian.AppendUint32(dst, id)
	}
	var w bitpack.Writer
	w.Reset(dst)
	for i := range s.Updates {
		if err := c.write(&w, &s.Updates[i]); err != nil {
			return dst[:start], err
		}
	}
	return w.Bytes(), nil
}

// header returns the header of s, whose lists are as short as they must be.
func (s *Snapshot) header() SnapshotHeader {
	return SnapshotHeader{
		Tick: s.Tick, ID: s.ID, Base: s.Base, SendRate: s.SendRate,
		Removed: uint16(len(s.Removed)), Updates: uint16(len(s.Updates)),
	}
}

func appendSnapshotHeader(dst []byte, h SnapshotHeader) []byte {
	dst = binary.BigEndian.AppendUint32(dst, h.Tick)
	dst = binary.BigEndian.AppendUint32(dst, h.ID)
	dst = binary.BigEndian.AppendUint32(dst, h.Base)
	dst = append(dst, h.SendRate)
	dst = binary.BigEndian.AppendUint16(dst, h.Removed)
	return binary.BigEndian.AppendUint16(dst, h.Updates)
}

// write appends an update, or nothing if it has no encoding.
func (c *Codec) write(w *bitpack.Writer, u *Update) error {
	f := u.Fields
	if f > allFields {
		return errFields
	}
	if f&FieldPosition != 0 && !c.position.hold(&u.Codes.Position) ||
		f&FieldRotation != 0 && u.Codes.Rotation > c.quatMax ||
		f&FieldVelocity != 0 && !c.velocity.hold(&u.Codes.Velocity) {
		return errCode
	}
	w.WriteBits(uint64(u.Object)<<20|uint64(u.Gen)<<4|uint64(f), updateHeadBits)
	if f&FieldPosition != 0 {
		if a := &c.position; a.wide {
			a.writeWide(w, &u.Codes.Position)
		} else {
			w.WriteBits(a.join(&u.Codes.Position), a.total)
		}
	}
	if f&FieldRotation != 0 {
		w.WriteBits(u.Codes.Rotation, c.quatBits)
	}
	if f&FieldVelocity != 0 {
		if a := &c.velocity; a.wide {
			a.writeWide(w, &u.Codes.Velocity)
		} else {
			w.WriteBits(a.join(&u.Codes.Velocity), a.total)
		}
	}
	if f&FieldInputSeq != 0 {
		w.WriteBits(uint64(u.InputSeq), inputSeqBits)
	}
	return nil
}

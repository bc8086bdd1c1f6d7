package citadel

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// partCount returns how many parts a frame of n bytes is sent in.
func partCount(n, part int) int { return (n + part - 1) / part }

// appendParts appends the framed parts of a session frame, each with up to part bytes of it.
func appendParts(dst []byte, kind wire.Kind, transfer uint32, frame []byte, part int) []byte {
	p := wire.Part{Transfer: transfer, Total: uint32(len(frame))}
	for off := 0; off < len(frame); off += part {
		piece := frame[off:min(off+part, len(frame))]
		p.Offset = uint32(off)
		dst = wire.AppendFrameHeader(dst, kind, wire.PartHeaderBytes+len(piece))
		dst = wire.AppendPartHeader(dst, p)
		dst = append(dst, piece...)
	}
	return dst
}

// joiner puts split frames together again, one at a time. It believes in a declared size only as far as bytes
// have arrived.
type joiner struct {
	max    int     // largest frame in bytes
	budget *budget // what cap(buf) is taken from

	active   bool
	transfer uint32
	total    uint32
	buf      []byte
}

// add takes the body of a part. When the part completes a frame, the frame is returned and belongs to the
// caller. After an error the transfer is lost and the connection with it.
func (j *joiner) add(body []byte) (frame []byte, err error) {
	p, err := wire.ParsePart(body)
	if err != nil {
		return nil, err
	}
	if !j.active {
		if p.Offset != 0 {
			return nil, fmt.Errorf("%w: a frame starts at offset %d", ErrPartOrder, p.Offset)
		}
		if uint64(p.Total) > uint64(j.max) {
			return nil, fmt.Errorf("%w: %d bytes announced, at most %d", ErrSessionTooLarge, p.Total, j.max)
		}
		j.active, j.transfer, j.total = true, p.Transfer, p.Total
	}
	switch {
	case p.Transfer != j.transfer:
		return nil, fmt.Errorf("%w: transfer %d inside transfer %d", ErrPartOrder, p.Transfer, j.transfer)
	case p.Total != j.total:
		return nil, fmt.Errorf("%w: first %d bytes, now %d", ErrPartTotal, j.total, p.Total)
	case uint64(p.Offset) != uint64(len(j.buf)):
		return nil, fmt.Errorf("%w: offset %d after %d bytes", ErrPartOrder, p.Offset, len(j.buf))
	case uint64(len(p.Bytes)) > uint64(j.total)-uint64(len(j.buf)):
		return nil, fmt.Errorf("%w: %d bytes at offset %d of %d", ErrPartTotal, len(p.Bytes), p.Offset, j.total)
	}
	if err := j.grow(len(p.Bytes)); err != nil {
		return nil, err
	}
	j.buf = append(j.buf, p.Bytes...)
	if len(j.buf) < int(j.total) {
		return nil, nil
	}
	frame = j.buf
	j.discard()
	return frame, nil
}

// grow makes room for n more bytes: double, but never more than the frame will need.
func (j *joiner) grow(n int) error {
	need := len(j.buf) + n
	if need <= cap(j.buf) {
		return nil
	}
	size := min(int(j.total), max(need, 2*cap(j.buf)))
	if !j.budget.take(size - cap(j.buf)) {
		return errExhausted
	}
	buf := make([]byte, len(j.buf), size)
	copy(buf, j.buf)
	j.buf = buf
	return nil
}

// discard forgets the present transfer.
func (j *joiner) discard() {
	j.budget.give(cap(j.buf))
	j.buf, j.active = nil, false
}

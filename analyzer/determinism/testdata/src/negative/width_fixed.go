package negative

import (
	"encoding/binary"
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
)

type mine struct {
	depth  int64
	carts  []uint32
	pause  time.Duration
	rows   int // how the client draws it
	cursor int // where a client's mouse is
}

func (m *mine) Tick(netcode.Step) {
	for i := range m.carts {
		m.carts[i]++
	}
}

func (m *mine) AppendBinary(dst []byte) ([]byte, error) {
	le := binary.LittleEndian
	dst = le.AppendUint64(dst, uint64(m.depth))
	dst = le.AppendUint64(dst, uint64(m.pause))
	dst = le.AppendUint32(dst, uint32(len(m.carts)))
	for _, c := range m.carts {
		dst = le.AppendUint32(dst, c)
	}
	return dst, nil
}

type decoder struct {
	rest []byte
	read int
}

func (d *decoder) u64() uint64 {
	d.read += 8
	v := binary.LittleEndian.Uint64(d.rest)
	d.rest = d.rest[8:]
	return v
}

func (m *mine) UnmarshalBinary(data []byte) error {
	d := decoder{rest: data}
	m.depth, m.pause = int64(d.u64()), time.Duration(d.u64())
	m.carts = m.carts[:0]
	for len(d.rest) > 0 {
		m.carts = append(m.carts, uint32(d.u64()))
	}
	return nil
}

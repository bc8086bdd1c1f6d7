package negative

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

var errShort = errors.New("short")

type body struct{ x, y, vx, vy float32 }

type space struct {
	step   netcode.Step
	bodies []body
	byCell map[uint64][]uint16
}

func (s *space) Tick(at netcode.Step) {
	s.step = at
	clear(s.byCell)
	for i := range s.bodies {
		b := &s.bodies[i]
		b.x += float32(b.vx * (1.0 / 60))
		b.y += float32(b.vy * (1.0 / 60))
		cell := s.cell(b)
		s.byCell[cell] = append(s.byCell[cell], uint16(i))
	}
	for _, cell := range s.crowded() {
		for _, i := range s.byCell[cell] {
			s.bodies[i].vx, s.bodies[i].vy = -s.bodies[i].vx, -s.bodies[i].vy
		}
	}
}

func (s *space) cell(b *body) uint64 {
	x, y := min(max(b.x/16, -1000), 1000), min(max(b.y/16, -1000), 1000)
	return uint64(uint32(int32(x)))<<32 | uint64(uint32(int32(y)))
}

func (s *space) crowded() []uint64 {
	var cells []uint64
	for cell, in := range s.byCell {
		if len(in) > 1 {
			cells = append(cells, cell)
		}
	}
	slices.Sort(cells)
	return cells
}

func (s *space) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.step))
	return binary.Append(dst, binary.LittleEndian, s.bodies)
}

func (s *space) UnmarshalBinary(data []byte) error {
	if len(data) < 8 {
		return errShort
	}
	s.step = netcode.Step(binary.LittleEndian.Uint64(data))
	s.bodies = make([]body, (len(data)-8)/16)
	_, err := binary.Decode(data[8:], binary.LittleEndian, s.bodies)
	return err
}

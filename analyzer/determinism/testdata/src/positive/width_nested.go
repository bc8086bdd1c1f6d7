package positive

import (
	"encoding/binary"

	"github.com/ariadne-netcode/ariadne/netcode"
)

type seat uint // a place at the table

type player struct {
	hand  []byte
	seats []seat // want `uint has another width on 32-bit targets, and seats is part of the state of table`
}

type table struct{ players []player }

func (t *table) Tick(netcode.Step) {}

func (t *table) AppendBinary(dst []byte) ([]byte, error) {
	for i := range t.players {
		dst = t.players[i].append(dst)
	}
	return dst, nil
}

func (p *player) append(dst []byte) []byte {
	dst = append(dst, byte(len(p.seats)))
	for _, s := range p.seats {
		dst = binary.AppendUvarint(dst, uint64(s))
	}
	return append(dst, p.hand...)
}

func (t *table) UnmarshalBinary(data []byte) error {
	p := player{seats: make([]seat, data[0])}
	data = data[1:]
	for i := range p.seats {
		s, n := binary.Uvarint(data)
		p.seats[i] = seat(s)
		data = data[n:]
	}
	t.players = append(t.players[:0], p)
	return nil
}

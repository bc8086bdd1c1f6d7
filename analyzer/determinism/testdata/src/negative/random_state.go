package negative

import (
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/netcode"
)

type deck struct {
	rng   rand.PCG
	cards []uint8
}

func (d *deck) Tick(netcode.Step) {
	r := rand.New(&d.rng)
	r.Shuffle(len(d.cards), func(i, j int) { d.cards[i], d.cards[j] = d.cards[j], d.cards[i] })
	if r.Float64() < 0.5 && r.IntN(6) == 0 && r.Uint32N(20) == 0 {
		d.cards[0] = uint8(r.Int32N(52))
	}
}

func (d *deck) AppendBinary(dst []byte) ([]byte, error) {
	dst, err := d.rng.AppendBinary(dst)
	return append(dst, d.cards...), err
}

func (d *deck) UnmarshalBinary(data []byte) error {
	d.cards = append(d.cards[:0], data[20:]...)
	return d.rng.UnmarshalBinary(data[:20])
}

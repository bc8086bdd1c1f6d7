package positive

import (
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

type deal struct{ Cards [52]uint8 }

type dealer struct{}

func (d dealer) handlers() (h session.Handlers[deal]) {
	h.Mutate = d.shuffle
	return h
}

func (dealer) shuffle(c *netcode.Command[deal], _ *netcode.Preparation) error {
	cards := c.Payload.Cards[:]
	rand.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] }) // want `rand.Shuffle draws from a generator`
	return nil
}

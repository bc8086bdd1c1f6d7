package positive

import (
	"cmp"
	"slices"
)

type bid struct {
	price  uint32
	bidder string
	parts  []string
}

func byPrice(a, b bid) int { return cmp.Compare(a.price, b.price) }

//netcode:deterministic
func auction(bids []bid) []bid {
	slices.SortFunc(bids, byPrice) // want `slices.SortFunc leaves elements that compare equal`
	return bids
}

package negative

import (
	"cmp"
	"slices"
	"sort"
)

type price struct {
	item string
	gold int32
}

//netcode:deterministic
func priceList(prices map[string]int32) ([]price, []string) {
	var out []price
	var names []string
	for item, gold := range prices {
		out = append(out, price{item: item, gold: gold})
		names = append(names, item)
	}
	slices.SortFunc(out, func(a, b price) int { return cmp.Compare(a.item, b.item) })
	sort.Sort(sort.Reverse(sort.StringSlice(names)))
	return out, names
}

//netcode:deterministic
func descending(ids map[uint16]bool) (out []uint16) {
	for id := range ids {
		out = append(out, id)
	}
	slices.SortFunc(out, func(a, b uint16) int { return int(b) - int(a) })
	return out
}

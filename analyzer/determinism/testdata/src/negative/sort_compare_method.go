package negative

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

//netcode:deterministic
func ordered(keys []netcode.Key, headers []netcode.Header) {
	slices.SortFunc(keys, netcode.Key.Compare)
	slices.SortFunc(headers, func(a, b netcode.Header) int { return a.Compare(b) })
}

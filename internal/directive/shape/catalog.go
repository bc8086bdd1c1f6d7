package shape

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// Entry is a command as its peers know it.
type Entry struct {
	ID        netcode.TypeID
	Name      string // what the type goes by, not always its Go name
	Predicted bool
	Shape     *Shape
}

// Digest returns a number that two lists of commands share, whatever their order, if they have the same ids,
// names, prediction flags and shapes, and hardly ever otherwise.
func Digest(entries []Entry) netcode.ProtocolID {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	var text strings.Builder
	for _, e := range sorted {
		fmt.Fprintf(&text, "%v %q %t %v\n", e.ID, e.Name, e.Predicted, e.Shape)
	}
	return netcode.ProtocolID(registry.HashName(text.String()))
}

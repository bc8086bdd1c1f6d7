package rollback

import "github.com/ariadne-netcode/ariadne/netcode"

// MaxChain is how many keys a hash chain takes before keys are spilled.
const MaxChain = maxChain

// Home returns the chain that a key belongs to.
func (m *Model) Home(k netcode.Key) uint32 {
	m.engine.commands.index()
	return m.engine.commands.keys.home(&k)
}

// Spilled returns how many keys have not found room in their chains.
func (m *Model) Spilled() int {
	m.engine.commands.index()
	return len(m.engine.commands.keys.spill)
}

// KnownNew reports whether a key is taken for a new one without a search.
func (m *Model) KnownNew(k netcode.Key) bool {
	return k.Sequence > m.engine.commands.keys.seen[k.Author%seenAuthors]
}

// SeenAuthors is after how many authors two share a place.
const SeenAuthors = seenAuthors

// Slots returns how many commands there is room for, used or not.
func (m *Model) Slots() int { return m.engine.commands.slots }

package rollback

import "github.com/ariadne-netcode/ariadne/netcode"

// MaxChain is how many keys a hash chain takes before keys are spilled.
const MaxChain = maxChain

// Home returns the chain that a key belongs to.
func (m *Model) Home(k netcode.Key) uint32 { return m.engine.commands.home(&k) }

// Spilled returns how many keys have not found room in their chains.
func (m *Model) Spilled() int { return len(m.engine.commands.spill) }

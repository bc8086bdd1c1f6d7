package replica

import "github.com/ariadne-netcode/ariadne/transport/citadel/schema"

// Role is what a receiver is to an object, which decides what it gets to see of it.
type Role uint8

const (
	// Peer sees what others proposed and an authority rebroadcasts: fields without a condition and those that skip
	// the owner or go to those who only simulate. It is the narrowest role.
	Peer Role = iota
	// Observer is not the owner and simulates the object. It also sees initial fields.
	Observer
	// Owner owns the object and moves it.
	Owner

	views = 3
)

// view is what a role sees: some fields always, and more in full bunches.
type view struct {
	delta, full Fields
}

func newView(role Role, properties []schema.Property) view {
	v := view{delta: NewFields(len(properties)), full: NewFields(len(properties))}
	for i := range properties {
		delta, full := visible(role, properties[i].Condition)
		if delta {
			v.delta.Add(i)
		}
		if full {
			v.full.Add(i)
		}
	}
	return v
}

// visible says whether a role sees a field in differences and in full bunches. A condition that an application
// decides is decided elsewhere.
func visible(role Role, c schema.Condition) (delta, full bool) {
	switch c {
	case schema.Always:
		return true, true
	case schema.OwnerOnly, schema.AutonomousOnly:
		return role == Owner, role == Owner
	case schema.SkipOwner, schema.SimulatedOnly:
		return role != Owner, role != Owner
	case schema.InitialOnly:
		return false, role != Peer
	}
	return false, false // schema.Custom, schema.Never, and what there is not
}

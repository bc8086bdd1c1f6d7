package authority

// Reason says why a proposal was rejected. It is for the operator of a server: nothing of it is for the client,
// who gets no answer to a rejected proposal, whatever the reason is. A Reason is an error, to be matched with
// errors.Is.
type Reason uint8

// The reasons, in the order of the checks.
const (
	Accepted      Reason = iota
	Rate                 // too much, at once or in the last second
	NoMatch              // the sender is in no match
	Frame                // the body is not a bunch of the object's class
	UnknownObject        // there is no such object
	CrossMatch           // the object is in another match
	SchemaBinding        // a version that is not accepted, or a difference before a full bunch
	NotOwner             // the object is someone else's
	Guest                // a guest and a persistent object
	ServerOnly           // a field that clients do not write
	Stale                // the token is not above the one applied last
	BadValue             // a value out of bounds, or of a kind that the field's type is not
	Cooldown             // the field was changed just before
	Overtaken            // object or owner have changed since the proposal was validated

	reasons
)

var reasonNames = [reasons]string{
	"accepted", "rate", "no_match", "frame", "unknown_object", "cross_match", "schema_binding", "not_owner", "guest",
	"server_only_field", "stale", "bounds", "cooldown", "toctou",
}

// String returns the name by which the reason is counted.
func (r Reason) String() string {
	if r < reasons {
		return reasonNames[r]
	}
	return "unknown"
}

// Error implements error.
func (r Reason) Error() string { return "authority: proposal rejected: " + r.String() }

// Stats counts what became of proposals, by reason. Accepted counts the applied ones.
type Stats [reasons]uint64

// Of returns the count for a reason.
func (s *Stats) Of(r Reason) uint64 {
	if r < reasons {
		return s[r]
	}
	return 0
}

// Rejected returns how many proposals were rejected.
func (s *Stats) Rejected() (n uint64) {
	for _, c := range s[1:] {
		n += c
	}
	return n
}

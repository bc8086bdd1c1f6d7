package netcode

import "fmt"

// Command is a header together with its decoded payload, as handlers see it.
type Command[T any] struct {
	Header  Header
	Payload T
}

// Result is what became of a command. The values are those of the wire.
type Result uint8

// The results, in wire order.
const (
	Accepted       Result = 0
	Rejected       Result = 1
	Conflict       Result = 2 // the key is taken by another request
	Cancelled      Result = 3
	UnknownType    Result = 4
	InvalidMessage Result = 5
)

var resultNames = [...]string{"accepted", "rejected", "conflict", "cancelled", "unknown_type", "invalid_message"}

// Valid reports whether r is one of the results above.
func (r Result) Valid() bool { return int(r) < len(resultNames) }

// String returns the name used in traces and conformance data.
func (r Result) String() string {
	if !r.Valid() {
		return fmt.Sprintf("result(%d)", uint8(r))
	}
	return resultNames[r]
}

// Outcome is the authority's answer for one command.
type Outcome struct {
	Result Result
	Header Header
}

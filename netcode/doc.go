// Package netcode is the vocabulary of Ariadne: the identifiers, values and small contracts that every
// other package speaks.
//
// A session is a sequence of fixed steps. Players propose commands for steps; one authority admits them,
// gives each a place in a total order and tells everybody. A [Simulation] is advanced one step at a time,
// with the commands of a step executed before its tick, so that every peer that executes the same commands
// at the same steps holds the same bytes.
//
// The package imports only the standard library, holds no state and starts no goroutine. Its values are
// plain and comparable where that makes sense. [Preparation] is the one mutable type and is not safe for
// concurrent use.
//
// Zero is a value here, not an absence: step 0, sequence 0, revision 0 and cursor 0 are all legal. Where
// something can be absent, a bool says so beside it.
package netcode

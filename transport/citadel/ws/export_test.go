//go:build !js

package ws

import "github.com/ariadne-netcode/ariadne/transport/citadel"

// What the tests look at from outside.
var (
	Status    = status
	Batch     = batch
	ReadLimit = readLimit
)

const MaxBatch = maxBatch

func CloseError(status int, reason string, server bool) *citadel.CloseError {
	return closeError(status, reason, server)
}

// Whole reports whether pieces of a message make whole envelopes.
func Whole(pieces ...[]byte) bool {
	var f framer
	for _, p := range pieces {
		f.write(p)
	}
	return f.whole()
}

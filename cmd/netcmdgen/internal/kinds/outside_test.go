package kinds_test

import "github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds"

// Outside is a command of the external tests.
//
//netcode:command predicted
type Outside struct {
	Cell kinds.Cell
	Dir  kinds.Dir `netcode:"range=0..1"`
}

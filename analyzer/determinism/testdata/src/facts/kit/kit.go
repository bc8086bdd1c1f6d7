// Package kit wraps what session offers.
package kit

import (
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

// Executing makes handlers of an executor.
func Executing[T any](run func(netcode.Command[T])) session.Handlers[T] { // want Executing:`^pure$` run:`^runs as an executor$`
	return session.Handlers[T]{Execute: run}
}

// Def describes a command.
type Def[T any] struct {
	Check func(netcode.Command[T], netcode.Step) error // want Check:`^runs as a validator$`
	Draw  func()
}

// Handlers translates it.
func (d Def[T]) Handlers() session.Handlers[T] { // want Handlers:`^pure$`
	var h session.Handlers[T]
	h.Validate = d.Check
	return h
}

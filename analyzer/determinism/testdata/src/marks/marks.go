// Package marks has directives on single declarations.
package marks

import "time"

func free() { println(time.Now().String()) }

//netcode:deterministic
func marked() { println(time.Now().String()) } // want `time.Now reads the clock`

//netcode:deterministic
type Machine struct{}

func (Machine) run()   { println(time.Now().String()) } // want `time.Now reads the clock`
func (*Machine) stop() { helper() }

func helper() { println(time.Now().String()) } // want `time.Now reads the clock, .* \(reached from \(\*Machine\).stop\)`

type (
	Other struct{}

	//netcode:deterministic
	Grouped struct{}
)

func (Other) run()   { println(time.Now().String()) }
func (Grouped) run() { println(time.Now().String()) } // want `time.Now reads the clock`

type step interface {
	//netcode:deterministic
	do() // want do:`^runs as step.do$`
	undo()
}

type jump struct{}

var _ step = jump{}

func (jump) do()   { println(time.Now().String()) } // want `time.Now reads the clock`
func (jump) undo() { println(time.Now().String()) }

type bystander struct{}

func (bystander) do() { println(time.Now().String()) }

//netcode:deterministic
type generic[T any] struct{ x T }

func (g *generic[T]) run() { println(time.Now().String()) } // want `time.Now reads the clock`

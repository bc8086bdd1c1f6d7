// Package generated is partly written by a program.
package generated

import "time"

//netcode:deterministic
func caller() {
	_ = stamp() // want `generated stamp reaches this: time.Now reads the clock, .* \(generated.go:13\)`
	_ = stamp() //netcode:nondeterministic for the log
	back()      // want `generated back reaches this: time.Now reads the clock`
}

func written() { _ = time.Now() } // want `time.Now reads the clock, .* \(reached from robot.Tick\)`

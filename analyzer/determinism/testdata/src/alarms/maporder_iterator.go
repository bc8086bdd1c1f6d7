package alarms

import (
	"iter"
	"slices"
)

type crew map[string]bool

func (c crew) all() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range c { // want `it calls yield`
			if !yield(name) {
				return
			}
		}
	}
}

//netcode:deterministic
func (c crew) roster() []string { return slices.Sorted(c.all()) }

//go:build !js

package main

import (
	"slices"
	"sync"
)

// agreement finds the moment at which all players of a match see the same scores as the server. It is used by all of their
// goroutines.
type agreement struct {
	mu      sync.Mutex
	truth   []standing
	version int // of the truth
	views   []view
	over    bool // nothing is taken in any more
}

// view is what a player has seen last.
type view struct {
	standings []standing
	agree     int // the version of the truth that it is equal to; 0 for none
}

func newAgreement(players int) *agreement { return &agreement{views: make([]view, players)} }

// publish takes the server's scores.
func (a *agreement) publish(truth []standing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.over && !slices.Equal(a.truth, truth) {
		a.truth = truth
		a.version++
	}
}

// look takes what a player sees once it does not shoot any more, and reports whether all is over: all agree.
func (a *agreement) look(player int, seen []standing) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return true
	}
	v := &a.views[player]
	if v.standings, v.agree = seen, 0; slices.Equal(seen, a.truth) {
		v.agree = a.version
	}
	a.over = !slices.ContainsFunc(a.views, func(v view) bool { return v.agree == 0 || v.agree != a.version })
	return a.over
}

// end makes it be over, agreed or not.
func (a *agreement) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

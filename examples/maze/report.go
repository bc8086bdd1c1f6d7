package main

import (
	"fmt"
	"io"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// stateReport prints hashes of settled states at the same steps on every peer, so that they can be compared
// while the game goes on. The zero value prints nothing.
type stateReport struct {
	out    io.Writer
	every  int64        // steps; 0 for never
	window netcode.Step // how much history the peer's model keeps
}

// print prints a line if one is due after a step has run. announced is the last step that the authority is
// known to have completed, with everything that it decided before.
func (r stateReport) print(p *peer, announced netcode.Step) error {
	settled := p.host.Step() - r.window
	if r.every <= 0 || settled <= 0 || int64(settled)%r.every != 0 {
		return nil
	}
	hash, step, err := p.settledHash()
	if err != nil {
		return err
	}
	// After a join, the oldest state is not that old yet. And what the authority can still change is not
	// settled.
	if step == settled && announced >= settled+window {
		fmt.Fprintf(r.out, "state at step %d: %s\n", step, hash)
	}
	return nil
}

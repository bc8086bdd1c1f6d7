package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

// row is what became of one peer.
type row struct {
	name  string
	step  netcode.Step
	stats session.Stats
	hash  string
}

// row describes the peer as it is.
func (p *peer) row(name string) (row, error) {
	hash, err := p.hash()
	return row{name: name, step: p.host.Step(), stats: p.host.Stats(), hash: hash}, err
}

// printTable prints a line per peer. Bytes are those of the session's frames.
func printTable(out io.Writer, rows []row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "peer\tsteps\tcommands\tpredicted\tcorrected\trollbacks\tdeepest\tbytes in\tbytes out\tstate\t")
	for _, r := range rows {
		s := r.stats
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", r.name, r.step+1, s.Commands,
			s.Predictions, s.Corrected, s.Rollbacks, s.DeepestRollback, s.BytesIn, s.BytesOut, r.hash)
	}
	return w.Flush()
}

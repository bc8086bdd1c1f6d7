//go:build !js

package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

// The firing range: two matches at the same time, of players that stand still and shoot at movers. Each player has
// a lag of its own. One of the servers puts the world back to what the shooter saw, the other does not.

const (
	rangeShooters = 8
	rangeDucks    = 4
	rangeStep     = 40 * time.Millisecond // from one shooter's lag to that of the next
	rangeReload   = 6                     // steps between two shots
)

// fire plays both matches.
func fire(ctx context.Context, by transport, length time.Duration, seed uint64) ([]record.Volley, error) {
	volleys := make([]record.Volley, 2*rangeShooters)
	errs := make([]error, 2)
	var playing sync.WaitGroup
	for n := range errs {
		playing.Go(func() {
			m := match{
				by: by, length: length, seed: seed, gallery: true, reload: rangeReload,
				rules: rules{movers: rangeDucks, players: rangeShooters, sendRate: 20, gallery: true, uncompensated: n == 1},
			}
			for i := range rangeShooters {
				m.networks = append(m.networks, netem.Config{
					Lag: time.Duration(i) * rangeStep, Jitter: 5 * time.Millisecond, Seed: seed + uint64(i),
				})
			}
			var o *outcome
			if o, errs[n] = m.play(ctx); errs[n] != nil {
				return
			}
			for i, p := range o.players {
				volleys[n*rangeShooters+i] = record.Volley{
					Lag: m.networks[i].Lag.Seconds() * 1000, Compensated: n == 0,
					Shots: p.bot.seen, Confirmed: p.bot.agreed,
				}
			}
		})
	}
	playing.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("firing range: %w", err)
		}
	}
	return volleys, nil
}

// printVolleys prints what part of the hits on the screen the servers have confirmed.
func printVolleys(out io.Writer, volleys []record.Volley) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "added lag, ms\t")
	for _, v := range volleys {
		if v.Compensated {
			fmt.Fprintf(w, "%.0f\t", v.Lag)
		}
	}
	for _, compensated := range []bool{true, false} {
		fmt.Fprintf(w, "\n%s\t", map[bool]string{true: "confirmed, world put back", false: "confirmed, in the present"}[compensated])
		for _, v := range volleys {
			if v.Compensated == compensated {
				fmt.Fprintf(w, "%.0f%%\t", 100*float64(v.Confirmed)/float64(max(v.Shots, 1)))
			}
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}

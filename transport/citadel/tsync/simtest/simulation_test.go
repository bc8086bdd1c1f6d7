package simtest

import (
	"flag"
	"fmt"
	"sync"
	"testing"
)

var (
	oneSeed  = flag.Uint64("seed", 0, "simulate this seed alone (0: all)")
	setTicks = flag.Int("ticks", 0, "ticks of every simulation (0: the usual)")
)

// The extent of TestSimulation, and with -short.
const (
	seeds, shortSeeds = 200, 10
	shortTicks        = 600
)

// In every session, whatever the network does, each client that has applied a snapshot has exactly the frame that the
// server latched for it, quantised; inputs and shots count once and in order; and when all is quiet everybody agrees.
func TestSimulation(t *testing.T) {
	from, to, ticks := uint64(1), uint64(seeds), mostTicks
	if testing.Short() {
		to, ticks = shortSeeds, shortTicks
	}
	if *oneSeed != 0 {
		from, to = *oneSeed, *oneSeed
	}
	if *setTicks != 0 {
		ticks = *setTicks
	}
	var mu sync.Mutex
	var total counts
	t.Run("seeds", func(t *testing.T) {
		for seed := from; seed <= to; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				c := runSim(t, newPlan(seed, ticks))
				mu.Lock()
				defer mu.Unlock()
				total.add(&c)
			})
		}
	})
	total.report(t)
	if *oneSeed == 0 && !t.Failed() {
		total.requireAll(t)
	}
}

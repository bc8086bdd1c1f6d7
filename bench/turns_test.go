package bench

import (
	"slices"
	"testing"
	"time"
)

// contender is one way to do the work of a benchmark.
type contender struct {
	name string
	run  func()
}

// takeTurns runs the contenders in turn and reports the median time of each for one of the ops that a run does, and
// how many times longer the others take than the first.
func takeTurns(b *testing.B, ops int, all ...contender) {
	const runs = 4 // to a turn
	times := make([][]float64, len(all))
	for b.Loop() {
		for i, c := range all {
			start := time.Now()
			for range runs {
				c.run()
			}
			times[i] = append(times[i], float64(time.Since(start))/float64(runs*ops))
		}
	}
	median := func(i int) float64 {
		slices.Sort(times[i])
		return times[i][len(times[i])/2]
	}
	b.ReportMetric(0, "ns/op")
	for i, c := range all {
		b.ReportMetric(median(i), "ns/"+c.name)
		if i > 0 {
			b.ReportMetric(median(i)/median(0), c.name+"/"+all[0].name)
		}
	}
}

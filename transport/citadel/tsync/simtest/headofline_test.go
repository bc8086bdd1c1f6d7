package simtest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The same losses on the same path: a datagram that is delivered is as late as the path makes it, because nothing waits
// for what was lost. On an ordered stream all that comes after waits for the six ticks that a recovery takes.
func TestHeadOfLine(t *testing.T) {
	const (
		ticks = 100_000
		delay = 1
		loss  = 0.05
	)
	datagrams := newLink(rand.New(rand.NewPCG(5, 1)), weather{loss: loss, delay: delay})
	ordered := stream{link: newLink(rand.New(rand.NewPCG(5, 1)), weather{loss: loss, delay: delay})}
	var late, lateInOrder []float64
	sent := make(map[byte]int) // tick by number; no number is used again while it is on its way
	for tick := range ticks {
		number := byte(tick)
		sent[number] = tick
		datagrams.send(tick, 0, []byte{number})
		ordered.send(tick, 0, []byte{number})
		datagrams.deliver(tick, func(_ byte, body []byte) { late = append(late, float64(tick-sent[body[0]])) })
		ordered.deliver(tick, func(_ byte, body []byte) { lateInOrder = append(lateInOrder, float64(tick-sent[body[0]])) })
	}
	require.InDelta(t, ticks*(1-loss), len(late), ticks/100)
	require.InDelta(t, ticks, len(lateInOrder), horizon)
	require.EqualValues(t, delay, quantile(late, 0.99))
	require.GreaterOrEqual(t, quantile(lateInOrder, 0.99), float64(recovery))
	t.Logf("ticks from sending to delivery at %.0f%% loss, p50, p99 and max: datagrams %v, %v, %v; ordered stream %v, %v, %v", 100*loss,
		quantile(late, 0.5), quantile(late, 0.99), quantile(late, 1),
		quantile(lateInOrder, 0.5), quantile(lateInOrder, 0.99), quantile(lateInOrder, 1))
}

package negative

import (
	"github.com/ariadne-netcode/ariadne/netcode"
)

type game struct{ n int32 }

func (g *game) Tick(netcode.Step)                       { g.n++ }
func (g *game) AppendBinary(dst []byte) ([]byte, error) { return append(dst, byte(g.n)), nil }
func (g *game) UnmarshalBinary(data []byte) error       { g.n = int32(data[0]); return nil }

// TickTransient is for the eyes, and run is the application: neither is simulation code.
func (g *game) TickTransient(in <-chan int32, dt float64) { g.run(in) }

func (g *game) run(in <-chan int32) {
	go func() { g.Tick(netcode.Step(<-in)) }()
	select {
	case <-in:
	default:
	}
}

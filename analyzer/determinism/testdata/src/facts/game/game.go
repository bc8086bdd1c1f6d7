// Package game is a simulation made of the other packages.
package game

import (
	"time"

	"github.com/ariadne-netcode/ariadne/analyzer/determinism/testdata/src/facts/kit"
	"github.com/ariadne-netcode/ariadne/analyzer/determinism/testdata/src/facts/rules"
	"github.com/ariadne-netcode/ariadne/analyzer/determinism/testdata/src/facts/vec"
	"github.com/ariadne-netcode/ariadne/netcode"
)

type world struct { // want `int has another width on 32-bit targets, and github.com/.*/facts/vec.Counter.N is part of the state of world`
	pos, vel vec.V
	count    vec.Counter
	shapes   []vec.Shape
	health   map[uint32]int32
	step     func(x float64) float64
}

func (w *world) Tick(netcode.Step) { // want Tick:`^calls .*vec.Shape.Grow$`
	w.pos = w.pos.Add(w.vel.Scale(0.1)) // want `vec.V.Scale returns a product that was not rounded`
	w.pos = w.pos.Add(w.vel.Scale(0.1).Round())
	w.pos.X += vec.Mul(w.pos.X, w.vel.Y)     // want `vec.Mul returns a product that was not rounded`
	w.pos.X += vec.Same(w.pos.X * 3)         // want `w.pos.X \* 3 may be fused with the sum`
	w.pos.Y = vec.Plus(w.pos.Y, w.vel.Y*0.1) // want `w.vel.Y \* 0.1 may be fused with the sum further on`
	w.pos.Y = vec.Plus(w.pos.Y, vec.Twice(w.vel.Y))
	_ = w.pos.Dot(w.vel)                // want `vec.V.Dot reaches this: v.X \* o.X may be fused .*\(vec.go:14\)`
	_ = vec.Lerp(w.pos.X, w.pos.Y, 0.5) // want `vec.Lerp reaches this: \(b - a\) \* t may be fused`
	_ = vec.Lerp(int32(1), 2, 3)
	_ = vec.Checked(1, 2, 3)
	vec.GrowAll(w.shapes)
	w.pos.X = w.step(w.pos.X)
	for id, h := range w.health {
		w.health[id] = vec.Abs(h)
	}
	for id, h := range w.health { // want `iteration order of map w.health is visible: it calls vec.Set`
		n := int(h)
		vec.Set(&n)
		w.health[id] = int32(n)
	}
	if vec.Start.IsZero() { // want `vec.Start reaches this: time.Now reads the clock, .* \(vec.go:34\)`
		w.late(vec.Stamp) // want `vec.Stamp reaches this: time.Now reads the clock`
	}
}

func (w *world) late(now func() int64) { w.count.N = int(now() + vec.Excused()) }

func (w *world) AppendBinary(dst []byte) ([]byte, error) { return w.count.Append(dst), nil }   // want AppendBinary:`^pure uses .*vec.Counter.N$`
func (w *world) UnmarshalBinary(data []byte) error       { w.count.Load(data[0]); return nil } // want UnmarshalBinary:`^uses .*vec.Counter.N$`

func newWorld() *world {
	w := &world{shapes: []vec.Shape{&tree{}}}
	w.step = func(x float64) float64 { return x*x - 1 } // want `x \* x may be fused .*reached from \(\*world\).Tick`
	return w
}

type tree struct{ height float64 }

func (t *tree) Grow() { t.height = t.height*1.1 + 1 } // want `t.height \* 1.1 may be fused .*reached from \(\*world\).Tick`

type plant struct{ At int64 }

var (
	_ = kit.Executing(func(c netcode.Command[plant]) {
		println(time.Now().Unix()) // want `time.Now reads the clock`
	})
	_ = kit.Def[plant]{
		Check: tooLate,
		Draw:  func() { println(time.Now().Unix()) },
	}.Handlers()
)

func tooLate(c netcode.Command[plant], _ netcode.Step) error {
	if c.Payload.At < time.Now().Unix() { // want `time.Now reads the clock`
		return errLate
	}
	return nil
}

type late struct{}

func (late) Error() string { return time.Now().String() } // want Error:`^clock pure$`

var errLate error = late{}

type tax struct{ rates map[string]int32 }

var _ rules.Rule = (*tax)(nil)

func (t *tax) Apply(n int32) int32 { // want Apply:`^pure$`
	for _, r := range t.rates { // want `it reads n, which other iterations change`
		n -= n * r / 100
	}
	return n
}

func (t *tax) Describe() string { return time.Now().String() } // want Describe:`^clock pure$`

type cart struct{}

func (cart) Move() { _ = vec.Stamp() } // want `vec.Stamp reaches this: time.Now reads the clock` Move:`^pure$`

// embedded is a simulation with the methods of another type.
type embedded struct{ *half } // want `facts/vec.Counter.N is part of the state of embedded`

type half struct{ world } // want `facts/vec.Counter.N is part of the state of half`

func (h *half) Tick(netcode.Step) { h.pos.X += vec.Mul(2.5, h.pos.X) } // want `vec.Mul returns a product`

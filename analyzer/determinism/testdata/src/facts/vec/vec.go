// Package vec is a helper package that knows nothing of simulations: nothing is reported in it.
package vec

import (
	"cmp"
	"slices"
	"time"
)

type V struct{ X, Y float64 }

func (v V) Scale(k float64) V { return V{v.X * k, v.Y * k} }     // want Scale:`^pure product\(0.X\) product\(0.Y\)$`
func (v V) Add(o V) V         { return V{v.X + o.X, v.Y + o.Y} } // want Add:`^pure sum\(-1.X\) sum\(-1.Y\) sum\(0.X\) sum\(0.Y\)$`
func (v V) Dot(o V) float64   { return v.X*o.X + v.Y*o.Y }       // want Dot:`^fused pure$`

func (v V) Round() V { return V{float64(v.X), float64(v.Y)} } // want Round:`^pure$`

func Mul(a, b float64) float64   { return a * b }                                 // want Mul:`^pure product\(0\)$`
func Plus(a, b float64) float64  { return a + b }                                 // want Plus:`^pure sum\(0\) sum\(1\)$`
func Same(x float64) float64     { return x }                                     // want Same:`^pure pass\(0 to 0\)$`
func Twice(x float64) float64    { return Same(2 * x) }                           // want Twice:`^pure$`
func Both(a, b float64) (v, w V) { v = v.Add(w.Scale(a)); return v, V{a * b, b} } // want Both:`^fused fused pure product\(1.X\) pass\(1 to 1.Y\)$`

type Number interface{ ~int32 | ~float64 }

func Lerp[T Number](a, b, t T) T { return a + (b-a)*t } // want Lerp:`^fused pure sum\(0\) sum\(1\)$`

func Stamp() int64      { return clock() } // want Stamp:`^clock pure$`
func clock() int64      { return time.Now().UnixNano() }
func Excused() int64    { return time.Now().UnixNano() } //netcode:nondeterministic for the log // want Excused:`^pure$`
func Set(p *int)        { *p = 1 }
func Abs(x int32) int32 { return max(x, -x) } // want Abs:`^pure$`

var Start = time.Now() // want Start:`^clock$`

// Shape is implemented elsewhere.
type Shape interface{ Grow() }

func GrowAll(shapes []Shape) { // want GrowAll:`^calls github.com/.*/facts/vec.Shape.Grow$`
	for _, s := range shapes {
		s.Grow()
	}
}

type Counter struct{ N int }

func (c *Counter) Append(dst []byte) []byte { return append(dst, byte(c.N)) } // want Append:`^pure uses github.com/.*/facts/vec.Counter.N$`
func (c *Counter) Load(b byte)              { c.N = int(b) }                  // want Load:`^uses github.com/.*/facts/vec.Counter.N$`

type Item struct{ Price, Weight int32 }

func Cheapest(items []Item) { // want Cheapest:`^sort$`
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Price, b.Price) })
}

// Checked is reported here, and callers are not bothered.
//
//netcode:deterministic
func Checked(x, y, z float64) float64 { return x*y + z } // want `x \* y may be fused` Checked:`^pure sum\(2\)$`

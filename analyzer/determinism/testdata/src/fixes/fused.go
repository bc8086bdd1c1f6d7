// Package fixes has something to mend in every function.
package fixes

import "github.com/ariadne-netcode/ariadne/analyzer/determinism/testdata/src/facts/vec"

type meters float32

//netcode:deterministic
func direct(a, b, c, d float64) float64 {
	return a*b - c*d + (a*c)*2 // want `a \* b may be fused`
}

//netcode:deterministic
func parenthesized(a, b, c float64) float64 {
	return (a * b) + -(b * c) // want `a \* b may be fused`
}

//netcode:deterministic
func nested(a, b, c meters) meters {
	return (a*b+c)*a + b // want `\(a \* b \+ c\) \* a may be fused` `a \* b may be fused`
}

//netcode:deterministic
func compound(sum *float64, a, b float64) {
	*sum += a * b // want `a \* b may be fused`
}

//netcode:deterministic
func distant(a, b, c float64) (float64, float64) {
	p := a * b // want `a \* b may be fused`
	q := a
	q *= b + c // want `q \* \(?b \+ c\)? may be fused`
	return p + c, q - c
}

type body struct{ pos, vel struct{ x, y float64 } }

//netcode:deterministic
func (b *body) step(dt float64) {
	b.vel.x *= dt // want `b.vel.x \* dt may be fused`
	b.pos.x += b.vel.x
	b.pos.y -= b.vel.y * dt // want `b.vel.y \* dt may be fused`
}

//netcode:deterministic
func generic[T ~float32 | ~float64](a, b, c T) T {
	return c - a*b // want `a \* b may be fused`
}

//netcode:deterministic
func elsewhere(a, b float64) float64 {
	return vec.Mul(a, b) + 1 // want `vec.Mul returns a product`
}

//netcode:deterministic
func shadowed(a, b, float64 float64) float64 {
	return a*b + float64 // want `a \* b may be fused`
}

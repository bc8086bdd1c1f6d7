package main

import "math"

// hash3 hashes the results of a function of three numbers.
func hash3(f func(x, y, z float64) float64) uint64 {
	var s source
	var d digest
	for range samples(10000) {
		d.add(math.Float64bits(f(s.number(), s.number(), s.number())))
	}
	return uint64(d)
}

func fusedSum() uint64 { return hash3(sum) }

//go:noinline
func sum(x, y, z float64) float64 { return x*y + z }

func fusedDifference() uint64 { return hash3(difference) }

//go:noinline
func difference(x, y, z float64) float64 { return z - x*y }

func fusedFloat32() uint64 {
	return hash3(func(x, y, z float64) float64 { return float64(sum32(float32(x), float32(y), float32(z))) })
}

//go:noinline
func sum32(x, y, z float32) float32 { return x*y + z }

func fusedCompound() uint64 { return hash3(compound) }

//go:noinline
func compound(x, y, z float64) float64 {
	z += x * y
	return z
}

func fusedVariable() uint64 { return hash3(variable) }

//go:noinline
func variable(x, y, z float64) float64 {
	product := x * y
	result := product + z
	return result
}

func fusedScaled() uint64 { return hash3(scaled) }

//go:noinline
func scaled(x, y, z float64) float64 {
	x *= y
	x += z
	return x
}

type pair struct{ X, Y float64 }

var memory struct {
	pair pair
	list [4]float64
}

func fusedField() uint64 { return hash3(field) }

//go:noinline
func field(x, y, z float64) float64 {
	p := &memory.pair
	p.X = x * y
	p.Y = p.X + z
	return p.Y
}

func fusedElement() uint64 { return hash3(element) }

//go:noinline
func element(x, y, z float64) float64 {
	l := &memory.list
	l[2] = x * y
	return l[2] + z
}

func fusedResult() uint64 { return hash3(result) }

//go:noinline
func result(x, y, z float64) float64 { return multiply(x, y) + z }

func multiply(x, y float64) float64 { return x * y }

func fusedArgument() uint64 { return hash3(argument) }

//go:noinline
func argument(x, y, z float64) float64 { return add(x*y, z) }

func add(x, y float64) float64 { return x + y }

func fusedStruct() uint64 { return hash3(structs) }

//go:noinline
func structs(x, y, z float64) float64 { return pair{z, z}.plus(pair{x, x}.times(y)).Y }

func (p pair) times(k float64) pair { return pair{p.X * k, p.Y * k} }
func (p pair) plus(q pair) pair     { return pair{p.X + q.X, p.Y + q.Y} }

func fusedClosure() uint64 { return hash3(closure) }

//go:noinline
func closure(x, y, z float64) float64 {
	product := x * y
	finish := func() float64 { return product + z }
	return finish()
}

func fusedGeneric() uint64 { return hash3(instance) }

//go:noinline
func instance(x, y, z float64) float64 { return blend(x, y, z) }

func blend[T ~int64 | ~float64](x, y, z T) T { return x*y + z }

type curve interface{ at(x float64) float64 }

type line struct{ slope, offset float64 }

func (l line) at(x float64) float64 { return l.slope*x + l.offset }

func fusedInterface() uint64 {
	return hash3(func(x, y, z float64) float64 { return height(line{x, z}, y) })
}

//go:noinline
func height(c curve, x float64) float64 { return c.at(x) }

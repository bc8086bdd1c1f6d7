package main

import "math"

// special are the numbers that functions treat specially.
var special = [...]float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 2, 3, 10, math.Pi, -math.Pi,
	math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
	1 << 53, 1<<53 + 2, 4503599627370495.5, 0x1p-1022, 0x1p-1030, 1e300, 1e-300, 709.78, -745.1, 1 << 31, 1 << 62,
}

// operand returns the operand for the i-th call of a function.
func operand(s *source, i int) float64 {
	if i < len(special) {
		return special[i]
	}
	m := float64(s.next()>>11) / (1 << 53)
	switch i % 4 {
	case 0:
		return m
	case 1:
		return float64(m*200) - 100
	case 2:
		return float64(m*2) - 1
	}
	return math.Float64frombits(s.next())
}

// addNumber hashes a result. One NaN is as good as another: their bits are no business of the functions.
func (d *digest) addNumber(x float64) {
	if x != x {
		d.add(1)
		return
	}
	d.add(math.Float64bits(x))
}

func (d *digest) addBool(b bool) {
	if b {
		d.add(2)
	} else {
		d.add(3)
	}
}

// each hashes the results that f adds for many operands.
func each(name string, f func(d *digest, s *source, x float64)) {
	var d digest
	var s source
	for i := range samples(10000) {
		f(&d, &s, operand(&s, i))
	}
	println("math."+name, uint64(d))
}

func unary(name string, f func(float64) float64) {
	each(name, func(d *digest, _ *source, x float64) { d.addNumber(f(x)) })
}

func binary2(name string, f func(x, y float64) float64) {
	each(name, func(d *digest, s *source, x float64) {
		for _, y := range [...]float64{special[s.next()%uint64(len(special))], operand(s, 101), operand(s, 103)} {
			d.addNumber(f(x, y))
		}
	})
}

// mathBits prints a number for each function of package math.
func mathBits() {
	unary("Abs", math.Abs)
	unary("Acos", math.Acos)
	unary("Acosh", func(x float64) float64 { return math.Acosh(1 + math.Abs(x)) })
	unary("Asin", math.Asin)
	unary("Asinh", math.Asinh)
	unary("Atan", math.Atan)
	binary2("Atan2", math.Atan2)
	unary("Atanh", math.Atanh)
	unary("Cbrt", math.Cbrt)
	unary("Ceil", math.Ceil)
	binary2("Copysign", math.Copysign)
	unary("Cos", math.Cos)
	unary("Cosh", math.Cosh)
	binary2("Dim", math.Dim)
	unary("Erf", math.Erf)
	unary("Erfc", math.Erfc)
	unary("Erfcinv", math.Erfcinv)
	unary("Erfinv", math.Erfinv)
	unary("Exp", math.Exp)
	each("Exp2", func(d *digest, s *source, x float64) {
		d.addNumber(math.Exp2(x))
		for range 10 { // targets seldom disagree
			d.addNumber(math.Exp2(operand(s, 101)))
		}
	})
	unary("Expm1", math.Expm1)
	each("FMA", func(d *digest, s *source, x float64) { d.addNumber(math.FMA(x, operand(s, 101), operand(s, 103))) })
	each("Float32bits", func(d *digest, _ *source, x float64) {
		if x == x {
			d.add(uint64(math.Float32bits(float32(x))))
		}
	})
	each("Float32frombits", func(d *digest, s *source, _ float64) {
		d.addNumber(float64(math.Float32frombits(uint32(s.next()))))
	})
	each("Float64bits", func(d *digest, _ *source, x float64) {
		if x == x {
			d.add(math.Float64bits(x))
		}
	})
	each("Float64frombits", func(d *digest, s *source, _ float64) { d.addNumber(math.Float64frombits(s.next())) })
	unary("Floor", math.Floor)
	each("Frexp", func(d *digest, _ *source, x float64) {
		frac, exp := math.Frexp(x)
		d.addNumber(frac)
		d.add(uint64(int64(exp)))
	})
	unary("Gamma", math.Gamma)
	binary2("Hypot", math.Hypot)
	each("Ilogb", func(d *digest, _ *source, x float64) { d.add(uint64(int64(math.Ilogb(x)))) })
	each("Inf", func(d *digest, s *source, _ float64) { d.addNumber(math.Inf(int(s.next()%3) - 1)) })
	each("IsInf", func(d *digest, s *source, x float64) { d.addBool(math.IsInf(x, int(s.next()%3)-1)) })
	each("IsNaN", func(d *digest, _ *source, x float64) { d.addBool(math.IsNaN(x)) })
	unary("J0", math.J0)
	unary("J1", math.J1)
	each("Jn", func(d *digest, s *source, x float64) { d.addNumber(math.Jn(int(s.next()%9), x)) })
	each("Ldexp", func(d *digest, s *source, x float64) { d.addNumber(math.Ldexp(x, int(s.next()%4000)-2000)) })
	each("Lgamma", func(d *digest, _ *source, x float64) {
		y, sign := math.Lgamma(x)
		d.addNumber(y)
		d.add(uint64(int64(sign)))
	})
	unary("Log", math.Log)
	unary("Log10", math.Log10)
	unary("Log1p", math.Log1p)
	unary("Log2", math.Log2)
	unary("Logb", math.Logb)
	binary2("Max", math.Max)
	binary2("Min", math.Min)
	binary2("Mod", math.Mod)
	each("Modf", func(d *digest, _ *source, x float64) {
		whole, frac := math.Modf(x)
		d.addNumber(whole)
		d.addNumber(frac)
	})
	each("NaN", func(d *digest, _ *source, _ float64) { d.add(math.Float64bits(math.NaN())) })
	binary2("Nextafter", math.Nextafter)
	each("Nextafter32", func(d *digest, s *source, x float64) {
		d.addNumber(float64(math.Nextafter32(float32(x), float32(operand(s, 101)))))
	})
	binary2("Pow", math.Pow)
	each("Pow10", func(d *digest, s *source, _ float64) { d.addNumber(math.Pow10(int(s.next()%800) - 400)) })
	binary2("Remainder", math.Remainder)
	unary("Round", math.Round)
	unary("RoundToEven", math.RoundToEven)
	each("Signbit", func(d *digest, _ *source, x float64) {
		if x == x {
			d.addBool(math.Signbit(x))
		}
	})
	unary("Sin", math.Sin)
	each("Sincos", func(d *digest, _ *source, x float64) {
		sin, cos := math.Sincos(x)
		d.addNumber(sin)
		d.addNumber(cos)
	})
	unary("Sinh", math.Sinh)
	unary("Sqrt", math.Sqrt)
	unary("Tan", math.Tan)
	unary("Tanh", math.Tanh)
	unary("Trunc", math.Trunc)
	unary("Y0", math.Y0)
	unary("Y1", math.Y1)
	each("Yn", func(d *digest, s *source, x float64) { d.addNumber(math.Yn(int(s.next()%9), x)) })
}

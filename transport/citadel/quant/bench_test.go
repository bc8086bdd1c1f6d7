package quant_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// The inputs of the benchmarks, so many that no branch predictor knows them.
const inputs = 1 << 10

func randomQuats() *[inputs][4]float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	var all [inputs][4]float32
	for i := range all {
		for k := range all[i] {
			all[i][k] = float32(rng.NormFloat64())
		}
	}
	return &all
}

func BenchmarkScalarEncode(b *testing.B) {
	s, err := quant.NewScalar(-262144, 262144, 8)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var all [inputs]float32
	for i := range all {
		all[i] = float32(rng.Float64()*500000 - 250000)
	}
	b.ReportAllocs()
	var sum uint64
	for i := 0; b.Loop(); i++ {
		code, err := s.Encode(all[i%inputs])
		if err != nil {
			b.Fatal(err)
		}
		sum += code
	}
	if sum == 0 {
		b.Fatal("nothing encoded")
	}
}

func BenchmarkScalarDecode(b *testing.B) {
	s, err := quant.NewScalar(-262144, 262144, 8)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	var sum float32
	for i := uint64(0); b.Loop(); i++ {
		v, err := s.Decode(i % s.MaxCode())
		if err != nil {
			b.Fatal(err)
		}
		sum += v
	}
	if math.IsNaN(float64(sum)) {
		b.Fatal("not a number")
	}
}

func BenchmarkVectorEncode(b *testing.B) {
	v, err := quant.NewVector([3]float32{-262144, -262144, -32768}, [3]float32{262144, 262144, 32768}, 8)
	if err != nil {
		b.Fatal(err)
	}
	all := randomQuats()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		q := &all[i%inputs]
		if _, err := v.Encode([3]float32{1000 * q[0], 1000 * q[1], 1000 * q[2]}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVectorDecode(b *testing.B) {
	v, err := quant.NewVector([3]float32{-262144, -262144, -32768}, [3]float32{262144, 262144, 32768}, 8)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		code := i % v[2].MaxCode()
		if _, err := v.Decode([3]uint64{code, 2 * code, code}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuatEncode(b *testing.B) {
	all := randomQuats()
	b.ReportAllocs()
	var sum uint64
	for i := 0; b.Loop(); i++ {
		sum += quant.Quat10.Encode(all[i%inputs])
	}
	if sum == 0 {
		b.Fatal("nothing encoded")
	}
}

func BenchmarkQuatDecode(b *testing.B) {
	all := randomQuats()
	var codes [inputs]uint64
	for i, q := range all {
		codes[i] = quant.Quat10.Encode(q)
	}
	b.ReportAllocs()
	var sum float32
	for i := 0; b.Loop(); i++ {
		q := quant.Quat10.Decode(codes[i%inputs])
		sum += q[0]
	}
	if math.IsNaN(float64(sum)) {
		b.Fatal("not a number")
	}
}

package main

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/netcode"
)

func complexProduct() uint64 {
	return hash3(func(a, b, c float64) float64 { return float64(a*c) - float64(b*a) })
}

func complexQuotient() uint64 {
	return hash3(func(a, b, c float64) float64 {
		return (float64(b*c) - float64(a*a)) / (float64(c*c) + float64(a*a))
	})
}

func cmplxAbs() uint64 {
	return hash3(func(x, y, _ float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) })
}

// normal adds up twelve uniform numbers, which is nearly normal.
func normal() uint64 {
	var d digest
	r := rand.New(rand.NewPCG(1, 2))
	for range samples(20000) {
		x := -6.0
		for range 12 {
			x += r.Float64()
		}
		d.add(math.Float64bits(x))
	}
	return uint64(d)
}

// exponential counts how often a coin with a small weight has to be thrown.
func exponential() uint64 {
	var d digest
	r := rand.New(rand.NewPCG(3, 4))
	for range samples(2000) {
		n := uint64(1)
		for r.Uint32N(64) != 0 {
			n++
		}
		d.add(n)
	}
	return uint64(d)
}

// zipf looks numbers up in a table of weights.
func zipf() uint64 {
	var d digest
	var cumulated [100]uint32
	total := uint32(0)
	for i := range cumulated {
		total += 1 << 20 / uint32(i+1)
		cumulated[i] = total
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range samples(10000) {
		x, i := r.Uint32N(total), 0
		for cumulated[i] <= x {
			i++
		}
		d.add(uint64(i))
	}
	return uint64(d)
}

func randomInt() uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	return uint64(r.Int64()%1000) + uint64(r.IntN(1000003)) + uint64(r.Perm(100)[0])
}

func global() uint64 { return rand.NewPCG(1, 2).Uint64() }

type account struct{ balance int64 }

func (a *account) Tick(at netcode.Step) { a.balance = a.balance*31 + int64(at) }

func (a *account) AppendBinary(dst []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(dst, uint64(a.balance)), nil
}

func (a *account) UnmarshalBinary(data []byte) error {
	a.balance = int64(binary.LittleEndian.Uint64(data))
	return nil
}

func intWidth() uint64 {
	var a account
	for step := range netcode.Step(100) {
		a.Tick(step)
	}
	state, _ := a.AppendBinary(nil)
	return binary.LittleEndian.Uint64(state)
}

func addressText() uint64 { return uint64(runner{number: 7}.number) }

func nativeOrder() uint64 {
	return binary.LittleEndian.Uint64([]byte{1, 2, 3, 4, 5, 6, 7, 8})
}

func processHash() uint64 {
	h := fnv.New64a()
	h.Write([]byte("a name"))
	return h.Sum64()
}

func syncMap() (last uint64) {
	m := map[uint64]uint64{}
	for i := range uint64(1000) {
		m[i] = i
	}
	for k := range m {
		last = max(last, k)
	}
	return last
}

func selects() uint64 {
	var d digest
	a, b := make([]uint64, 100), make([]uint64, 100)
	for i := range a {
		d.add(a[i])
		d.add(b[i])
	}
	return uint64(d)
}

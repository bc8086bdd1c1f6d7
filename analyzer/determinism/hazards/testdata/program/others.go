package main

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"sync"
	"unsafe"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// What is in this file has no automatic fix. ../mended/others.go is the same by deterministic means.

func complexProduct() uint64 {
	return hash3(func(x, y, z float64) float64 {
		c := complex(x, y) * complex(z, x)
		return real(c)
	})
}

func complexQuotient() uint64 {
	return hash3(func(x, y, z float64) float64 {
		c := complex(x, y) / complex(z, x)
		return imag(c)
	})
}

func cmplxAbs() uint64 {
	return hash3(func(x, y, _ float64) float64 { return cmplx.Abs(complex(x, y)) })
}

func normal() uint64 {
	var d digest
	r := rand.New(rand.NewPCG(1, 2))
	for range samples(200000) {
		d.add(math.Float64bits(r.NormFloat64()))
	}
	return uint64(d)
}

// outermost is a source of numbers that lead to the rare branch every time.
type outermost struct{ source }

func (o *outermost) Uint64() uint64 { return o.next()&^(0xFF<<32) | 0xFFFFFFFF }

func exponential() uint64 {
	var d digest
	r := rand.New(&outermost{})
	for range samples(100000) { // targets seldom disagree
		d.add(math.Float64bits(r.ExpFloat64()))
	}
	return uint64(d)
}

func zipf() uint64 {
	var d digest
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 1, 1<<60)
	for range samples(10000) {
		d.add(z.Uint64())
	}
	return uint64(d)
}

func randomInt() uint64 {
	r := rand.New(rand.NewPCG(1, 2))
	return uint64(r.Int() % 1000)
}

func global() uint64 { return rand.Uint64() }

// account calculates a checksum of the kind that everybody has written once.
type account struct{ balance int }

func (a *account) Tick(at netcode.Step) { a.balance = a.balance*31 + int(at) }

func (a *account) AppendBinary(dst []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(dst, uint64(a.balance)), nil
}

func (a *account) UnmarshalBinary(data []byte) error {
	a.balance = int(binary.LittleEndian.Uint64(data))
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

func addressText() uint64 { return uint64(uintptr(unsafe.Pointer(new(runner)))) }

func nativeOrder() uint64 {
	return binary.NativeEndian.Uint64([]byte{1, 2, 3, 4, 5, 6, 7, 8})
}

func processHash() uint64 { return maphash.String(maphash.MakeSeed(), "a name") }

func syncMap() (last uint64) {
	var m sync.Map
	for i := range uint64(1000) {
		m.Store(i, i)
	}
	m.Range(func(k, _ any) bool {
		last = k.(uint64)
		return true
	})
	return last
}

func selects() uint64 {
	var d digest
	a, b := make(chan uint64, 100), make(chan uint64, 100)
	for range 100 {
		a <- 1
		b <- 2
	}
	for range 100 {
		select {
		case x := <-a:
			d.add(x)
		case x := <-b:
			d.add(x)
		}
	}
	return uint64(d)
}

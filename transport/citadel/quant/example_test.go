package quant_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

func ExampleScalar() {
	height, err := quant.NewScalar(-100, 100, 8) // an eighth of a centimetre
	fmt.Println(height.Bits(), "bits, codes up to", height.MaxCode(), err)
	code, _ := height.Encode(12.3)
	v, _ := height.Decode(code)
	fmt.Println(code, v)
	code, _ = height.Encode(float32(math.Inf(1)))
	fmt.Println(code)
	_, err = height.Encode(float32(math.NaN()))
	fmt.Println(errors.Is(err, quant.ErrNotANumber))
	// Output:
	// 11 bits, codes up to 1600 <nil>
	// 898 12.25
	// 1600
	// true
}

func ExampleNewScalar() {
	// A peer announces bounds whose codes would not fit 64 bits.
	_, err := quant.NewScalar(-math.MaxFloat32, math.MaxFloat32, 1000)
	fmt.Println(errors.Is(err, quant.ErrInvalidSpec))
	// Output: true
}

func ExampleVector() {
	arena, err := quant.NewVector([3]float32{-1000, -1000, 0}, [3]float32{1000, 1000, 500}, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	codes, err := arena.Encode([3]float32{-1000, 10.6, 9999}) // what is outside goes to the wall
	fmt.Println(codes, err, arena.Bits(), "bits")
	p, err := arena.Decode(codes)
	fmt.Println(p, err)
	// Output:
	// [0 4042 2000] <nil> 37 bits
	// [-1000 10.5 500] <nil>
}

func ExampleQuatMode() {
	quarterTurn := [4]float32{0, 0, math.Sqrt2 / 2, math.Sqrt2 / 2}
	code := quant.Quat10.Encode(quarterTurn)
	fmt.Printf("%032b, %d bits\n", code, quant.Quat10.Bits())
	fmt.Printf("%.3f\n", quant.Quat10.Decode(code))
	// Output:
	// 10100000000010000000001111111111, 32 bits
	// [0.001 0.001 0.707 0.707]
}

package bitpack_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

func Example() {
	var w bitpack.Writer
	w.Reset([]byte("frame:")) // the writer goes on behind what is there
	w.WriteBool(true)
	w.WriteBits(300, 9)
	w.WriteVarint(1000)
	fmt.Println(w.Len(), "bits")
	frame := w.Bytes()
	fmt.Printf("%s %x\n", frame[:6], frame[6:])

	var r bitpack.Reader
	r.Reset(frame[6:])
	full, _ := r.ReadBool()
	health, _ := r.ReadBits(9)
	id, err := r.ReadVarint()
	fmt.Println(full, health, id, err)
	fmt.Println("canonical:", r.Finish() == nil)
	// Output:
	// 26 bits
	// frame: cb3a01c0
	// true 300 1000 <nil>
	// canonical: true
}

func ExampleReader_ReadBits() {
	var r bitpack.Reader
	r.Reset([]byte{0xa5})
	_, err := r.ReadBits(9)
	fmt.Println(errors.Is(err, bitpack.ErrOverrun), r.Remaining())
	v, err := r.ReadBits(8) // the refused read took nothing
	fmt.Printf("%x %v\n", v, err)
	// Output:
	// true 8
	// a5 <nil>
}

func ExampleReader_Finish() {
	var r bitpack.Reader
	r.Reset([]byte{0b1010_0001})
	r.SeekBit(3)
	fmt.Println(r.Finish())
	r.SeekBit(8)
	fmt.Println(r.Finish())
	// Output:
	// bitpack: padding is not canonical
	// <nil>
}

func ExampleWriter_WriteRun() {
	var part bitpack.Writer
	part.WriteBits(0b10110, 5)
	n := part.Len()
	run := part.Bytes()

	var w bitpack.Writer
	w.WriteBits(1, 1)
	err := w.WriteRun(run, n)
	fmt.Printf("%08b %v\n", w.Bytes(), err)
	// Output: [11011000] <nil>
}

func ExampleVarint() {
	b := bitpack.AppendVarint(nil, 300)
	v, n, err := bitpack.Varint(append(b, "rest"...))
	fmt.Println(v, n, err)
	_, _, err = bitpack.Varint([]byte{0x80, 0x00}) // zero, one group too long
	fmt.Println(errors.Is(err, bitpack.ErrVarintOverlong))
	// Output:
	// 300 2 <nil>
	// true
}

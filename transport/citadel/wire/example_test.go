package wire_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func Example() {
	// Two envelopes on a stream.
	stream, err := wire.AppendFramed(nil, wire.KindSession, []byte("step 1"))
	if err != nil {
		fmt.Println(err)
		return
	}
	stream, _ = wire.AppendFramed(stream, 34, nil)
	fmt.Printf("%x\n", stream)

	// They arrive in pieces.
	var dec wire.Decoder
	for _, piece := range [][]byte{stream[:7], stream[7:]} {
		_, _ = dec.Write(piece)
		for {
			e, ok, err := dec.Next()
			if err != nil {
				fmt.Println(err) // the stream is of no use any more
				return
			}
			if !ok {
				fmt.Println("need more")
				break
			}
			fmt.Printf("kind %#x: %q\n", uint16(e.Kind), e.Body)
		}
	}
	// Output:
	// 00000008c001737465702031000000020022
	// need more
	// kind 0xc001: "step 1"
	// kind 0x22: ""
	// need more
}

func ExampleParseDatagram() {
	b := wire.AppendDatagram(nil, 1, []byte{1, 2, 3})
	e, err := wire.ParseDatagram(b)
	fmt.Println(e.Kind, e.Body, err)
	_, err = wire.ParseDatagram(b[:1])
	fmt.Println(err)
	// Output:
	// position [1 2 3] <nil>
	// wire: datagram too small for a kind
}

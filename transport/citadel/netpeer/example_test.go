package netpeer_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// A class of two fields, and an object of it that changes: first everything, then what is new.
func Example() {
	box, err := quant.NewVector([3]float32{-100, -100, 0}, [3]float32{100, 100, 50}, 8)
	if err != nil {
		fmt.Println(err)
		return
	}
	id := schema.Identity{Hash: schema.Hash{0xa1, 0xb2}, Version: 1}
	crate, err := netpeer.NewSchema(id, netpeer.Int(0, 100), netpeer.Vector(box))
	if err != nil {
		fmt.Println(err)
		return
	}
	health, position := crate.Field(0), crate.Field(1)

	full := netpeer.Bunch{Header: netpeer.Header{Object: 7, Full: true, Result: 1}}
	v, _ := health.Int(250) // is 100: integers and numbers saturate
	full.Changes = append(full.Changes, netpeer.Change{Field: 0, Value: v})
	v, _ = position.Vector([3]float32{1.5, -20, 0})
	full.Changes = append(full.Changes, netpeer.Change{Field: 1, Value: v})
	body, err := crate.AppendBunch(nil, &full)
	fmt.Printf("%x %v\n", body, err)

	later := netpeer.Bunch{Header: netpeer.Header{Object: 7, Result: 2, Base: 1}}
	v, _ = health.Int(60)
	later.Changes = append(later.Changes, netpeer.Change{Field: 0, Value: v})
	v, _ = position.Vector([3]float32{1.5, -20.01, 0})
	if !v.Equal(&full.Changes[1].Value) { // it is: a hundredth is less than half a step
		later.Changes = append(later.Changes, netpeer.Change{Field: 1, Value: v})
	}
	body, err = crate.AppendBunch(nil, &later)
	fmt.Printf("%x %v\n", body, err)

	var got netpeer.Bunch // for this and all later bodies
	if err := netpeer.ParseBunch(body, crate, nil, &got); err != nil {
		fmt.Println(err)
		return
	}
	for i := range got.Changes {
		c := &got.Changes[i]
		n, err := c.Value.Int(crate.Field(c.Field))
		fmt.Println(got.Object, got.Result, c.Field, n, err)
	}
	// Output:
	// 0000000780d0d9000000000000000000000000000000000000f91962800000 <nil>
	// 000000070100cf00 <nil>
	// 7 2 0 60 <nil>
}

// Generated code writes and reads fields without values in between.
func ExampleEncoder() {
	unit, err := quant.NewScalar(0, 1, 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	lamp, err := netpeer.NewSchema(schema.Identity{Version: 1}, netpeer.Bool(), netpeer.Scalar(unit), netpeer.Bytes(16))
	if err != nil {
		fmt.Println(err)
		return
	}

	var e netpeer.Encoder
	e.Begin(nil, lamp, netpeer.Header{Object: 3, Result: 12, Base: 11})
	e.Scalar(1, 0.25)
	e.Bytes(2, []byte("hall"))
	body, err := e.End()
	fmt.Printf("%x %v\n", body, err)

	var d netpeer.Decoder
	if d.Begin(body) != nil || d.Header.Object != 3 || d.Open(lamp) != nil {
		fmt.Println("not for us")
		return
	}
	light, name := float32(0), ""
	for field, ok := d.Next(); ok; field, ok = d.Next() {
		switch field {
		case 1:
			light = d.Scalar()
		case 2:
			name = string(d.AppendBytes(nil))
		}
	}
	if err := d.End(); err != nil {
		fmt.Println(err) // and light and name are as they were
		return
	}
	fmt.Println(light, name)
	// Output:
	// 000000030605b3e811a185b1b0 <nil>
	// 0.25 hall
}

// One change for many receivers is packed once.
func ExampleSchema_Prepare() {
	door, err := netpeer.NewSchema(schema.Identity{Version: 1}, netpeer.Bool(), netpeer.Int(0, 7))
	if err != nil {
		fmt.Println(err)
		return
	}
	var arena []byte
	var changes []netpeer.Prepared
	open, _ := door.Field(0).Bool(true)
	arena, p, err := door.Prepare(arena[:0], 0, &open)
	if err != nil {
		fmt.Println(err)
		return
	}
	changes = append(changes, p)
	for receiver, base := range []uint64{40, 41, 38} {
		body, err := door.AppendPrepared(nil, netpeer.Header{Object: 5, Result: 42, Base: base}, changes)
		fmt.Printf("%d: %x %v\n", receiver, body, err)
	}
	// Output:
	// 0: 00000005151450 <nil>
	// 1: 000000051514d0 <nil>
	// 2: 00000005151350 <nil>
}

// Peers that have agreed on it send many bunches at once. Going through the list twice makes it all or nothing.
func ExampleBunches() {
	flag, err := netpeer.NewSchema(schema.Identity{Version: 1}, netpeer.Bool())
	if err != nil {
		fmt.Println(err)
		return
	}
	var encoded [][]byte
	for object := range uint32(3) {
		var e netpeer.Encoder
		e.Begin(nil, flag, netpeer.Header{Object: object, Result: 2, Base: 1})
		e.Bool(0, true)
		b, err := e.End()
		if err != nil {
			fmt.Println(err)
			return
		}
		encoded = append(encoded, b)
	}
	list, err := netpeer.AppendBunches(nil, encoded)
	fmt.Printf("%x %v\n", list, err)

	var got netpeer.Bunch
	each := func(list []byte, do func(*netpeer.Bunch)) error {
		var budget netpeer.Budget // for all of the list
		for body, err := range netpeer.Bunches(list) {
			if err == nil {
				err = netpeer.ParseBunch(body, flag, &budget, &got)
			}
			if err != nil {
				return err
			}
			do(&got)
		}
		return nil
	}
	for _, list := range [][]byte{list, list[:len(list)-1]} {
		if err := each(list, func(*netpeer.Bunch) {}); err != nil {
			fmt.Println(err)
			continue
		}
		_ = each(list, func(b *netpeer.Bunch) { fmt.Println("object", b.Object, "has", len(b.Changes), "change") })
	}
	// Output:
	// 0307000000000100e007000000010100e007000000020100e0 <nil>
	// object 0 has 1 change
	// object 1 has 1 change
	// object 2 has 1 change
	// wire: body ends early
}

// A server takes a proposal only if the header is one that it expects.
func ExamplePeekHeader() {
	known := map[uint32]uint64{7: 41} // the newest state of each object
	for _, body := range [][]byte{{0, 0, 0, 7, 0x15, 0x14, 0x80}, {0, 0, 0, 8, 0x15, 0x14, 0x80}, {0, 0, 0, 7, 0, 0}} {
		h, err := netpeer.PeekHeader(body)
		switch newest, ok := known[h.Object]; {
		case errors.Is(err, netpeer.ErrZeroToken):
			fmt.Println("no state has the id zero")
		case err != nil:
			fmt.Println(err)
		case !ok:
			fmt.Println("no such object:", h.Object)
		default:
			fmt.Println("from", h.Base, "to", h.Result, "and ours is", newest)
		}
	}
	// Output:
	// from 41 to 42 and ours is 41
	// no such object: 8
	// no state has the id zero
}

func ExampleAppendAcks() {
	body, err := netpeer.AppendAcks(nil, []netpeer.AckEntry{{Object: 42, Result: 9, History: 0b101}})
	fmt.Printf("%x %v\n", body, err)
	var entries []netpeer.AckEntry // for this and all later bodies
	err = netpeer.ParseAcks(body, &entries)
	fmt.Println(entries, err)
	// Output:
	// 010000002a0900000005 <nil>
	// [{42 9 5}] <nil>
}

func ExampleAppendTable() {
	crate := schema.Identity{Hash: schema.Hash{0xa1, 0xb2}, Version: 1}
	body, err := netpeer.AppendTable(nil, []netpeer.TableEntry{{Class: 3, Identity: crate}})
	fmt.Printf("%x %v\n", body, err)
	var entries []netpeer.TableEntry
	err = netpeer.ParseTable(body, &entries)
	fmt.Println(entries[0].Class, entries[0].Identity, err)
	// Output:
	// 0100000003a1b2000000000000000000000000000000000001 <nil>
	// 3 v1/a1b20000000000000000000000000000 <nil>
}

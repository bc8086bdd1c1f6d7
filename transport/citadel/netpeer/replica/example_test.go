package replica_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// An object goes to two receivers, of whom one owns it. The second bunch of each is the difference to what it has
// acknowledged.
func Example() {
	class, err := replica.NewClass(schema.Layout{Class: 7, Version: 1, Properties: []schema.Property{
		{Name: "health", Type: schema.Int, Bounds: schema.IntRange(0, 100)},
		{Name: "ammo", Type: schema.Int, Bounds: schema.IntRange(0, 255), Condition: schema.OwnerOnly},
	}}, netpeer.Int(0, 100), netpeer.Int(0, 255))
	if err != nil {
		fmt.Println(err)
		return
	}
	const anna, bert = replica.PeerID(1), replica.PeerID(2)
	s := replica.NewSender(replica.Config{})
	e, err := s.Spawn(300, class, 0, anna)
	if err != nil {
		fmt.Println(err)
		return
	}
	receivers := map[replica.PeerID]*replica.Receiver{}
	for _, p := range []replica.PeerID{anna, bert} {
		s.Join(p, 0)
		receivers[p] = replica.NewReceiver(0, class)
	}
	for tick := range 3 {
		s.Advance()
		_ = e.State().SetInt(0, int64(100-10*tick))
		_ = e.State().SetInt(1, int64(30-tick/2)) // 30, 30, 29
		for _, p := range []replica.PeerID{anna, bert} {
			r := receivers[p]
			err := s.Send(p, func(_ uint32, body []byte) error {
				u, err := r.Apply(body)
				if err != nil {
					return err
				}
				fmt.Printf("tick %d peer %d full %-5v %2d bytes, changed %d: health %d ammo %d\n",
					tick, p, u.Full, len(body), u.Changed.Len(), u.State.Int(0), u.State.Int(1))
				return nil
			})
			ack, ackErr := r.AppendAcks(nil)
			if err != nil || ackErr != nil {
				fmt.Println(err, ackErr)
				return
			}
			_, _ = s.Ack(p, ack)
		}
	}
	// Output:
	// tick 0 peer 1 full true  28 bytes, changed 2: health 100 ammo 30
	// tick 0 peer 2 full true  27 bytes, changed 1: health 100 ammo 0
	// tick 1 peer 1 full false  8 bytes, changed 1: health 90 ammo 30
	// tick 1 peer 2 full false  8 bytes, changed 1: health 90 ammo 0
	// tick 2 peer 1 full false  9 bytes, changed 2: health 80 ammo 29
	// tick 2 peer 2 full false  8 bytes, changed 1: health 80 ammo 0
}

// A draft of which one field was refused is nothing.
func ExampleAuthor() {
	class := replica.MustClass(schema.Layout{Class: 7, Version: 1, Properties: []schema.Property{
		{Name: "ready", Type: schema.Bool, Authority: schema.ClientOwned},
		{Name: "name", Type: schema.Bytes, Bounds: schema.MaxLen(8), Authority: schema.ClientOwned},
	}}, netpeer.Bool(), netpeer.Bytes(8))
	a := replica.NewAuthor(class, 300, 0)
	for _, name := range []string{"anna with a long name", "anna"} {
		draft := a.Begin(nil)
		draft.Bool(0, true)
		draft.Bytes(1, []byte(name))
		body, err := a.End()
		fmt.Println(len(body), a.Last(), err)
	}
	// Output:
	// 0 0 field 1: netpeer: byte field too long
	// 31 1 <nil>
}

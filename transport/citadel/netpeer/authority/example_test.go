package authority_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Anna proposes changes of her object, and Bert of hers too, which he must not.
func Example() {
	class := replica.MustClass(schema.Layout{Class: 7, Version: 1, Properties: []schema.Property{
		{Name: "emote", Type: schema.Int, Bounds: schema.IntRange(0, 9), Authority: schema.ClientOwned},
		{Name: "score", Type: schema.Int, Bounds: schema.IntRange(0, 99)},
	}}, netpeer.Int(0, 15), netpeer.Int(0, 99))
	const anna, bert = replica.PeerID(1), replica.PeerID(2)

	s := authority.NewServer(authority.Config{})
	if err := s.Register(class); err != nil {
		fmt.Println(err)
		return
	}
	s.Join(anna, 1, false)
	s.Join(bert, 1, false)
	e, err := s.Spawn(authority.Spec{Object: 300, Class: 7, Match: 1, Owner: anna})
	if err != nil {
		fmt.Println(err)
		return
	}
	emit := func(to replica.PeerID, kind wire.Kind, body []byte) {
		fmt.Printf("  to %d: kind %d, %d bytes\n", to, kind, len(body))
	}
	author := replica.NewAuthor(class, 300, 0)
	propose := func(from replica.PeerID, field int, v int64) {
		draft := author.Begin(nil)
		draft.Int(field, v)
		body, err := author.End()
		if err != nil {
			fmt.Println(err)
			return
		}
		err = s.Receive(from, 0, body, emit)
		var reason authority.Reason
		fmt.Println(from, "field", field, v, errors.As(err, &reason), reason.String(), "emote", e.State().Int(0))
	}
	propose(anna, 0, 3)
	propose(bert, 0, 4)
	propose(anna, 0, 12)
	propose(anna, 1, 99)
	stats := s.Stats()
	fmt.Println(stats.Of(authority.Accepted), "accepted,", stats.Rejected(), "rejected")
	// Output:
	//   to 2: kind 13, 26 bytes
	// 1 field 0 3 false accepted emote 3
	// 2 field 0 4 true not_owner emote 3
	// 1 field 0 12 true bounds emote 3
	// 1 field 1 99 true server_only_field emote 3
	// 1 accepted, 3 rejected
}

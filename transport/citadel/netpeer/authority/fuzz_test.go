package authority_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A fuzzed conversation is messages: a byte that says what it is, a byte that is the length, and as many bytes.
const (
	fuzzPropose = iota
	fuzzValidate
	fuzzApply
	fuzzAck
	fuzzTransfer
	fuzzRespawn
	fuzzRejoin
	fuzzOps
)

func message(op byte, body []byte) []byte { return append([]byte{op, byte(len(body))}, body...) }

func fuzzSeeds(t testing.TB) map[string][]byte {
	put := func(result uint64, fields func(*netpeer.Encoder)) []byte {
		return forge(t, unitClass, full(1, result), fields)
	}
	bag := func(d netpeer.CollectionDelta) func(*netpeer.Encoder) {
		return func(e *netpeer.Encoder) { e.Collection(fieldBag, &d) }
	}
	delta := forge(t, unitClass, netpeer.Header{Object: 1, Result: 3, Base: 2}, health(10))
	add := put(2, bag(netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 1, 0, 1, 5)}}))
	change := put(4, bag(netpeer.CollectionDelta{Changed: []netpeer.Element{item(t, 1, 0, 2, 6)}}))
	remove := put(5, bag(netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: 1}}}))
	seed := func(messages ...[]byte) (data []byte) {
		for _, m := range messages {
			data = append(data, m...)
		}
		return data
	}
	return map[string][]byte{
		"accepted":   seed(message(fuzzPropose, put(1, health(5))), message(fuzzPropose, add), message(fuzzPropose, delta), message(fuzzPropose, change), message(fuzzPropose, remove)),
		"overtaken":  seed(message(fuzzValidate, put(1, health(5))), message(fuzzTransfer, nil), message(fuzzApply, nil)),
		"respawned":  seed(message(fuzzValidate, add), message(fuzzRespawn, nil), message(fuzzApply, nil), message(fuzzPropose, delta)),
		"stranger":   seed(message(fuzzPropose, forge(t, unitClass, full(2, 1), health(5))), message(fuzzPropose, forge(t, unitClass, full(3, 1), health(5)))),
		"bad_values": seed(message(fuzzPropose, put(1, health(150))), message(fuzzPropose, put(1, func(e *netpeer.Encoder) { e.Scalar(fieldEmote, 3) }))),
		"replayed":   seed(message(fuzzPropose, put(1, health(5))), message(fuzzRejoin, nil), message(fuzzPropose, put(1, health(6)))),
		"acks":       seed(message(fuzzAck, []byte{1, 0, 0, 0, 1, 1, 0, 0, 0, 0}), message(fuzzPropose, put(1, health(5)))),
	}
}

// Whatever a client sends, only its own objects change, every value stays within its bounds, what goes to others are
// bunches that a receiver applies, and a rejected proposal changes and sends nothing.
func FuzzAuthority(f *testing.F) {
	for _, data := range fuzzSeeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := authority.NewServer(authority.Config{})
		require.NoError(t, s.Register(unitClass))
		s.Join(alice, 1, false)
		s.Join(bob, 1, false)
		for id, owner := range map[uint32]replica.PeerID{1: alice, 2: bob, 4: replica.Nobody} {
			_, err := s.Spawn(authority.Spec{Object: id, Class: 42, Match: 1, Owner: owner})
			require.NoError(t, err)
		}
		r := replica.NewReceiver(0, unitClass)
		emitted := 0
		emit := func(to replica.PeerID, kind wire.Kind, body []byte) {
			emitted++
			if to != bob || kind != wire.KindRepDelta {
				t.Fatal("to whom is this?")
			}
			if _, err := r.Apply(body); err != nil {
				t.Fatal(err)
			}
		}
		var held authority.Proposal
		now := uint64(0)
		for len(data) >= 2 {
			op, n := data[0]%fuzzOps, min(int(data[1]), len(data)-2)
			body := data[2 : 2+n]
			data = data[2+n:]
			now += 10
			e := s.Entity(1)
			version, sent := e.State().Version(), emitted
			var err error
			switch op {
			case fuzzPropose:
				err = s.Receive(alice, now, body, emit)
			case fuzzValidate:
				if err = s.Validate(alice, now, body, &held); err == nil && e.State().Version() != version {
					t.Fatal("validating has changed something")
				}
			case fuzzApply:
				err = s.Apply(&held, emit)
			case fuzzAck:
				_ = s.Ack(alice, body)
			case fuzzTransfer:
				_, err = s.SetOwner(1, alice)
			case fuzzRespawn:
				_, err = s.Spawn(authority.Spec{Object: 1, Class: 42, Match: 1, Owner: alice})
				e = s.Entity(1)
				version = e.State().Version()
			case fuzzRejoin:
				s.Join(alice, 1, false)
			}
			if ack, _ := r.AppendAcks(nil); len(ack) > 0 && s.Ack(bob, ack) != nil {
				t.Fatal("acknowledgement was not understood")
			}
			if err != nil && (e.State().Version() != version || emitted != sent) {
				t.Fatal("a rejected proposal has an effect")
			}
			inBounds(t, e.State())
		}
		for _, id := range []uint32{2, 4} {
			if s.Entity(id).State().Version() != 0 {
				t.Fatal("another's object has changed")
			}
		}
	})
}

func inBounds(t *testing.T, st *replica.State) {
	if n := st.Int(fieldHealth); n < 0 || n > 100 {
		t.Fatal("health", n)
	}
	if x := st.Scalar(fieldEmote); !(x >= 0 && x <= 1) {
		t.Fatal("emote", x)
	}
	if n := len(st.Bytes(fieldName)); n > 8 {
		t.Fatal("name", n)
	}
	for i := fieldScore; i < st.Class().Len(); i++ {
		if st.Has(i) && i != fieldNotes || len(st.Items(fieldNotes)) > 0 {
			t.Fatal("field of the server", i)
		}
	}
	list := st.Items(fieldBag)
	if len(list) > 6 {
		t.Fatal("bag", len(list))
	}
	for i := 1; i < len(list); i++ {
		if list[i-1].ID.Index >= list[i].ID.Index {
			t.Fatal("two elements in a slot")
		}
	}
}

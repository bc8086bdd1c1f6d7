package replica_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// pieces cuts fuzz data into bodies: a byte that is the length, and as many bytes.
func pieces(data []byte) (bodies [][]byte) {
	for len(data) > 0 {
		n := min(int(data[0]), len(data)-1)
		bodies = append(bodies, data[1:1+n])
		data = data[1+n:]
	}
	return bodies
}

func join(bodies ...[]byte) (data []byte) {
	for _, b := range bodies {
		data = append(append(data, byte(len(b))), b...)
	}
	return data
}

// conversations are what a sender sends, as seeds.
func conversations(t testing.TB) map[string][]byte {
	s := replica.NewSender(replica.Config{Resend: 1})
	e, err := s.Spawn(object, unitClass, 0, 1)
	require.NoError(t, err)
	s.Join(2, 0)
	var bodies [][]byte
	next := func() {
		s.Advance()
		require.NoError(t, s.Send(2, func(_ uint32, b []byte) error {
			bodies = append(bodies, append([]byte(nil), b...))
			return nil
		}))
	}
	ack := func(latest uint64) {
		body, err := netpeer.AppendAcks(nil, []netpeer.AckEntry{{Object: object, Result: latest}})
		require.NoError(t, err)
		_, err = s.Ack(2, body)
		require.NoError(t, err)
	}
	item := func(index, generation uint32, key uint64) {
		v, err := unitClass.Schema().Field(fieldBag).Item().Int(int64(key))
		require.NoError(t, err)
		e := netpeer.Element{ID: netpeer.ElementID{Index: index, Generation: generation}, Key: key, Value: v}
		require.NoError(t, s.Entity(object).State().PutItem(fieldBag, e))
	}
	require.NoError(t, e.State().SetBytes(fieldName, []byte("anna")))
	item(1, 0, 1)
	next()
	ack(1)
	require.NoError(t, e.State().SetInt(fieldHealth, 5))
	item(2, 0, 1)
	next()
	require.NoError(t, e.State().RemoveItem(fieldBag, netpeer.ElementID{Index: 1}))
	item(1, 1, 1)
	next()
	ack(3)
	item(2, 0, 2)
	next()
	require.NoError(t, s.ForceFull(2, object))
	next()
	return map[string][]byte{
		"in_order":     join(bodies...),
		"out_of_order": join(bodies[0], bodies[2], bodies[1], bodies[4], bodies[3]),
		"no_base":      join(bodies[1], bodies[2]),
		"again":        join(bodies[0], bodies[0], bodies[1], bodies[1]),
		"cut":          join(bodies[0], bodies[1][:len(bodies[1])-1], bodies[2]),
		"nothing":      {},
	}
}

// Whatever arrives, a receiver applies all of a bunch or nothing, and only what goes forward; and what it shows can
// be encoded again.
func FuzzReceiver(f *testing.F) {
	for _, data := range conversations(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := replica.NewReceiver(4, unitClass)
		r.LimitMemory(8192)
		last := make(map[uint32]uint64)
		for _, body := range pieces(data) {
			h, _ := netpeer.PeekHeader(body)
			var version uint64
			if st := r.State(h.Object); st != nil {
				version = st.Version()
			}
			u, err := r.Apply(body)
			if m := r.Memory(); m != r.Recount() || m > 8192 {
				t.Fatal("memory is not what it should be")
			}
			if err != nil {
				if st := r.State(h.Object); st != nil && st.Version() != version {
					t.Fatal("a refused bunch has changed something")
				}
				continue
			}
			if h.Result <= last[h.Object] {
				t.Fatal("went back")
			}
			last[h.Object] = h.Result
			b := netpeer.Bunch{Header: netpeer.Header{Object: u.Object, Full: true, Result: 1}}
			for i := range unitClass.Len() {
				if v := u.State.Value(i); v.Kind() != netpeer.KindNone {
					b.Changes = append(b.Changes, netpeer.Change{Field: i, Value: v})
				}
			}
			if _, err := unitClass.Schema().AppendBunch(nil, &b); err != nil {
				t.Fatal(err)
			}
		}
		ack, err := r.AppendAcks(nil)
		if err != nil {
			t.Fatal(err)
		}
		var entries []netpeer.AckEntry
		if len(ack) > 0 && netpeer.ParseAcks(ack, &entries) != nil {
			t.Fatal("not an acknowledgement")
		}
		for _, e := range entries {
			if last[e.Object] != e.Result {
				t.Fatal("acknowledges what was not applied")
			}
		}
	})
}

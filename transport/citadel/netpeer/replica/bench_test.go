package replica_test

import (
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// BenchmarkTick is a tick of a server: 1,000 objects, all relevant to 64 receivers, of which 50 change two fields, an
// integer and a vector, or also a number, a byte string and 8 of 16 elements. Acknowledgements, which take part in the
// time, arrive one tick later.
func BenchmarkTick(b *testing.B) {
	for _, fields := range []int{2, 5} {
		for _, unshared := range []bool{false, true} {
			payloads := "shared"
			if unshared {
				payloads = "unshared"
			}
			b.Run(fmt.Sprintf("fields=%d/%s", fields, payloads), func(b *testing.B) { benchmarkTick(b, unshared, fields) })
		}
	}
}

func benchmarkTick(b *testing.B, unshared bool, fields int) {
	const objects, receivers = 1000, 64
	s := replica.NewSender(replica.Config{Unshared: unshared})
	entities := make([]*replica.Entity, objects)
	units := make([]*unit, objects)
	items := make([][]netpeer.ElementID, objects)
	for i := range objects {
		e, err := s.Spawn(uint32(i), unitClass, 0, replica.Nobody)
		if err != nil {
			b.Fatal(err)
		}
		entities[i], units[i] = e, newUnit()
		units[i].name = "unit"
		for range 16 {
			items[i] = append(items[i], units[i].bag.Add(1))
		}
	}
	for r := range replica.PeerID(receivers) {
		s.Join(r+1, 0)
	}
	names := [...]string{"anna", "bertold"}
	var acks [receivers][2][]byte // by the tick in which they arrive
	var entries []netpeer.AckEntry
	bytes, bunches := 0, 0
	collect := func(object uint32, body []byte) error {
		h, err := netpeer.PeekHeader(body)
		entries = append(entries, netpeer.AckEntry{Object: object, Result: h.Result})
		bytes += len(body)
		bunches++
		return err
	}
	tick := func(n int) {
		s.Advance()
		for i := range objects / 20 {
			at := (n*objects/20 + i*7) % objects
			units[at].setHealth(int16((n + i) % 100))
			units[at].setPosition([3]float32{float32(n % 900), float32(i), 3})
			if fields > 2 {
				units[at].setSpeed(float32(n % 10))
				units[at].setName(names[n/20%2]) // an object comes up every 20 ticks
				for _, id := range items[at][:8] {
					units[at].bag.Set(id, int32(n%1000))
				}
			}
			if err := entities[at].Capture(units[at]); err != nil {
				b.Fatal(err)
			}
		}
		for r := range receivers {
			if ack := acks[r][n%2]; len(ack) > 0 {
				if _, err := s.Ack(replica.PeerID(r+1), ack); err != nil {
					b.Fatal(err)
				}
			}
			entries = entries[:0]
			if err := s.Send(replica.PeerID(r+1), collect); err != nil {
				b.Fatal(err)
			}
			slot := &acks[r][(n+1)%2]
			var err error
			if *slot, err = netpeer.AppendAcks((*slot)[:0], entries); err != nil {
				b.Fatal(err)
			}
		}
	}
	n := 0
	for ; n < 100; n++ {
		tick(n)
	}
	bytes, bunches = 0, 0
	b.ReportAllocs()
	for b.Loop() {
		tick(n)
		n++
	}
	b.ReportMetric(float64(bunches)/float64(b.N), "bunches/op")
	b.ReportMetric(float64(bytes)/float64(bunches), "B/bunch")
}

// BenchmarkFieldSize says how many bytes a changed field takes in a difference, alone and among all those of the
// first seven fields, against the size of the Go values.
func BenchmarkFieldSize(b *testing.B) {
	raw := []int{1, 8, 4, 12, 16, 16, 16} // bool, int64, float32, [3]float32, [4]float32, bytes of that length, id and int64
	set := func(s *replica.State, i, n int) error {
		switch i {
		case fieldAlive:
			return s.SetBool(i, n%2 == 0)
		case fieldHealth:
			return s.SetInt(i, int64(n))
		case fieldSpeed:
			return s.SetScalar(i, float32(n))
		case fieldPosition:
			return s.SetVector(i, [3]float32{float32(n), float32(n), float32(n)})
		case fieldLook:
			return s.SetQuat(i, [4]float32{float32(n), 0, 0, 1})
		case fieldName:
			return s.SetBytes(i, fmt.Appendf(nil, "name number %04d", n))
		}
		v, err := unitClass.Schema().Field(i).Item().Int(int64(n))
		if err != nil {
			return err
		}
		return s.PutItem(i, netpeer.Element{Key: uint64(n), Value: v})
	}
	measure := func(b *testing.B, fields []int) {
		s := replica.NewSender(replica.Config{})
		e, err := s.Spawn(7, unitClass, 0, replica.Nobody)
		if err != nil {
			b.Fatal(err)
		}
		s.Join(1, 0)
		var body []byte
		size, head, whole, n := 0, 0, 0, 0
		step := func() {
			n++
			for _, i := range fields {
				if err := set(e.State(), i, 1+n%8); err != nil {
					b.Fatal(err)
				}
			}
			var h netpeer.Header
			if body, h, err = s.AppendBunch(body[:0], 1, 7, replica.Observer); err != nil {
				b.Fatal(err)
			}
			ack, err := netpeer.AppendAcks(nil, []netpeer.AckEntry{{Object: 7, Result: h.Result}})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Ack(1, ack); err != nil {
				b.Fatal(err)
			}
			tokens := bitpack.AppendVarint(bitpack.AppendVarint(nil, h.Result), h.Base)
			size, head = 8*len(body), 33+8*len(tokens)+unitClass.Len()
		}
		for range 20 {
			step()
		}
		for b.Loop() {
			step()
		}
		for _, i := range fields {
			whole += raw[i]
		}
		b.ReportMetric(float64(size)/8, "B/bunch")
		b.ReportMetric(float64(size-head)/8/float64(len(fields)), "B/field") // with the padding
		b.ReportMetric(float64(whole)/float64(len(fields)), "rawB/field")
	}
	for i := range raw {
		kind := unitClass.Schema().Field(i)
		b.Run(kind.Kind().String(), func(b *testing.B) { measure(b, []int{i}) })
	}
	b.Run("all", func(b *testing.B) { measure(b, []int{0, 1, 2, 3, 4, 5, 6}) })
}

// BenchmarkApply is a receiver that applies a difference of two numbers.
func BenchmarkApply(b *testing.B) {
	s := replica.NewSender(replica.Config{})
	e, err := s.Spawn(7, unitClass, 0, replica.Nobody)
	if err != nil {
		b.Fatal(err)
	}
	s.Join(1, 0)
	r := replica.NewReceiver(0, unitClass)
	var body, ack []byte
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		if err := e.State().SetInt(fieldHealth, int64(n%100)); err != nil {
			b.Fatal(err)
		}
		if err := e.State().SetScalar(fieldSpeed, float32(n%10)); err != nil {
			b.Fatal(err)
		}
		if body, _, err = s.AppendBunch(body[:0], 1, 7, replica.Observer); err != nil {
			b.Fatal(err)
		}
		if _, err = r.Apply(body); err != nil {
			b.Fatal(err)
		}
		if ack, err = r.AppendAcks(ack[:0]); err != nil {
			b.Fatal(err)
		}
		if _, err = s.Ack(1, ack); err != nil {
			b.Fatal(err)
		}
	}
}

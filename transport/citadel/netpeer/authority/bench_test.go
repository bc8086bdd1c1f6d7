package authority_test

import (
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func benchServer(b *testing.B, peers int) *authority.Server {
	s := authority.NewServer(authority.Config{Limits: authority.Limits{
		BunchesPerSecond: 1e12, BytesPerSecond: 1e15, FieldsPerSecond: 1e12, ItemsPerSecond: 1e12,
	}})
	if err := s.Register(unitClass); err != nil {
		b.Fatal(err)
	}
	if _, err := s.Spawn(authority.Spec{Object: 1, Class: 42, Match: 1, Owner: alice}); err != nil {
		b.Fatal(err)
	}
	for i := range peers {
		s.Join(alice+replica.PeerID(i), 1, false)
	}
	return s
}

// BenchmarkReceive is a proposal of three fields that is applied and goes to so many peers, who acknowledge it.
func BenchmarkReceive(b *testing.B) {
	for _, peers := range []int{0, 15, 63} {
		b.Run(fmt.Sprintf("peers=%d", peers), func(b *testing.B) {
			s := benchServer(b, peers+1)
			var e netpeer.Encoder
			var body []byte
			acks := make([]netpeer.AckEntry, 0, peers)
			to := make([]replica.PeerID, 0, peers)
			var ack []byte
			emit := func(id replica.PeerID, _ wire.Kind, body []byte) {
				h, _ := netpeer.PeekHeader(body)
				acks = append(acks, netpeer.AckEntry{Object: 1, Result: h.Result})
				to = append(to, id)
			}
			n := uint64(0)
			step := func() {
				n++
				h := netpeer.Header{Object: 1, Full: n == 1, Result: n}
				if !h.Full {
					h.Base = n - 1
				}
				e.Begin(body[:0], unitClass.Schema(), h)
				e.Bool(fieldAlive, n%2 == 0)
				e.Int(fieldHealth, int64(n%100))
				e.Vector(fieldAim, [3]float32{float32(n % 50), 1, 2})
				var err error
				if body, err = e.End(); err != nil {
					b.Fatal(err)
				}
				if err := s.Receive(alice, n, body, emit); err != nil {
					b.Fatal(err)
				}
				for i := range acks {
					if ack, err = netpeer.AppendAcks(ack[:0], acks[i:i+1]); err != nil {
						b.Fatal(err)
					}
					if err := s.Ack(to[i], ack); err != nil {
						b.Fatal(err)
					}
				}
				acks, to = acks[:0], to[:0]
			}
			for range 200 {
				step()
			}
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

// BenchmarkReject is proposals that fail at the first check after the object is known, and at the values.
func BenchmarkReject(b *testing.B) {
	for _, c := range []struct {
		name   string
		from   replica.PeerID
		fields func(*netpeer.Encoder)
	}{{"owner", bob, health(1)}, {"bounds", alice, health(150)}} {
		b.Run(c.name, func(b *testing.B) {
			s := benchServer(b, 2)
			body := forge(b, unitClass, full(1, 1), c.fields)
			b.ReportAllocs()
			for b.Loop() {
				if s.Receive(c.from, 1, body, nil) == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}

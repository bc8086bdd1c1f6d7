package netpeer_test

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// The same object by each path. "hand" is a codec written for the one class on package bitpack.
func BenchmarkEncode(b *testing.B) {
	for _, c := range []struct {
		name   string
		header netpeer.Header
	}{{"full", fullHeader}, {"delta", deltaHeader}} {
		s := sampleState()
		bunch := s.bunch(c.header)
		dst := make([]byte, 0, 256)
		run := func(name string, encode func() ([]byte, error)) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := encode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("hand", func() ([]byte, error) { return s.encodeByHand(dst[:0], c.header) })
		var e netpeer.Encoder
		run("encoder", func() ([]byte, error) { return s.encode(&e, dst[:0], c.header) })
		run("values", func() ([]byte, error) { return avatar.AppendBunch(dst[:0], bunch) })
		var arena []byte
		prepared := make([]netpeer.Prepared, len(bunch.Changes))
		for i := range bunch.Changes {
			var err error
			arena, prepared[i], err = avatar.Prepare(arena, bunch.Changes[i].Field, &bunch.Changes[i].Value)
			if err != nil {
				b.Fatal(err)
			}
		}
		run("prepared", func() ([]byte, error) { return avatar.AppendPrepared(dst[:0], c.header, prepared) })
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name   string
		header netpeer.Header
	}{{"full", fullHeader}, {"delta", deltaHeader}} {
		body := must(avatar.AppendBunch(nil, sampleState().bunch(c.header)))
		run := func(name string, decode func() error) {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := decode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		var s state
		run("hand", func() error { _, err := s.decodeByHand(body); return err })
		var d netpeer.Decoder
		run("decoder", func() error {
			d.Budget = netpeer.Budget{}
			return s.decode(&d, body)
		})
		var bunch netpeer.Bunch
		run("values", func() error { return netpeer.ParseBunch(body, avatar, nil, &bunch) })
		run("peek", func() error { _, err := netpeer.PeekHeader(body); return err })
	}
}

package registry_test

import (
	"strconv"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// Encoding and decoding through a handle, beside calling the methods that it ends up calling.
func BenchmarkPayload(b *testing.B) {
	r := registry.New()
	move := mustRegister(b, r, moveID, registry.Options[Move]{})
	say := mustRegister(b, r, 7, registry.Options[Say]{Codec: sayCodec})
	buf := make([]byte, 0, 64)
	payload := []byte{1, 0, 2, 0}
	m, s := &Move{X: 1, Y: 2}, &Say{Text: "hello"}

	b.Run("encode/direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.AppendBinary(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode/methods", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := move.AppendPayload(buf, m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode/codec", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := say.AppendPayload(buf, s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode/direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := m.UnmarshalBinary(payload); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode/methods", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := move.DecodePayload(m, payload); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Looking up an id, beside doing so in a map. Each round asks for another id.
func BenchmarkLookup(b *testing.B) {
	for _, n := range []int{4, 12} {
		r := registry.New()
		byMap := map[netcode.TypeID]*registry.Info{}
		var ids []netcode.TypeID
		for i, register := range tags[:n] {
			id := registry.HashName(strconv.Itoa(i))
			must(b, register(r, id, false))
			byMap[id] = &registry.Info{ID: id}
			ids = append(ids, id)
		}
		b.Run(strconv.Itoa(n)+"/map", func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, ok := byMap[ids[i]]; !ok {
					b.Fatal(i)
				}
				if i++; i == n {
					i = 0
				}
			}
		})
		b.Run(strconv.Itoa(n)+"/registry", func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, ok := r.Lookup(ids[i]); !ok {
					b.Fatal(i)
				}
				if i++; i == n {
					i = 0
				}
			}
		})
		b.Run(strconv.Itoa(n)+"/unknown", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := r.Lookup(12345); ok {
					b.Fatal("found")
				}
			}
		})
	}
}

func BenchmarkDispatch(b *testing.B) {
	move := mustRegister(b, registry.New(), moveID, registry.Options[Move]{})
	var d registry.Dispatcher[int]
	must(b, registry.On(&d, move, func(c netcode.Command[Move]) int { return int(c.Payload.X) }))
	payload := []byte{1, 0, 2, 0}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := d.Dispatch(netcode.Header{Type: moveID}, payload); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	r := registry.New()
	for i, register := range tags {
		must(b, register(r, registry.HashName(strconv.Itoa(i)), false))
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Digest()
	}
}

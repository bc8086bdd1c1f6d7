package schema_test

import (
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

func BenchmarkLayoutHash(b *testing.B) {
	for _, n := range []int{8, 64, schema.MaxFields} {
		b.Run(fmt.Sprintf("%d properties", n), func(b *testing.B) {
			l := schema.Layout{Version: 1}
			for i := range n {
				l.Properties = append(l.Properties, schema.Property{
					Name: fmt.Sprintf("property%d", i), Type: schema.Int, Bounds: schema.IntRange(0, 100),
				})
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Hash(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLookup(b *testing.B) {
	h, err := schema.NewHistory(0, grown(8, 8), grown(7, 7), grown(5, 6), grown(2, 2))
	if err != nil {
		b.Fatal(err)
	}
	for i := range h.Len() {
		b.Run(fmt.Sprintf("version %d", h.Layout(i).Version), func(b *testing.B) {
			id := h.Identity(i)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := h.Index(id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

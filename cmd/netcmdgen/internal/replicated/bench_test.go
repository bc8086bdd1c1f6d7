package replicated

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

var (
	fullHeader  = netpeer.Header{Object: 42, Full: true, Result: 9}
	deltaHeader = netpeer.Header{Object: 42, Result: 10, Base: 9}
)

// The cases that are measured: all of an avatar, as a full bunch and as a difference, and what usually changes.
var cases = []struct {
	name   string
	header netpeer.Header
	set    uint64
}{
	{"full", fullHeader, all},
	{"difference", deltaHeader, all},
	{"moved", deltaHeader, 1<<AvatarHealthField | 1<<AvatarPositionField | 1<<AvatarRotationField},
}

// sampleChanges has something in each field.
func sampleChanges(set uint64) *AvatarChanges {
	slot := func(n int64) netpeer.Value {
		v, err := handSlot.Int(n)
		if err != nil {
			panic(err)
		}
		return v
	}
	return &AvatarChanges{
		Set: [1]uint64{set}, Alive: true, Health: 7, Heat: 36.6,
		Position: [3]float32{1, -2.5, 99}, Rotation: [4]float32{0, 0.6, 0, 0.8}, Name: []byte("ariadne"),
		Slots: netpeer.CollectionDelta{
			Removed: []netpeer.ElementID{{Index: 3, Generation: 1}},
			Added:   []netpeer.Element{{ID: netpeer.ElementID{Index: 3, Generation: 2}, Key: 1, Value: slot(50)}},
			Changed: []netpeer.Element{{ID: netpeer.ElementID{Index: 5, Generation: 1}, Key: 9, Value: slot(99)}},
		},
	}
}

// BenchmarkEncode writes the same bunch with the generated code and by hand.
func BenchmarkEncode(b *testing.B) {
	wire := AvatarClass().Schema()
	for _, c := range cases {
		changes, dst := sampleChanges(c.set), make([]byte, 0, 256)
		b.Run(c.name+"/generated", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := changes.AppendBunch(dst, wire, c.header); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/hand", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := appendByHand(dst, changes, c.header); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecode reads the same bunch with the generated code and by hand.
func BenchmarkDecode(b *testing.B) {
	wire := AvatarClass().Schema()
	for _, c := range cases {
		body, err := appendByHand(nil, sampleChanges(c.set), c.header)
		if err != nil {
			b.Fatal(err)
		}
		var changes AvatarChanges
		b.Run(c.name+"/generated", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := changes.ParseBunch(body, wire, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/hand", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseByHand(body, &changes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReplica measures what an object that moves costs a tick, apart from the bunches: its codes are written into
// a state, and taken from one.
func BenchmarkReplica(b *testing.B) {
	var r, copied AvatarReplica
	s, fields := replica.NewState(AvatarClass()), replica.NewFields(AvatarClass().Len())
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r.SetPosition([3]float32{float32(i % 100), 1, 2})
			r.SetHealth(int64(i % 10))
			fields.Clear()
			r.TakeDirty(fields)
			if err := r.WriteReplica(s, fields); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		fields.Clear()
		fields.Add(AvatarPositionField)
		fields.Add(AvatarHealthField)
		for b.Loop() {
			copied.ReadReplica(s, fields)
		}
	})
}

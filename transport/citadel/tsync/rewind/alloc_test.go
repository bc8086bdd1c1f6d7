package rewind_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// field is 256 objects with a second of history.
type field struct {
	buffers [256]rewind.Buffer
	targets []rewind.Target
	limits  rewind.Limits
	shape   rewind.Shape
	tick    uint64
}

func newField(shape rewind.Shape) *field {
	f := &field{limits: rewind.DefaultLimits(60), shape: shape}
	for i := range f.buffers {
		f.buffers[i] = rewind.MakeBuffer(60)
	}
	for range 100 {
		f.record()
	}
	return f
}

func (f *field) record() {
	f.tick++
	for i := range f.buffers {
		s := at(float32(i)*100 + float32(f.tick%60))
		s.Position[1] = 500 + float32(i)
		f.buffers[i].Record(f.tick, s)
	}
}

func (f *field) shoot() (rewind.Hit, bool) {
	tick, _ := f.limits.Target(f.tick, rewind.Lag{OneWay: 2.3, Interpolation: 7.5, RTT: 80})
	f.targets = f.targets[:0]
	for i := range f.buffers {
		var s tsync.State
		if f.buffers[i].Sample(tick, &s) {
			f.targets = append(f.targets, f.shape.At(uint32(i), &s))
		}
	}
	return rewind.NearestExcept(rewind.Shot{Origin: [3]float32{-200, 510, 0}, Direction: [3]float32{1, 0, 0}}, f.targets, 300)
}

func TestNothingAllocates(t *testing.T) {
	f := newField(rewind.Shape{Radius: 34, HalfLength: 54})
	f.shoot()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		f.record()
		_, ok := f.shoot()
		require.True(t, ok)
	}))
}

func BenchmarkRecord256(b *testing.B) {
	b.ReportAllocs()
	f := newField(rewind.Shape{Radius: 50})
	for b.Loop() {
		f.record()
	}
}

func BenchmarkShootSpheres256(b *testing.B) {
	b.ReportAllocs()
	f := newField(rewind.Shape{Radius: 50})
	for b.Loop() {
		f.shoot()
	}
}

func BenchmarkShootCapsules256(b *testing.B) {
	b.ReportAllocs()
	f := newField(rewind.Shape{Radius: 34, HalfLength: 54})
	for b.Loop() {
		f.shoot()
	}
}

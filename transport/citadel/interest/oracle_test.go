package interest_test

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
)

// oracle is a grid without cells' lists: it looks at every object every time.
type oracle struct {
	size float32
	at   map[uint64][3]float32
}

func (o *oracle) cell(v float32) int64 {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return 0
	}
	q := float32(v / o.size)
	switch {
	case q < -1<<31:
		return -1 << 31
	case q >= 1<<31:
		return 1<<31 - 1
	}
	c := int64(q)
	if float32(c) > q {
		c--
	}
	return c
}

func (o *oracle) candidates(from [3]float32) []uint64 {
	var ids []uint64
	for id, p := range o.at {
		dx, dy := o.cell(p[0])-o.cell(from[0]), o.cell(p[1])-o.cell(from[1])
		if -1 <= dx && dx <= 1 && -1 <= dy && dy <= 1 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func distance2(a, b [3]float32) float64 {
	sum := 0.0
	for axis := range a {
		d := float64(a[axis]) - float64(b[axis])
		d *= d
		sum += d
	}
	return sum
}

// oracleView is a view as a set.
type oracleView map[uint64]bool

func (v oracleView) update(o *oracle, at [3]float32, enter, leave float32) (entered, exited []uint64) {
	inner, outer := float64(min(enter, leave)), float64(max(enter, leave))
	if enter != enter || leave != leave {
		inner, outer = float64(enter), float64(leave)
	}
	// Not min and max of zero: they would make a number of what is none.
	if inner < 0 {
		inner = 0
	}
	if outer < 0 {
		outer = 0
	}
	for id := range v {
		if p, ok := o.at[id]; !ok || distance2(p, at) > outer*outer {
			exited = append(exited, id)
			delete(v, id)
		}
	}
	for _, id := range o.candidates(at) {
		if !v[id] && distance2(o.at[id], at) <= inner*inner {
			entered = append(entered, id)
			v[id] = true
		}
	}
	slices.Sort(exited)
	return entered, exited
}

// script is where the operations of a run and their operands come from; when it is used up it gives zeros.
type script []byte

func (s *script) byte() byte {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b
}

// special are numbers at which something may go wrong.
var special = []float32{
	0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -1e-45, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32, 1 << 31, -1 << 31,
	2147483520, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)),
}

// float is mostly a number of a few cells, else a special one or any bits.
func (s *script) float() float32 {
	switch b := s.byte(); {
	case b < 224:
		return float32(int8(s.byte()))/16 + float32(b)/1024
	case b < 248:
		return special[int(b)%len(special)]
	default:
		return math.Float32frombits(binary.LittleEndian.Uint32([]byte{s.byte(), s.byte(), s.byte(), s.byte()}))
	}
}

func (s *script) position() [3]float32 { return [3]float32{s.float(), s.float(), s.float()} }

// run does what the script says with a grid of each kind and with the oracle.
func run[T interest.ID](t *testing.T, s script) {
	size := s.float()
	if s.byte()%4 > 0 {
		size = 1 // most of the positions are made for that
	}
	grid := interest.NewGrid[T](size)
	o := oracle{size: grid.CellSize(), at: map[uint64][3]float32{}}
	var views [3]interest.View[T]
	sets := [3]oracleView{{}, {}, {}}
	ids := []uint64{0, 1, 2, 3, 1<<32 - 1, 1<<64 - 1, 1<<63 + 5, 77, 78, 79, 1 << 20, 1 << 21, 1 << 22}

	for len(s) > 0 {
		op := s.byte()
		id := uint64(T(ids[int(s.byte())%len(ids)]))
		switch {
		case op < 130:
			p := s.position()
			grid.Move(T(id), p)
			o.at[id] = p
			if want := (interest.Cell{X: int32(o.cell(p[0])), Y: int32(o.cell(p[1]))}); grid.Cell(p) != want {
				t.Fatalf("cell of %v: got %v, want %v", p, grid.Cell(p), want)
			}
		case op < 160:
			if _, there := o.at[id]; grid.Remove(T(id)) != there {
				t.Fatalf("object %d was there: %t", id, there)
			}
			delete(o.at, id)
		case op < 175:
			p := s.position()
			requireSame(t, o.candidates(p), grid.Candidates(nil, p))
		case op < 180:
			n := int(op) % len(views)
			requireSame(t, slices.Sorted(maps.Keys(sets[n])), views[n].Reset(nil))
			clear(sets[n])
		default:
			n := int(op) % len(views)
			p, enter, leave := s.position(), 4*s.float(), 4*s.float()
			entered, exited := views[n].Update(grid, p, interest.Radius{Enter: enter, Leave: leave}, []T{99}, []T{98})
			wantIn, wantOut := sets[n].update(&o, p, enter, leave)
			requireSame(t, append([]uint64{99}, wantIn...), entered)
			requireSame(t, append([]uint64{98}, wantOut...), exited)
			requireSame(t, slices.Sorted(maps.Keys(sets[n])), views[n].IDs())
			if views[n].Len() != len(sets[n]) || views[n].Contains(T(id)) != sets[n][id] {
				t.Fatalf("view of %d has %d: %t", views[n].Len(), id, views[n].Contains(T(id)))
			}
		}
		want, there := o.at[id]
		got, ok := grid.Position(T(id))
		if ok != there || !sameBits(got, want) || grid.Len() != len(o.at) {
			t.Fatalf("object %d of %d: got %v, %t; want %v, %t of %d", id, grid.Len(), got, ok, want, there, len(o.at))
		}
	}
}

func sameBits(a, b [3]float32) bool {
	for axis := range a {
		if math.Float32bits(a[axis]) != math.Float32bits(b[axis]) {
			return false
		}
	}
	return true
}

func requireSame[T interest.ID](t *testing.T, want []uint64, got []T) {
	t.Helper()
	if !slices.EqualFunc(want, got, func(a uint64, b T) bool { return a == uint64(b) }) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 40 {
		s := make(script, 3000)
		for i := range s {
			s[i] = byte(r.Uint32())
		}
		run[uint32](t, s)
		run[uint64](t, s)
	}
}

func FuzzInterest(f *testing.F) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 3 {
		s := make([]byte, 200)
		for i := range s {
			s[i] = byte(r.Uint32())
		}
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 2000 {
			return
		}
		run[uint32](t, b)
		run[uint64](t, b)
	})
}

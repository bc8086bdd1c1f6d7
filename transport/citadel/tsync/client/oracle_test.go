package client_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

// life is an object of the model.
type life struct {
	gen   uint16
	state tsync.State
}

// model does to maps what a view does to lists, rule by rule.
type model struct {
	codec  *tsync.Codec
	states map[uint32]map[uint32]life // by snapshot
	order  []uint32
}

// apply returns the state that a snapshot makes.
func (m *model) apply(s *tsync.Snapshot) map[uint32]life {
	state := maps.Clone(m.states[s.Base])
	if state == nil {
		state = map[uint32]life{}
	}
	for _, id := range s.Removed {
		delete(state, id)
	}
	for i := range s.Updates {
		u := &s.Updates[i]
		l, held := state[u.Object]
		if !held || l.gen != u.Gen {
			if u.Fields&full != full {
				continue
			}
			l = life{gen: u.Gen}
		}
		var news tsync.State
		m.codec.Dequantize(&u.Codes, u.Fields, &news)
		if u.Fields&tsync.FieldPosition != 0 {
			l.state.Position = news.Position
		}
		if u.Fields&tsync.FieldRotation != 0 {
			l.state.Rotation = news.Rotation
		}
		if u.Fields&tsync.FieldVelocity != 0 {
			l.state.Velocity = news.Velocity
		}
		state[u.Object] = l
	}
	m.states[s.ID] = state
	m.order = append(m.order, s.ID)
	if len(m.order) > client.RingSize {
		delete(m.states, m.order[0])
		m.order = m.order[1:]
	}
	return state
}

// Whatever order a server lists things in, and however often, the state is the one that comes of taking them one by
// one.
func TestReconstructionEqualsModel(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := defaultFeed(t)
		m := model{codec: f.codec, states: map[uint32]map[uint32]life{}}
		id, skipped := uint32(0), uint64(0)
		for range 200 {
			id += 1 + r.Uint32N(2)
			s := tsync.Snapshot{Tick: id, ID: id}
			if len(m.order) > 0 && r.IntN(8) > 0 {
				s.Base = m.order[r.IntN(len(m.order))]
			}
			for range r.IntN(6) {
				s.Removed = append(s.Removed, r.Uint32N(20))
			}
			for range r.IntN(20) {
				s.Updates = append(s.Updates, f.update(r.Uint32N(20), uint16(r.IntN(2)), tsync.Fields(r.IntN(8)), randomState(r)))
			}
			if seed%2 == 0 { // as servers list things
				slices.Sort(s.Removed)
				slices.SortStableFunc(s.Updates, func(a, b tsync.Update) int { return int(a.Object) - int(b.Object) })
			}
			f.must(s)
			want := m.apply(&s)
			require.Equal(t, slices.Sorted(maps.Keys(want)), append([]uint32(nil), ids(f.view)...))
			for o := range f.view.Objects() {
				require.Equal(t, want[o.ID], life{o.Gen, o.State})
				same, ok := f.view.Object(o.ID)
				require.True(t, ok)
				require.Equal(t, o, same)
				newest, ok := f.view.Sample(o.ID, float64(s.Tick))
				require.True(t, ok)
				require.Equal(t, o.State, newest)
			}
			poses := f.view.AppendPoses(nil, float64(id)-1.5)
			require.Len(t, poses, len(want))
			for _, p := range poses {
				alone, ok := f.view.Sample(p.Object, float64(id)-1.5)
				require.True(t, ok)
				require.Equal(t, client.Pose{Object: p.Object, Gen: want[p.Object].gen, State: alone}, p)
			}
			skipped = f.view.Stats().Skipped
		}
		require.NotZero(t, skipped)
	}
}

func randomState(r *rand.Rand) (s tsync.State) {
	for i := range 3 {
		s.Position[i] = r.Float32()*2000 - 1000
		s.Velocity[i] = r.Float32()*200 - 100
	}
	for i := range 4 {
		s.Rotation[i] = r.Float32()*2 - 1
	}
	return s
}

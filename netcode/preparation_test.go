package netcode_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/netcode"
)

type preparationState struct {
	NextID      vectors.U64 `json:"next_id"`
	RandomState vectors.U64 `json:"random_state"`
}

func (s preparationState) value() netcode.PreparationState {
	return netcode.PreparationState{NextID: uint64(s.NextID), RandomState: uint64(s.RandomState)}
}

type preparationTrace struct {
	Name    string           `json:"name"`
	Initial preparationState `json:"initial"`
	Ops     []preparationOp  `json:"ops"`
}

type preparationOp struct {
	Op     string            `json:"op"`
	On     string            `json:"on"`
	As     string            `json:"as"`
	Count  *uint32           `json:"count"`
	State  *preparationState `json:"state"`
	Expect struct {
		Value *vectors.U64      `json:"value"`
		Error string            `json:"error"`
		State *preparationState `json:"state"`
	} `json:"expect"`
}

// run applies op to the allocators of the trace and checks everything that it expects.
func (op preparationOp) run(t *testing.T, all map[string]*netcode.Preparation) {
	p := all[op.On]
	require.NotNil(t, p, "allocator %q", op.On)
	before := p.State()

	var (
		value uint64
		err   error
	)
	switch op.Op {
	case "next_id":
		value, err = p.NextID()
	case "reserve_ids":
		require.NotNil(t, op.Count)
		value, err = p.ReserveIDs(*op.Count)
	case "next_seed":
		value = p.NextSeed()
	case "capture":
		require.NotNil(t, op.Expect.State)
		require.Equal(t, op.Expect.State.value(), p.State())
		return
	case "restore":
		require.NotNil(t, op.State)
		p.Restore(op.State.value())
		require.Equal(t, op.State.value(), p.State())
		return
	case "fork":
		fork := p.Fork()
		all[op.As] = &fork
		require.Equal(t, before, fork.State())
		return
	default:
		t.Fatalf("unknown op %q", op.Op)
	}

	if op.Expect.Error != "" {
		want, ok := map[string]error{"argument": netcode.ErrNoIDs, "overflow": netcode.ErrIDsExhausted}[op.Expect.Error]
		require.True(t, ok, "unknown error %q", op.Expect.Error)
		require.ErrorIs(t, err, want)
		require.Equal(t, before, p.State(), "a refusal changes nothing")
		return
	}
	require.NoError(t, err)
	require.NotNil(t, op.Expect.Value)
	require.Equal(t, uint64(*op.Expect.Value), value)
}

func TestConformancePreparation(t *testing.T) {
	vectors.Each(t, "session", "preparation.json", func(t *testing.T, trace preparationTrace) {
		main := netcode.NewPreparation(trace.Initial.value())
		all := map[string]*netcode.Preparation{"main": &main}
		require.NotEmpty(t, trace.Ops)
		for i, op := range trace.Ops {
			if !t.Run(fmt.Sprintf("op%d_%s", i, op.Op), func(t *testing.T) { op.run(t, all) }) {
				t.FailNow()
			}
		}
	})
}

func TestReserveIDsEdges(t *testing.T) {
	const last = math.MaxUint64
	for _, c := range []struct {
		name  string
		next  uint64
		count uint32
		want  uint64
		err   error
	}{
		{name: "none", next: 1, count: 0, err: netcode.ErrNoIDs},
		{name: "none when exhausted", next: last, count: 0, err: netcode.ErrNoIDs},
		{name: "id zero is an id", next: 0, count: 1, want: 0},
		{name: "largest count", next: 7, count: math.MaxUint32, want: 7},
		{name: "last id", next: last - 1, count: 1, want: last - 1},
		{name: "reserved id", next: last, count: 1, err: netcode.ErrIDsExhausted},
		{name: "exactly the rest", next: last - 4, count: 4, want: last - 4},
		{name: "one more than the rest", next: last - 4, count: 5, err: netcode.ErrIDsExhausted},
		{name: "far more than the rest", next: last - 4, count: math.MaxUint32, err: netcode.ErrIDsExhausted},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := netcode.PreparationState{NextID: c.next, RandomState: 99}
			p := netcode.NewPreparation(start)
			got, err := p.ReserveIDs(c.count)
			require.ErrorIs(t, err, c.err)
			if c.err != nil {
				require.Equal(t, start, p.State())
				return
			}
			require.Equal(t, c.want, got)
			require.Equal(t, netcode.PreparationState{NextID: c.next + uint64(c.count), RandomState: 99}, p.State())
		})
	}
}

// The first numbers of SplitMix64 seeded with 1234567 are published with many implementations of it; those
// for seed 0 are too.
func TestNextSeedKnownValues(t *testing.T) {
	for seed, want := range map[uint64][]uint64{
		0:       {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC},
		1234567: {6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821},
	} {
		p := netcode.NewPreparation(netcode.PreparationState{NextID: 5, RandomState: seed})
		for i, w := range want {
			require.Equal(t, w, p.NextSeed(), "seed %d, number %d", seed, i)
		}
		require.Equal(t, uint64(5), p.State().NextID, "seeds use no ids")
	}
}

func TestForkIsIndependent(t *testing.T) {
	p := netcode.NewPreparation(netcode.PreparationState{NextID: 10, RandomState: 3})
	before := p.State()

	fork := p.Fork()
	id, err := fork.ReserveIDs(4)
	require.NoError(t, err)
	require.Equal(t, uint64(10), id)
	seed := fork.NextSeed()
	require.Equal(t, before, p.State(), "a forgotten fork consumes nothing")

	again := p
	require.Equal(t, seed, again.NextSeed(), "assignment forks as well")

	p = fork
	require.Equal(t, fork.State(), p.State(), "assigning a fork back commits it")
	id, err = p.NextID()
	require.NoError(t, err)
	require.Equal(t, uint64(14), id)
}

func BenchmarkPreparation(b *testing.B) {
	b.Run("ReserveIDs", func(b *testing.B) {
		b.ReportAllocs()
		p := netcode.NewPreparation(netcode.PreparationState{NextID: 1})
		for b.Loop() {
			if _, err := p.ReserveIDs(4); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("NextSeed", func(b *testing.B) {
		b.ReportAllocs()
		p := netcode.NewPreparation(netcode.PreparationState{NextID: 1})
		var sum uint64
		for b.Loop() {
			sum ^= p.NextSeed()
		}
		_ = sum
	})
	b.Run("ForkAndCommit", func(b *testing.B) {
		b.ReportAllocs()
		p := netcode.NewPreparation(netcode.PreparationState{NextID: 1})
		for b.Loop() {
			fork := p.Fork()
			fork.NextSeed()
			p = fork
		}
	})
}

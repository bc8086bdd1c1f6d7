package interest_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
)

type interestFile struct {
	Family string        `json:"family"`
	Set    string        `json:"set"`
	Seed   string        `json:"seed"`
	Source string        `json:"source"`
	Sims   []interestSim `json:"sims"`
}

type interestSim struct {
	ID                    string       `json:"id"`
	CellSize              *float64     `json:"cell_size"` // readable only; the bits count
	CellSizeBits          floatBits    `json:"cell_size_bits"`
	EffectiveCellSize     float64      `json:"effective_cell_size"`
	EffectiveCellSizeBits floatBits    `json:"effective_cell_size_bits"`
	Ops                   []interestOp `json:"ops"`
}

type interestOp struct {
	Op           string        `json:"op"`
	ID           vectors.U64   `json:"id"`
	Viewer       int           `json:"viewer"`
	Position     []*float64    `json:"position"` // readable only
	PositionBits [3]floatBits  `json:"position_bits"`
	Cell         [2]int32      `json:"cell"`
	Inner        *float64      `json:"inner"` // readable only
	InnerBits    floatBits     `json:"inner_bits"`
	Outer        *float64      `json:"outer"` // readable only
	OuterBits    floatBits     `json:"outer_bits"`
	Candidates   []vectors.U64 `json:"candidates"`
	Entered      []vectors.U64 `json:"entered"`
	Exited       []vectors.U64 `json:"exited"`
	Subscribed   []vectors.U64 `json:"subscribed"`
	Len          int           `json:"len"`
}

// floatBits is a float32 as the hex digits of its bits.
type floatBits float32

func (f *floatBits) UnmarshalText(b []byte) error {
	bits, err := strconv.ParseUint(string(b), 16, 32)
	*f = floatBits(math.Float32frombits(uint32(bits)))
	return err
}

func (op interestOp) position() [3]float32 {
	p := op.PositionBits
	return [3]float32{float32(p[0]), float32(p[1]), float32(p[2])}
}

func TestConformanceInterest(t *testing.T) {
	vectors.EachFile(t, "citadel", "interest.json", func(t *testing.T, f interestFile) {
		for _, sim := range f.Sims {
			t.Run(sim.ID, func(t *testing.T) { runSim(t, sim) })
		}
	})
}

func runSim(t *testing.T, sim interestSim) {
	grid := interest.NewGrid[uint64](float32(sim.CellSizeBits))
	require.Equal(t, float32(sim.EffectiveCellSizeBits), grid.CellSize())
	var views [2]interest.View[uint64]
	for i, op := range sim.Ops {
		switch op.Op {
		case "move":
			grid.Move(uint64(op.ID), op.position())
			require.Equal(t, interest.Cell{X: op.Cell[0], Y: op.Cell[1]}, grid.Cell(op.position()), "op %d", i)
		case "remove":
			before := grid.Len()
			removed := grid.Remove(uint64(op.ID))
			require.Equal(t, before != op.Len, removed, "op %d", i)
		case "candidates":
			requireIDs(t, op.Candidates, grid.Candidates(nil, op.position()), "op %d candidates", i)
		case "update":
			view := &views[op.Viewer]
			r := interest.Radius{Enter: float32(op.InnerBits), Leave: float32(op.OuterBits)}
			entered, exited := view.Update(grid, op.position(), r, nil, nil)
			requireIDs(t, op.Entered, entered, "op %d entered", i)
			requireIDs(t, op.Exited, exited, "op %d exited", i)
			requireIDs(t, op.Subscribed, view.IDs(), "op %d subscribed", i)
		default:
			t.Fatalf("op %d is %q", i, op.Op)
		}
		require.Equal(t, op.Len, grid.Len(), "op %d", i)
	}
}

func requireIDs(t *testing.T, want []vectors.U64, got []uint64, msg string, args ...any) {
	t.Helper()
	ids := make([]uint64, len(want))
	for i, id := range want {
		ids[i] = uint64(id)
	}
	require.True(t, slices.Equal(ids, got), append([]any{"want %v, got %v: " + msg, ids, got}, args...)...)
}

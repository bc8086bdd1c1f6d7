package interest_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
)

func TestCellSize(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, size := range []float32{0, -5, inf, -inf, nan, float32(math.Copysign(0, -1))} {
		require.Equal(t, float32(1), interest.NewGrid[uint32](size).CellSize(), "%g", size)
	}
	for _, size := range []float32{1e-45, 0.1, 1, 5000, math.MaxFloat32} {
		require.Equal(t, size, interest.NewGrid[uint32](size).CellSize())
	}
}

func TestCell(t *testing.T) {
	const least, most = math.MinInt32, math.MaxInt32
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		size, x, y float32
		want       interest.Cell
	}{
		{10, 0, float32(math.Copysign(0, -1)), interest.Cell{X: 0, Y: 0}},
		{10, 9.999999, -1e-45, interest.Cell{X: 0, Y: 0}}, // the quotient is a negative zero
		{10, 10, -10, interest.Cell{X: 1, Y: -1}},
		{10, -0.001, -10.00001, interest.Cell{X: -1, Y: -2}},
		{0.1, 0.3, 0.7, interest.Cell{X: 3, Y: 7}}, // the latter quotient is below 7 before it is rounded to float32
		{1, nan, inf, interest.Cell{}},
		{1, -inf, 3, interest.Cell{Y: 3}},
		{1, 1 << 31, -1 << 31, interest.Cell{X: most, Y: least}},
		{1, 2147483520, -2147483904, interest.Cell{X: 2147483520, Y: least}},
		{1e-3, 3e38, -3e38, interest.Cell{X: most, Y: least}}, // the quotient is infinite
		{1e-45, 1, -1, interest.Cell{X: most, Y: least}},
		{math.MaxFloat32, 1, -1, interest.Cell{X: 0, Y: -1}},
	} {
		got := interest.NewGrid[uint32](c.size).Cell([3]float32{c.x, c.y, 123})
		require.Equal(t, c.want, got, "%g, %g in cells of %g", c.x, c.y, c.size)
	}
}

// TestEdgeOfTheWorld looks for neighbours where there are none on one side.
func TestEdgeOfTheWorld(t *testing.T) {
	grid := interest.NewGrid[uint32](1)
	for id, x := range []float32{-3e9, 3e9, 0} {
		for axis := range 2 {
			var p [3]float32
			p[axis] = x
			grid.Move(uint32(id*2+axis), p)
		}
	}
	require.Equal(t, []uint32{0}, grid.Candidates(nil, [3]float32{-4e9, 0.5}))
	require.Equal(t, []uint32{2}, grid.Candidates(nil, [3]float32{4e9, -0.5}))
	require.Equal(t, []uint32{1}, grid.Candidates(nil, [3]float32{0, -4e9}))
	require.Equal(t, []uint32{3}, grid.Candidates(nil, [3]float32{0, 4e9}))
	require.Empty(t, grid.Candidates(nil, [3]float32{4e9, 4e9}))
}

func TestHysteresis(t *testing.T) {
	grid := interest.NewGrid[uint32](10)
	var view interest.View[uint32]
	at := func(x float32) (entered, exited int) {
		grid.Move(1, [3]float32{x})
		in, out := view.Update(grid, [3]float32{}, interest.Radius{Enter: 5, Leave: 8}, nil, nil)
		return len(in), len(out)
	}
	for _, c := range []struct {
		x       float32
		in, out int
	}{{8, 0, 0}, {5.5, 0, 0}, {5, 1, 0}, {7, 0, 0}, {8, 0, 0}, {8.0001, 0, 1}, {7, 0, 0}, {-5, 1, 0}, {-100, 0, 1}} {
		in, out := at(c.x)
		require.Equal(t, []int{c.in, c.out}, []int{in, out}, "at %g", c.x)
	}
}

// TestHeightCounts: cells have no height, distances do.
func TestHeightCounts(t *testing.T) {
	grid := interest.NewGrid[uint32](10)
	grid.Move(1, [3]float32{0, 0, 100})
	var view interest.View[uint32]
	require.Equal(t, []uint32{1}, grid.Candidates(nil, [3]float32{}))
	entered, _ := view.Update(grid, [3]float32{}, interest.Radius{Enter: 50, Leave: 60}, nil, nil)
	require.Empty(t, entered)
	entered, _ = view.Update(grid, [3]float32{0, 0, 60}, interest.Radius{Enter: 50, Leave: 60}, nil, nil)
	require.Equal(t, []uint32{1}, entered)
}

// TestDistanceIsExact: a difference of positions does not fit a float32.
func TestDistanceIsExact(t *testing.T) {
	for axis := range 3 {
		var near, far [3]float32
		near[axis], far[axis] = -1, 1<<24
		grid := interest.NewGrid[uint32](1 << 26)
		grid.Move(1, far)
		var view interest.View[uint32]
		view.Update(grid, far, interest.Radius{}, nil, nil)
		_, exited := view.Update(grid, near, interest.Radius{Leave: 1 << 24}, nil, nil)
		require.Equal(t, []uint32{1}, exited, "axis %d", axis)
	}
}

// TestProductsAreNotFused has objects that are exactly as far away as the radius, unless a product is added
// without being rounded first, as some machines do when they are not kept from it: then they are farther.
func TestProductsAreNotFused(t *testing.T) {
	for _, c := range []struct{ radius, x, y, viewerX, viewerY uint32 }{
		{0x44530832, 0x43efd1bb, 0x442da7c7, 0xb70189d6, 0x369720a6},
		{0x4383db9e, 0x435ad9d1, 0x431323f3, 0xb6918980, 0xb6f3b9b1},
		{0x43c58303, 0x43891cee, 0x438e2a45, 0xb60e3a82, 0xb5dda5e1},
	} {
		grid := interest.NewGrid[uint32](1000)
		grid.Move(1, [3]float32{math.Float32frombits(c.x), math.Float32frombits(c.y)})
		viewer := [3]float32{math.Float32frombits(c.viewerX), math.Float32frombits(c.viewerY)}
		radius := math.Float32frombits(c.radius)
		var view interest.View[uint32]
		entered, _ := view.Update(grid, viewer, interest.Radius{Enter: radius, Leave: radius}, nil, nil)
		require.Equal(t, []uint32{1}, entered, "radius %g", radius)
	}
}

// TestOnlyNeighboursEnter: a radius does not reach beyond the nine cells, but it holds what is inside already.
func TestOnlyNeighboursEnter(t *testing.T) {
	grid := interest.NewGrid[uint32](1)
	grid.Move(1, [3]float32{5, 0})
	var view interest.View[uint32]
	r := interest.Radius{Enter: 100, Leave: 100}
	entered, _ := view.Update(grid, [3]float32{}, r, nil, nil)
	require.Empty(t, entered)
	entered, _ = view.Update(grid, [3]float32{4, 0}, r, nil, nil)
	require.Equal(t, []uint32{1}, entered)
	_, exited := view.Update(grid, [3]float32{}, r, nil, nil)
	require.Empty(t, exited)
}

func TestNotANumberStays(t *testing.T) {
	nan := float32(math.NaN())
	grid := interest.NewGrid[uint32](10)
	grid.Move(1, [3]float32{1})
	grid.Move(2, [3]float32{0, 0, nan})
	var view interest.View[uint32]
	near := interest.Radius{Enter: 5, Leave: 5}
	update := func(p [3]float32, r interest.Radius) (entered, exited []uint32) {
		return view.Update(grid, p, r, nil, nil)
	}

	entered, _ := update([3]float32{}, near)
	require.Equal(t, []uint32{1}, entered, "2 is nowhere")
	grid.Move(1, [3]float32{nan})
	_, exited := update([3]float32{}, near)
	require.Empty(t, exited)
	_, exited = update([3]float32{nan, nan, nan}, near)
	require.Empty(t, exited)
	grid.Move(1, [3]float32{9})
	_, exited = update([3]float32{}, interest.Radius{Enter: 5, Leave: nan})
	require.Empty(t, exited)
	grid.Remove(1)
	_, exited = update([3]float32{nan}, near)
	require.Equal(t, []uint32{1}, exited, "what is gone goes")
}

// TestViewOutlivesPlaces removes objects and puts others where they were kept.
func TestViewOutlivesPlaces(t *testing.T) {
	grid := interest.NewGrid[uint32](10)
	var view interest.View[uint32]
	r := interest.Radius{Enter: 5, Leave: 5}
	for _, id := range []uint32{3, 1, 2} {
		grid.Move(id, [3]float32{})
	}
	view.Update(grid, [3]float32{}, r, nil, nil)
	for _, id := range []uint32{1, 2, 3} {
		grid.Remove(id)
	}
	for _, id := range []uint32{1, 4, 0, 2} {
		grid.Move(id, [3]float32{})
	}
	entered, exited := view.Update(grid, [3]float32{}, r, nil, nil)
	require.Equal(t, []uint32{0, 4}, entered)
	require.Equal(t, []uint32{3}, exited)
	require.Equal(t, []uint32{0, 1, 2, 4}, view.IDs())

	// Another grid is another world, even a smaller one.
	other := interest.NewGrid[uint32](10)
	other.Move(2, [3]float32{})
	entered, exited = view.Update(other, [3]float32{}, r, nil, nil)
	require.Empty(t, entered)
	require.Equal(t, []uint32{0, 1, 4}, exited)
	require.Equal(t, []uint32{2}, view.Reset(nil))
	require.Zero(t, view.Len())
}

// TestOrderDoesNotMatter puts the same objects into grids in different orders, with detours.
func TestOrderDoesNotMatter(t *testing.T) {
	const n = 200
	build := func(ids []uint32) ([]uint32, []uint32) {
		grid := interest.NewGrid[uint32](10)
		for _, id := range ids {
			grid.Move(id+n, [3]float32{1000, float32(id)})
			grid.Move(id, [3]float32{float32(id), 1000})
		}
		for _, id := range ids {
			grid.Remove(id + n)
			grid.Move(id, [3]float32{float32(id % 17), float32(id % 23)})
		}
		var view interest.View[uint32]
		entered, _ := view.Update(grid, [3]float32{5, 5}, interest.Radius{Enter: 9, Leave: 9}, nil, nil)
		return entered, grid.Candidates(nil, [3]float32{5, 5})
	}
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(i) * 71 % n
	}
	entered, candidates := build(ids)
	require.True(t, slices.IsSorted(entered))
	require.NotEmpty(t, entered)
	slices.Reverse(ids)
	again, candidatesAgain := build(ids)
	require.Equal(t, entered, again)
	require.Equal(t, candidates, candidatesAgain)
}

func TestIDsCannotGrowIntoTheView(t *testing.T) {
	grid := interest.NewGrid[uint32](10)
	grid.Move(1, [3]float32{})
	grid.Move(2, [3]float32{})
	var view interest.View[uint32]
	r := interest.Radius{Enter: 5, Leave: 5}
	view.Update(grid, [3]float32{}, r, nil, nil)
	grid.Remove(2)
	view.Update(grid, [3]float32{}, r, nil, nil)
	require.Equal(t, []uint32{1, 9}, append(view.IDs(), 9))
	grid.Move(2, [3]float32{})
	view.Update(grid, [3]float32{}, r, nil, nil)
	require.Equal(t, []uint32{1, 2}, view.IDs())
}

// TestSteadyStateAllocatesNothing lets objects wander, disappear and come back among viewers.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	w := newWorld(16)
	views := make([]interest.View[uint32], 4)
	entered, exited := w.makeRoom(views)
	require.Len(t, entered, entities)
	ids := make([]uint32, 0, entities)
	changes, n := 0, uint32(0)
	require.Zero(t, testing.AllocsPerRun(30, func() {
		for range 50 {
			w.grid.Remove(n % entities)
			n += 7
		}
		w.step()
		for i := range views {
			entered, exited = views[i].Update(w.grid, w.at[i], interest.Radius{Enter: 100, Leave: 125}, entered[:0], exited[:0])
			ids = w.grid.Candidates(ids[:0], w.at[i])
			changes += len(entered) + len(exited)
		}
	}))
	require.NotZero(t, changes)
}

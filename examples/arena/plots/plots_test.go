package main

import (
	"image"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// measured returns what a demo could have measured.
func measured() *record.Demo {
	d := &record.Demo{Title: "a demo", Paths: []record.Path{{Object: 7, Seen: "ada"}}}
	for _, name := range []string{"ada", "bob"} {
		d.Players = append(d.Players, record.Player{Name: name})
	}
	for n := range 600 {
		at := float64(n) / 60
		p := record.Point{Seconds: at, X: 400 * math.Sin(at), Y: 250 * math.Sin(2*at)}
		d.Paths[0].True = append(d.Paths[0].True, p)
		p.Seconds += 0.1
		d.Paths[0].Shown = append(d.Paths[0].Shown, p)
		for i := range d.Players {
			d.Players[i].Delay = append(d.Players[i].Delay, record.Delay{Seconds: at, Wanted: 100, Shown: 90 + float64(n%3)})
			if n%3 == 0 {
				d.Players[i].Snapshots = append(d.Players[i].Snapshots, record.Snapshot{Seconds: at, Bytes: 200 + n%7, Full: n == 0})
			}
		}
	}
	for lag := range 5 {
		d.Volleys = append(d.Volleys,
			record.Volley{Lag: float64(lag * 40), Compensated: true, Shots: 20, Confirmed: 20 - lag},
			record.Volley{Lag: float64(lag * 40), Shots: 20, Confirmed: 10 - lag})
	}
	return d
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, record.Write(filepath.Join(dir, record.FileName), measured()))
	require.NoError(t, run(dir))
	for name, plots := range map[string]int{"path.png": 2, "delay.png": 2, "bytes.png": 1, "hits.png": 1} {
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		img, _, err := image.Decode(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, image.Rect(0, 0, plots*8*96, 5*96), img.Bounds(), name)
		for i := range 2 { // both colours are on it
			require.Greater(t, count(img, i), 100, "%s, colour %d", name, i)
		}
	}
}

// count returns how many dots of a picture have a colour of a curve.
func count(img image.Image, i int) (n int) {
	r, g, b, _ := hue(i).RGBA()
	if i == 0 {
		r, g, b = 0, 0, 0 // the first one may be faint; black is on every plot
	}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if cr, cg, cb, _ := img.At(x, y).RGBA(); cr == r && cg == g && cb == b {
				n++
			}
		}
	}
	return n
}

// What was not measured is not drawn.
func TestNothingToDraw(t *testing.T) {
	dir := t.TempDir()
	require.ErrorIs(t, run(dir), os.ErrNotExist)
	require.NoError(t, record.Write(filepath.Join(dir, record.FileName), &record.Demo{
		Players: []record.Player{{Name: "ada"}}, Volleys: []record.Volley{{Lag: 1}},
	}))
	require.NoError(t, run(dir))
	left, err := filepath.Glob(filepath.Join(dir, "*.png"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, os.WriteFile(filepath.Join(dir, record.FileName), []byte("{"), 0o600))
	require.Error(t, run(dir))
}

func TestRoundTicks(t *testing.T) {
	for _, axis := range [][2]float64{{0, 1}, {0, 300}, {-1900, -1100}, {0.25, 10.4}, {5, 5.001}, {0, 1e6}} {
		ticks := round(axis[0], axis[1])
		require.GreaterOrEqual(t, len(ticks), 3, "%v", axis)
		require.LessOrEqual(t, len(ticks), 9, "%v", axis)
		for _, tick := range ticks {
			require.GreaterOrEqual(t, tick.Value, axis[0])
			require.LessOrEqual(t, tick.Value, axis[1])
			read, err := strconv.ParseFloat(tick.Label, 64)
			require.NoError(t, err)
			require.InDelta(t, tick.Value, read, 1e-6*max(1, math.Abs(tick.Value)), "%v", axis)
		}
	}
	require.Len(t, round(3, 3), 1)
	require.Len(t, round(math.NaN(), 3), 1)
}

func TestSmooth(t *testing.T) {
	require.Empty(t, smooth(nil, 1))
	var delays []record.Delay
	for n := range 40 {
		delays = append(delays, record.Delay{Seconds: float64(n) / 10, Shown: float64(n % 2)})
	}
	means := smooth(delays, 1)
	require.Len(t, means, 30)
	for _, m := range means {
		require.InDelta(t, 0.5, m.Y, 0.05)
	}
}

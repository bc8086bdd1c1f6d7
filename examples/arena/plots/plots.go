package main

import (
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// closeUp is how much of a path is drawn over time, in seconds: enough to see the delay.
const closeUp = 3

// drawPath draws where an object was and where it was seen: on the field, and over time.
func drawPath(d *record.Demo) (picture, error) {
	if len(d.Paths) == 0 || len(d.Paths[0].True) == 0 || len(d.Paths[0].Shown) == 0 {
		return nil, nil
	}
	path := &d.Paths[0]

	field := newPlot(fmt.Sprintf("Where figure %d ran, and where %s saw it\n%s", path.Object, path.Seen, d.Title), "x, cm", "y, cm")
	really, err := line(onField(path.True), faint(hue(0)), 5)
	if err != nil {
		return nil, err
	}
	seen, err := dots(onField(path.Shown), hue(1), 1.2, draw.CircleGlyph{})
	if err != nil {
		return nil, err
	}
	field.Add(really, seen)
	field.Legend.Add("on the server", really)
	field.Legend.Add("on the screen", seen)

	// The same in the player's time: what is on the screen is some time ago.
	late := newPlot(fmt.Sprintf("The same over time, %d s of it", closeUp), "seconds", "x, cm")
	from := path.Shown[0].Seconds
	if len(path.Shown) > 1 {
		from = max(from, path.Shown[len(path.Shown)-1].Seconds/2)
	}
	if really, err = line(overTime(path.True, from, from+closeUp), hue(0), 2); err != nil {
		return nil, err
	}
	shown, err := line(overTime(path.Shown, from, from+closeUp), hue(1), 2)
	if err != nil {
		return nil, err
	}
	late.Add(really, shown)
	late.Legend.Add("on the server", really)
	late.Legend.Add("on the screen", shown)
	headroom(field, 2)
	headroom(late, 2)
	return picture{field, late}, nil
}

func onField(points []record.Point) (xys plotter.XYs) {
	for _, p := range points {
		xys = append(xys, plotter.XY{X: p.X, Y: p.Y})
	}
	return xys
}

func overTime(points []record.Point, from, until float64) (xys plotter.XYs) {
	for _, p := range points {
		if p.Seconds >= from && p.Seconds < until {
			xys = append(xys, plotter.XY{X: p.Seconds, Y: p.X})
		}
	}
	return xys
}

// drawDelay draws how far behind the newest snapshot the screens were: what the jitter buffers asked for, and what the
// clocks made of it.
func drawDelay(d *record.Demo) (picture, error) {
	wanted := newPlot("What the jitter buffer asks for\n"+d.Title, "seconds", "ms behind the newest snapshot")
	shown := newPlot("How far behind the screen is, the mean of half a second", "seconds", "ms behind the newest snapshot")
	some := false
	for i, p := range d.Players {
		var asked plotter.XYs
		for _, s := range p.Delay {
			asked = append(asked, plotter.XY{X: s.Seconds, Y: s.Wanted})
		}
		got := smooth(p.Delay, 0.5)
		if len(got) == 0 {
			continue
		}
		some = true
		l, err := line(asked, hue(i), 1.5)
		if err != nil {
			return nil, err
		}
		wanted.Add(l)
		wanted.Legend.Add(p.Name, l)
		if l, err = line(got, hue(i), 1.5); err != nil {
			return nil, err
		}
		shown.Add(l)
		shown.Legend.Add(p.Name, l)
	}
	if !some {
		return nil, nil
	}
	wanted.Y.Min, shown.Y.Min = 0, 0
	headroom(wanted, len(d.Players))
	headroom(shown, len(d.Players))
	return picture{wanted, shown}, nil
}

// smooth returns the mean of the delays on the screen within a window of some seconds that ends at each. A single one says
// little: it falls until the next snapshot comes, and is up by what that brings.
func smooth(delays []record.Delay, window float64) (xys plotter.XYs) {
	sum, first := 0.0, 0
	for n, d := range delays {
		sum += d.Shown
		for delays[first].Seconds < d.Seconds-window {
			sum -= delays[first].Shown
			first++
		}
		if d.Seconds-delays[0].Seconds >= window {
			xys = append(xys, plotter.XY{X: d.Seconds, Y: sum / float64(n-first+1)})
		}
	}
	return xys
}

// drawBytes draws how long snapshots are.
func drawBytes(d *record.Demo) (picture, error) {
	plot := newPlot("How long each snapshot is\n"+d.Title, "seconds", "bytes")
	var whole *plotter.Scatter
	some := false
	for i, p := range d.Players {
		var delta, full plotter.XYs
		for _, s := range p.Snapshots {
			at := plotter.XY{X: s.Seconds, Y: float64(s.Bytes)}
			if s.Full {
				full = append(full, at)
			} else {
				delta = append(delta, at)
			}
		}
		if len(delta) > 0 {
			s, err := dots(delta, hue(i), 1.3, draw.CircleGlyph{})
			if err != nil {
				return nil, err
			}
			plot.Add(s)
			plot.Legend.Add(p.Name, s)
			some = true
		}
		if len(full) > 0 {
			s, err := dots(full, hue(i), 4, draw.TriangleGlyph{})
			if err != nil {
				return nil, err
			}
			plot.Add(s)
			whole, some = s, true
		}
	}
	if whole != nil {
		plot.Legend.Add("full", whole)
	}
	if !some {
		return nil, nil
	}
	plot.Y.Min = 0
	headroom(plot, len(d.Players)+1)
	return picture{plot}, nil
}

// drawHits draws what part of the hits on the screen was confirmed.
func drawHits(d *record.Demo) (picture, error) {
	plot := newPlot("What the shooter sees to hit, and the server confirms", "added round-trip time, ms", "confirmed, %")
	some := false
	for i, compensated := range []bool{true, false} {
		var points plotter.XYs
		for _, v := range d.Volleys {
			if v.Compensated == compensated && v.Shots > 0 {
				points = append(points, plotter.XY{X: v.Lag, Y: 100 * float64(v.Confirmed) / float64(v.Shots)})
			}
		}
		if len(points) == 0 {
			continue
		}
		some = true
		l, err := line(points, hue(i), 2)
		if err != nil {
			return nil, err
		}
		s, err := dots(points, hue(i), 3, draw.CircleGlyph{})
		if err != nil {
			return nil, err
		}
		plot.Add(l, s)
		plot.Legend.Add(map[bool]string{true: "world put back to what was seen, up to 220 ms", false: "in the present"}[compensated], l, s)
	}
	if !some {
		return nil, nil
	}
	plot.Y.Min, plot.Y.Max = 0, 105
	plot.Legend.Top, plot.Legend.Left = false, true
	plot.Legend.XOffs = vg.Points(8)
	return picture{plot}, nil
}

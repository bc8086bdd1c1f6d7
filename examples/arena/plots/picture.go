package main

import (
	"bytes"
	"image/color"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// picture is plots side by side.
type picture []*plot.Plot

// The size of one plot.
const (
	width  = 8 * vg.Inch
	height = 5 * vg.Inch
)

// save writes a PNG file.
func (p picture) save(file string) error {
	img := vgimg.NewWith(vgimg.UseWH(width*vg.Length(len(p)), height), vgimg.UseDPI(96))
	tiles := draw.Tiles{
		Rows: 1, Cols: len(p),
		PadX: vg.Points(20), PadTop: vg.Points(6), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(12),
	}
	for i, canvas := range plot.Align([][]*plot.Plot{p}, tiles, draw.New(img))[0] {
		p[i].Draw(canvas)
	}
	var png bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: img}).WriteTo(&png); err != nil {
		return err
	}
	return os.WriteFile(file, png.Bytes(), 0o644)
}

// newPlot returns a plot with a grid and without lines.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding = vg.Points(8)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{225}, color.Gray{225}
	p.Add(grid)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(3)
	p.Legend.XOffs = -vg.Points(8)
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(round), plot.TickerFunc(round)
	return p
}

// round marks an axis at some six round numbers.
func round(least, most float64) (ticks []plot.Tick) {
	if !(most > least) {
		return []plot.Tick{{Value: least, Label: label(least)}}
	}
	power := math.Pow(10, math.Floor(math.Log10((most-least)/6)))
	step := 10 * power
	for _, factor := range []float64{1, 2, 5} {
		if (most-least)/(factor*power) <= 8 {
			step = factor * power
			break
		}
	}
	for n := math.Ceil(least / step); n*step <= most; n++ {
		ticks = append(ticks, plot.Tick{Value: n * step, Label: label(n * step)})
	}
	return ticks
}

func label(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// headroom makes room above everything for so many lines of a legend.
func headroom(p *plot.Plot, lines int) {
	p.Y.Max += (p.Y.Max - p.Y.Min) * 0.07 * float64(lines)
}

// hues are told apart by people who do not see all colours, too.
var hues = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0xe6, 0x9f, 0x00, 0xff},
}

func hue(i int) color.NRGBA { return hues[i%len(hues)] }

// faint returns a colour through which others show.
func faint(c color.NRGBA) color.NRGBA {
	c.A = 0x60
	return c
}

// line returns a line through points.
func line(points plotter.XYs, c color.Color, thick float64) (*plotter.Line, error) {
	l, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	l.Color, l.Width = c, vg.Points(thick)
	return l, nil
}

// dots returns points without a line.
func dots(points plotter.XYs, c color.Color, radius float64, shape draw.GlyphDrawer) (*plotter.Scatter, error) {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: vg.Points(radius), Shape: shape}
	return s, nil
}

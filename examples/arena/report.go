//go:build !js

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// settling is how long after the first picture nothing is measured: there is only one snapshot to show then.
const settling = time.Second

// distances are how far something on a screen was from where it should have been, in centimetres, in ascending order.
type distances []float64

// quantile returns the distance that a part of all is not above.
func (d distances) quantile(part float64) float64 {
	if len(d) == 0 {
		return 0
	}
	return d[min(int(part*float64(len(d))), len(d)-1)]
}

// errors compares a player's screen with the truth at the ticks that it showed. Movers and other players are apart:
// where a player is, the server itself learns only when its inputs come.
func (p *played) errors(t *truth) (movers, players distances) {
	from := p.screen.first.Add(settling).Sub(p.screen.start)
	for i := range p.screen.sights {
		s := &p.screen.sights[i]
		really, ok := t.at(s.object, s.tick)
		if !ok || s.at < from {
			continue
		}
		off := distance(really, s.position)
		if s.object >= firstMover {
			movers = append(movers, off)
		} else {
			players = append(players, off)
		}
	}
	slices.Sort(movers)
	slices.Sort(players)
	return movers, players
}

func distance(a, b [3]float32) float64 {
	var square float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		square += d * d
	}
	return math.Sqrt(square)
}

// printTables prints a line per player, twice: what it has received, and what it has seen.
func (o *outcome) printTables(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "player\tsnapshots\tfull\tstale\tno base\tbytes each\tkB/s in\tkB/s out\trtt ms\tdelay ms\tchecked\tcorrected\tlargest cm\t")
	for i := range o.players {
		p := &o.players[i]
		full, bytes := p.snapshots()
		seconds := p.took.Seconds()
		s := p.sync
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.0f\t%.1f\t%.1f\t%d\t%.0f\t%d\t%d\t%.1f\t\n", p.name,
			s.View.Applied, full, s.View.Stale, s.View.MissingBase, bytes,
			float64(p.link.BytesReceived)/seconds/1000, float64(p.link.BytesSent)/seconds/1000,
			p.link.RTT.Milliseconds(), p.delay(), s.Reconciled, s.Corrections, s.LargestCorrection)
	}
	if err := w.Flush(); err != nil {
		return err
	}

	fmt.Fprintln(out)
	fmt.Fprintln(w, "player\tmovers p50\tp99\tmax cm\tplayers p50\tp99\tmax cm\tshots\ton screen\thits\tconfirmed\t")
	var movers, players distances
	var all bot
	for i := range o.players {
		p := &o.players[i]
		m, r := p.errors(o.truth)
		printSeen(w, p.name, m, r, p.bot)
		movers, players = append(movers, m...), append(players, r...)
		all.shots += p.bot.shots
		all.seen += p.bot.seen
		all.hits += p.bot.hits
		all.agreed += p.bot.agreed
	}
	slices.Sort(movers)
	slices.Sort(players)
	printSeen(w, "all", movers, players, &all)
	return w.Flush()
}

func printSeen(w io.Writer, name string, movers, players distances, b *bot) {
	fmt.Fprintf(w, "%s\t", name)
	for _, d := range []distances{movers, players} {
		fmt.Fprintf(w, "%.2f\t%.2f\t%.2f\t", d.quantile(0.5), d.quantile(0.99), d.quantile(1))
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t\n", b.shots, b.seen, b.hits, b.agreed)
}

// mostShown bounds the columns of the table of scores.
const mostShown = 8

// printScores prints a line per fighter: what the server had at the end, and as what each player saw it. Where that differs
// there is an exclamation mark.
func (o *outcome) printScores(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	viewers := o.players[:min(len(o.players), mostShown)]
	fmt.Fprint(w, "fighter\temote\thealth\thits\tdeaths\tscore\t")
	for i := range viewers {
		fmt.Fprintf(w, "seen by %s\t", viewers[i].name)
	}
	fmt.Fprintln(w)
	for _, r := range o.scores {
		fmt.Fprintf(w, "%s\t%v\t%d\t%d\t%d\t%d\t", r.name, r.emote, r.health, r.hits, r.deaths, r.score)
		for i := range viewers {
			fmt.Fprintf(w, "%s\t", seenAs(r, viewers[i].scores))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// seenAs returns how a player saw a fighter, in short.
func seenAs(r standing, seen []standing) string {
	i := slices.IndexFunc(seen, func(s standing) bool { return s.object == r.object })
	switch {
	case i < 0:
		return "!"
	case seen[i] != r:
		return "!" + seen[i].String()
	}
	return seen[i].String()
}

// snapshots returns how many full snapshots came, and how many bytes one had on average.
func (p *played) snapshots() (full int, mean float64) {
	bytes := 0
	for _, s := range p.screen.snapshots {
		bytes += s.Bytes
		if s.Full {
			full++
		}
	}
	return full, float64(bytes) / float64(max(len(p.screen.snapshots), 1))
}

// delay returns how far the screen was behind the newest snapshot on average, in milliseconds.
func (p *played) delay() float64 {
	sum := 0.0
	for _, d := range p.screen.delays {
		sum += d.Shown
	}
	return sum / float64(max(len(p.screen.delays), 1))
}

// path returns how one player saw one object, for a plot.
func (o *outcome) path(player int, object uint32) record.Path {
	p := &o.players[player]
	path := record.Path{Object: object, Seen: p.name}
	i, ok := o.truth.index(object)
	if !ok {
		return path
	}
	from := p.screen.first.Add(settling).Sub(p.screen.start)
	until := from + p.took - settling
	for _, m := range o.truth.moments {
		if at := m.places[i]; at.there && m.at >= from && m.at < until {
			path.True = append(path.True, point(m.at, at.position))
		}
	}
	for _, s := range p.screen.sights {
		if s.object == object && s.at >= from && s.at < until {
			path.Shown = append(path.Shown, point(s.at, s.position))
		}
	}
	return path
}

func point(at time.Duration, p [3]float32) record.Point {
	return record.Point{Seconds: at.Seconds(), X: float64(p[0]), Y: float64(p[1])}
}

package main

import (
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// mostWatched bounds the objects that are recorded: those with the lowest ids.
const mostWatched = 32

// screen is what a player has seen, and what it has received for that.
type screen struct {
	start     time.Time // of the match, for all its players
	first     time.Time // when there was something to see
	sights    []sight
	delays    []record.Delay
	snapshots []record.Snapshot
}

// sight is where an object was on the screen.
type sight struct {
	at       time.Duration // since the match began
	tick     float64       // of the server's simulation, that was shown
	object   uint32
	position [3]float32
}

// arrived looks at an envelope that has just come.
func (s *screen) arrived(now time.Time, e wire.Envelope) {
	body := e.Body
	switch e.Kind {
	case wire.KindTsyncSnapshot:
	case wire.KindTsyncV2Snapshot:
		var err error
		if _, body, err = tsync.ParseClock(body); err != nil {
			return
		}
	default:
		return
	}
	header, err := tsync.ParseSnapshotHeader(body)
	if err != nil {
		return
	}
	s.snapshots = append(s.snapshots, record.Snapshot{
		Seconds: now.Sub(s.start).Seconds(), Bytes: len(e.Body) + wire.KindBytes, Full: header.Base == 0,
	})
}

// shown looks at what is shown: everything at a tick, except for what the player predicts.
func (s *screen) shown(now time.Time, tick float64, sync *client.Client, poses []client.Pose) {
	if s.first.IsZero() {
		s.first = now
	}
	at, view := now.Sub(s.start), sync.View()
	newest, _ := view.NewestTick()
	const milliseconds = 1000.0 / simRate
	s.delays = append(s.delays, record.Delay{
		Seconds: at.Seconds(),
		Wanted:  view.DelayTicks() * milliseconds,
		Shown:   (float64(newest) - tick) * milliseconds,
	})
	for i := range poses[:min(len(poses), mostWatched)] {
		if p := &poses[i]; !p.Predicted {
			s.sights = append(s.sights, sight{at, tick, p.Object, p.State.Position})
		}
	}
}

//go:build !js

package wt

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/quic-go/quic-go"
)

// How long a missing stream is waited for, beside what a lost packet takes on this path: one that may well be
// HTTP/3's, and one that is only missing if the peer does something unheard of.
const (
	doubtTime = 50 * time.Millisecond
	gapTime   = 5 * time.Second
)

// nextStream is the distance between the ids of two streams that the same end opened one after the other.
const nextStream quic.StreamID = 4

// arrivals puts streams into the order in which the peer opened them. They come as soon as the first byte of
// each has been seen, by goroutines of their own, so in any order; but their ids are consecutive, except for the
// streams that belong to HTTP/3 itself and never come. One goroutine uses it.
type arrivals[S interface{ StreamID() quic.StreamID }] struct {
	accept func(context.Context) (S, error)
	rtt    func() time.Duration
	next   quic.StreamID // the first one that may still come
	sure   quic.StreamID // from here on none is HTTP/3's
	held   []S           // that came before their time, by id; QUIC's limit on open streams bounds them
	since  time.Time     // when the gap was noticed
}

// take waits for the next stream.
func (a *arrivals[S]) take(ctx context.Context) (S, error) {
	for {
		if s, ok := a.ready(time.Now()); ok {
			return s, nil
		}
		s, err := a.wait(ctx)
		switch {
		case err == nil:
			a.hold(s)
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			// The gap is as old as it may get.
		default:
			return s, err
		}
	}
}

// wait waits for any stream, and for no longer than a gap is worth if there is one.
func (a *arrivals[S]) wait(ctx context.Context) (S, error) {
	if len(a.held) == 0 {
		return a.accept(ctx)
	}
	ctx, cancel := context.WithDeadline(ctx, a.deadline())
	defer cancel()
	return a.accept(ctx)
}

// deadline is when a gap is not waited for any longer.
func (a *arrivals[S]) deadline() time.Time {
	patience := gapTime
	if a.next < a.sure {
		patience = doubtTime
	}
	return a.since.Add(patience + 3*a.rtt())
}

// ready returns the first stream held if nothing is missing before it, or nothing that will come.
func (a *arrivals[S]) ready(now time.Time) (s S, ok bool) {
	if len(a.held) == 0 {
		return s, false
	}
	s = a.held[0]
	if s.StreamID() > a.next && now.Before(a.deadline()) {
		return s, false
	}
	a.held = slices.Delete(a.held, 0, 1)
	a.next = max(a.next, s.StreamID()+nextStream)
	a.since = now // of the gap after this one, if there is one
	return s, true
}

// hold keeps a stream until its time has come.
func (a *arrivals[S]) hold(s S) {
	if len(a.held) == 0 {
		a.since = time.Now()
	}
	i, _ := slices.BinarySearchFunc(a.held, s, func(x, y S) int { return int(x.StreamID() - y.StreamID()) })
	a.held = slices.Insert(a.held, i, s)
}

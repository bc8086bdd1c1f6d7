//go:build !js

package wt

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/stretchr/testify/require"
)

type fakeStream quic.StreamID

func (f fakeStream) StreamID() quic.StreamID { return quic.StreamID(f) }

var errEnd = errors.New("no more")

// sorter returns arrivals that get streams from a channel.
func sorter(next, sure quic.StreamID) (*arrivals[fakeStream], chan<- fakeStream) {
	c := make(chan fakeStream, 100)
	return &arrivals[fakeStream]{
		accept: func(ctx context.Context) (fakeStream, error) {
			select {
			case s, ok := <-c:
				if !ok {
					return 0, errEnd
				}
				return s, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		},
		rtt:  func() time.Duration { return 100 * time.Millisecond },
		next: next, sure: sure,
	}, c
}

// However they are shuffled, streams come out in order, at once.
func TestArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for range 100 {
			a, c := sorter(6, 0)
			var want []fakeStream
			for i := range rng.IntN(50) {
				want = append(want, fakeStream(6+4*i))
			}
			shuffled := slices.Clone(want)
			rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			for _, s := range shuffled {
				c <- s
			}
			start := time.Now()
			for _, s := range want {
				got, err := a.take(t.Context())
				require.NoError(t, err)
				require.Equal(t, s, got)
			}
			require.Zero(t, time.Since(start))
			close(c)
			_, err := a.take(t.Context())
			require.ErrorIs(t, err, errEnd)
		}
	})
}

func TestArrivalsGaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		take := func(a *arrivals[fakeStream], want fakeStream, at time.Duration) {
			t.Helper()
			got, err := a.take(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, at, time.Since(start))
		}
		// 6 and 10 are HTTP/3's, which takes a moment to find out, once.
		a, c := sorter(6, 14)
		c <- 14
		c <- 18
		take(a, 14, doubtTime+300*time.Millisecond)
		take(a, 18, doubtTime+300*time.Millisecond)

		// 22 is lost on the way, and comes in time.
		start = time.Now()
		c <- 30
		c <- 26
		time.AfterFunc(gapTime, func() { c <- 22 })
		take(a, 22, gapTime)
		take(a, 26, gapTime)
		take(a, 30, gapTime)

		// 34 never comes, but 38 to 46 do.
		start = time.Now()
		c <- 46
		c <- 42
		c <- 38
		take(a, 38, gapTime+300*time.Millisecond)
		take(a, 42, gapTime+300*time.Millisecond)
		take(a, 46, gapTime+300*time.Millisecond)
		// Or after all.
		c <- 34
		take(a, 34, gapTime+300*time.Millisecond)
		c <- 50
		take(a, 50, gapTime+300*time.Millisecond)

		// Whoever waits for nothing may stop waiting.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := a.take(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		c <- 58
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = a.take(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		close(c)
	})
}

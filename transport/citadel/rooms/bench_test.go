//go:build unix

package rooms_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rooms"
)

// measure runs fn over and over and reports, beside what it takes, what it takes of the processors: on a machine that
// others use as well, the latter is what can be compared.
func measure(b *testing.B, fn func()) {
	b.ReportAllocs()
	begin := cpuTime(b)
	for b.Loop() {
		fn()
	}
	b.ReportMetric(float64(cpuTime(b)-begin)/float64(b.N), "cpu-ns/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkPosition(b *testing.B) {
	for _, members := range []int{2, 50} {
		b.Run(fmt.Sprint(members), func(b *testing.B) {
			r, all := crowd(b, members)
			p := position("12345678")
			before := all[1].n
			measure(b, func() {
				r.Datagram(all[0], p)
			})
			require.Equal(b, b.N, all[1].n-before)
		})
	}
}

// BenchmarkPositionOverQUIC relays to 49 connections, nobody of whom takes anything out of his inbox: what is measured
// is what the server does, and what the kernel and the 49 clients do on the same processors at the same time.
func BenchmarkPositionOverQUIC(b *testing.B) {
	n := newNetwork(b, unlimited(rooms.Config{}))
	for range 50 {
		require.NoError(b, n.dial(citadel.Config{}).Create(nil))
	}
	n.until("all are in", func() bool { m, _ := n.rooms.Room(1); return m.Members == 50 })
	var first rooms.Peer
	for p := range n.rooms.Members(1) {
		first = p
		break
	}
	p := position("12345678")
	measure(b, func() {
		n.rooms.Datagram(first, p)
	})
}

func BenchmarkState(b *testing.B) {
	r, all := crowd(b, 50)
	s := state(7, at(3))
	measure(b, func() {
		r.Datagram(all[6], s)
	})
}

// BenchmarkJoin is a newcomer to a room of 50 who shows an actor and leaves.
func BenchmarkJoin(b *testing.B) {
	r, _ := crowd(b, 50)
	s := &sink{id: 1000}
	in, show, out := join(1), presence(1, at(0)), leave(1)
	measure(b, func() {
		r.Frame(s, in)
		r.Frame(s, show)
		r.Frame(s, out)
	})
	require.EqualValues(b, 50+b.N, r.Stats().Joined)
}

//go:build !js

package wt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// BenchmarkSession sends 16 frames of 64 bytes at once and waits until they have arrived. The time is of a frame,
// at both ends together.
func BenchmarkSession(b *testing.B) {
	p := connect(b, citadel.ListenConfig{}, citadel.DialConfig{Config: citadel.Config{ManualFlush: true}})
	body := pattern(64)
	count := 0
	take := func(e citadel.Event) {
		if e.Kind == citadel.Session {
			count++
		}
	}
	b.ReportAllocs()
	sent := 0
	for b.Loop() {
		require.NoError(b, p.here.SendSession(body))
		if sent++; sent%16 != 0 {
			continue
		}
		p.here.Flush()
		for count < sent {
			require.NoError(b, p.ln.Inbox().Wait(b.Context()))
			p.ln.Inbox().Drain(take)
		}
	}
}

// BenchmarkEcho sends one frame there and back.
func BenchmarkEcho(b *testing.B) {
	p := connect(b, citadel.ListenConfig{}, citadel.DialConfig{})
	body := pattern(64)
	echo := func(e citadel.Event) {
		if e.Kind == citadel.Session {
			_ = e.Conn.SendSession(e.Envelope.Body)
		}
	}
	back := false
	take := func(e citadel.Event) { back = back || e.Kind == citadel.Session }
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, p.here.SendSession(body))
		require.NoError(b, p.ln.Inbox().Wait(b.Context()))
		p.ln.Inbox().Drain(echo)
		for back = false; !back; {
			require.NoError(b, p.here.Inbox().Wait(b.Context()))
			p.here.Inbox().Drain(take)
		}
	}
}

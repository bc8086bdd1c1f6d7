//go:build !js

package live_test

import (
	"crypto/tls"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/live"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// TestCongestion sends snapshots over a real connection that becomes bad and good again: what QUIC counts makes the
// controller step down and up.
func TestCongestion(t *testing.T) {
	const lag = 20 * time.Millisecond
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	patient := citadel.Config{IdleTimeout: 30 * time.Second, KeepAlive: 5 * time.Second}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		Config: patient, TLS: &tls.Config{Certificates: []tls.Certificate{cert}}, Authenticator: citadel.Guests(),
	})
	require.NoError(t, err)
	defer ln.Close()
	network := netem.Config{Lag: lag, Seed: 1}
	relay, err := netem.Listen(ln.Addr().String(), network)
	require.NoError(t, err)
	defer relay.Close()
	client, err := citadel.Dial(citadeltest.Within(t), relay.Addr().String(), citadel.DialConfig{Config: patient, Pin: pin})
	require.NoError(t, err)
	pair := citadeltest.NewPair(t, ln, client)
	defer client.Close()

	cfg := congestion.DefaultConfig()
	cfg.MaxJitter = 1e6 // that of a machine with much else to do
	cfg.Recover = 1
	controller, err := congestion.New(cfg)
	require.NoError(t, err)
	var meter congestion.Meter
	var lags congestion.LagMeter
	body := make([]byte, 600)
	step := func() congestion.Observation {
		for range 4 {
			require.NoError(t, pair.There.SendDatagram(wire.KindTsyncSnapshot, body))
		}
		o := meter.Observe(live.Path(pair.There.Stats()), 0, 0.02) // the test's own time, as fast as it likes
		o.Drops = 0                                                // nothing paces the test
		controller.Observe(o, 0.02)
		pair.AtClient.Poll()
		return o
	}

	for range 50 {
		step()
		time.Sleep(2 * time.Millisecond)
	}
	citadeltest.Eventually(t, "good", func() bool {
		step()
		return controller.Mode() == congestion.Good
	})
	network.Loss = 0.3
	require.NoError(t, relay.Update(network))
	citadeltest.Eventually(t, "the floor", func() bool {
		step()
		return controller.Mode() == congestion.Floor
	})
	network.Loss = 0
	require.NoError(t, relay.Update(network))
	citadeltest.Eventually(t, "good again", func() bool {
		step()
		return controller.Mode() == congestion.Good
	})

	path := live.Path(pair.There.Stats())
	require.NotZero(t, path.Lost)
	require.GreaterOrEqual(t, path.MinRTT, float64(lag)/1e6)
	l := lags.Lag(path, controller.SendRate(), 60, 0)
	require.GreaterOrEqual(t, l.OneWay, 0.6, "10 ms")
	require.InDelta(t, l.RTT*0.06, l.OneWay+l.Uplink, 1e-9)
}

package citadelprom_test

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/citadelprom"
)

// A server's statistics in a registry, which package promhttp would show to Prometheus.
func ExampleNewListener() {
	ln, err := citadel.NewListener(citadel.ListenConfig{MaxConnections: 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ln.Close()

	registry := prometheus.NewRegistry()
	registry.MustRegister(citadelprom.NewListener(ln))

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range families {
		if f.GetName() == "citadel_connections" || f.GetName() == "citadel_connections_limit" {
			fmt.Println(f.GetName(), f.GetMetric()[0].GetGauge().GetValue())
		}
	}
	// Output:
	// citadel_connections 0
	// citadel_connections_limit 100
}

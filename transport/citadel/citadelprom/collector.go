package citadelprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// NewListener returns a collector for a server and all its connections. The server may be closed while the collector
// is in use; what it has counted stays.
func NewListener(l *citadel.Listener) prometheus.Collector {
	cfg := l.Config()
	return newCollector(func() snapshot {
		s := l.Stats()
		return snapshot{conns: s.Conns, listener: s, cfg: &cfg}
	}, ofListener, ofConns)
}

// NewConn returns a collector for one connection, such as a client's only one. The connection may be closed while the
// collector is in use; what it has counted stays.
func NewConn(c *citadel.Conn) prometheus.Collector {
	return newCollector(func() snapshot { return snapshot{conns: c.Stats()} }, ofConns)
}

// snapshot is what is asked for when the collector is scraped.
type snapshot struct {
	conns    citadel.Stats
	listener citadel.ListenerStats
	cfg      *citadel.ListenConfig // the fields of a listener's that are shown
}

// family is the metrics of one name.
type family struct {
	name, help string
	typ        prometheus.ValueType
	label      string // what its values are told apart by; empty if there is only one
	values     []value
}

// value is one value of a family.
type value struct {
	label string
	of    func(*snapshot) float64
}

// collector is a prometheus.Collector that keeps nothing.
type collector struct {
	take     func() snapshot
	families []family
	descs    []*prometheus.Desc
}

func newCollector(take func() snapshot, families ...[]family) *collector {
	c := &collector{take: take}
	for _, some := range families {
		for _, f := range some {
			var labels []string
			if f.label != "" {
				labels = []string{f.label}
			}
			c.families = append(c.families, f)
			c.descs = append(c.descs, prometheus.NewDesc("citadel_"+f.name, f.help, labels, nil))
		}
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	s := c.take()
	for i, f := range c.families {
		for _, v := range f.values {
			var labels []string
			if f.label != "" {
				labels = []string{v.label}
			}
			out <- prometheus.MustNewConstMetric(c.descs[i], f.typ, v.of(&s), labels...)
		}
	}
}

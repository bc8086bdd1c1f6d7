package citadelprom

import (
	"context"
	"crypto/tls"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// gather returns every value that a registry shows, by name and label.
func gather(t *testing.T, r *prometheus.Registry) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	require.NoError(t, err)
	values := make(map[string]float64)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			for _, l := range m.GetLabel() {
				name += " " + l.GetValue()
			}
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				require.True(t, strings.HasSuffix(f.GetName(), "_total"), name)
				values[name] = m.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				require.False(t, strings.HasSuffix(f.GetName(), "_total"), name)
				values[name] = m.GetGauge().GetValue()
			default:
				t.Fatalf("%s is a %v", name, f.GetType())
			}
		}
	}
	return values
}

func registry(t *testing.T, c prometheus.Collector) *prometheus.Registry {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	require.NoError(t, r.Register(c))
	return r
}

// number gives each number of a struct a value of its own and returns where they are.
func number(v reflect.Value, path string, at map[float64]string) {
	for i := range v.NumField() {
		field, name := v.Field(i), path+"."+v.Type().Field(i).Name
		n := len(at) + 1
		switch {
		case field.Kind() == reflect.Struct:
			number(field, name, at)
			continue
		case field.Type() == reflect.TypeFor[time.Duration]():
			field.SetInt(int64(n) * int64(time.Second))
		case field.CanInt():
			field.SetInt(int64(n))
		case field.CanUint():
			field.SetUint(uint64(n))
		default:
			panic(name + " is no number")
		}
		at[float64(n)] = name
	}
}

// Nothing that citadel counts is forgotten, and nothing is shown twice.
func TestEveryStatisticIsShown(t *testing.T) {
	var s snapshot
	fields := make(map[float64]string)
	number(reflect.ValueOf(&s.listener).Elem(), "ListenerStats", fields)
	s.conns = s.listener.Conns
	s.cfg = &citadel.ListenConfig{MaxReassembly: -1, MaxConnections: -2, MaxHalfOpen: -3}
	shown := make(map[float64]string)
	for name, v := range gather(t, registry(t, newCollector(func() snapshot { return s }, ofListener, ofConns))) {
		require.Empty(t, shown[v], "%s and %s show the same", name, shown[v])
		shown[v] = name
	}
	for n, field := range fields {
		require.Contains(t, shown, n, "%s is not shown", field)
	}
	for _, n := range []float64{-1, -2, -3} {
		require.Contains(t, shown, n)
	}
	require.Len(t, shown, len(fields)+3)
}

// documented returns what the package comment says of each metric, and the reasons that it lists.
func documented(t *testing.T) (metrics map[string]string, reasons map[string]bool) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	require.NoError(t, err)
	metrics, reasons = make(map[string]string), make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^\t(citadel_\w+) +(counter|gauge) +(.+)$`).FindAllStringSubmatch(f.Doc.Text(), -1) {
		require.NotContains(t, metrics, m[1])
		metrics[m[1]] = m[2] + " " + m[3]
	}
	for _, m := range regexp.MustCompile(`(?m)^\t([a-z]+_?\w*)  +\S`).FindAllStringSubmatch(f.Doc.Text(), -1) {
		if !strings.HasPrefix(m[1], "citadel_") {
			reasons[m[1]] = true
		}
	}
	return metrics, reasons
}

// The package comment is the truth about all metrics.
func TestEveryMetricIsDocumented(t *testing.T) {
	metrics, reasons := documented(t)
	types := map[prometheus.ValueType]string{prometheus.CounterValue: "counter ", prometheus.GaugeValue: "gauge "}
	shown, used := make(map[string]string), make(map[string]bool)
	for _, families := range [][]family{ofListener, ofConns} {
		for _, f := range families {
			shown["citadel_"+f.name] = types[f.typ] + f.help
			for _, v := range f.values {
				if f.label == byReason {
					used[v.label] = true
				}
			}
		}
	}
	require.Equal(t, shown, metrics)
	require.Equal(t, used, reasons)
}

// serve starts a server and a client.
func serve(t *testing.T) (*citadel.Listener, *citadel.Conn) {
	t.Helper()
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	cfg := citadel.Config{HandshakeTimeout: time.Minute, IdleTimeout: time.Minute}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		Config: cfg, TLS: &tls.Config{Certificates: []tls.Certificate{cert}}, MaxConnections: 77,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Config: cfg, Pin: pin, Token: []byte("no guest")})
	require.ErrorIs(t, err, citadel.ErrAuthFailed)
	conn, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Config: cfg, Pin: pin})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SendSession([]byte("hello")))
	for got := false; !got; {
		require.NoError(t, ln.Inbox().Wait(ctx))
		ln.Inbox().Drain(func(e citadel.Event) { got = got || e.Kind == citadel.Session })
	}
	return ln, conn
}

func TestRealConnections(t *testing.T) {
	ln, conn := serve(t)
	server, client := registry(t, NewListener(ln)), registry(t, NewConn(conn))

	// The client that was rejected may know it before the server is done with it.
	done := func() bool { return gather(t, server)["citadel_connections"] == 1 }
	require.Eventually(t, done, time.Minute, 5*time.Millisecond)
	atServer := gather(t, server)
	for name, want := range map[string]float64{
		"citadel_connections":               1,
		"citadel_connections_half_open":     0,
		"citadel_connections_limit":         77,
		"citadel_handshakes_accepted_total": 1,
		"citadel_handshakes_rejected_total": 1,
		"citadel_envelopes_total in":        3,
		"citadel_inbox_bytes":               0,
		"citadel_reassembly_limit_bytes":    citadel.DefaultMaxReassembly,
	} {
		require.Contains(t, atServer, name)
		require.Equal(t, want, atServer[name], name)
	}
	require.Positive(t, atServer["citadel_envelopes_total out"])
	require.Positive(t, atServer["citadel_link_bytes_total in"])
	require.Positive(t, atServer["citadel_link_rtt_seconds"])
	require.Less(t, atServer["citadel_link_rtt_seconds"], 60.0)

	atClient := gather(t, client)
	require.GreaterOrEqual(t, atClient["citadel_envelopes_total out"], 1.0) // the second may be there before it is counted
	require.Equal(t, 1.0, atClient["citadel_envelopes_total in"])
	require.NotContains(t, atClient, "citadel_connections")

	// Closed is not forgotten.
	require.NoError(t, conn.Close())
	require.NoError(t, ln.Close())
	require.Equal(t, 1.0, gather(t, server)["citadel_handshakes_accepted_total"])
	require.Equal(t, 0.0, gather(t, server)["citadel_connections"])
	require.GreaterOrEqual(t, gather(t, client)["citadel_envelopes_total out"], 2.0)
}

// Names, units and help texts are as Prometheus wants them.
func TestLint(t *testing.T) {
	ln, conn := serve(t)
	for _, c := range []prometheus.Collector{NewListener(ln), NewConn(conn)} {
		problems, err := testutil.CollectAndLint(c)
		require.NoError(t, err)
		require.Empty(t, problems)
	}
}

// Two of a kind are told apart by a label.
func TestLabels(t *testing.T) {
	ln, conn := serve(t)
	r := prometheus.NewPedanticRegistry()
	for _, name := range []string{"eu", "us"} {
		require.NoError(t, prometheus.WrapRegistererWith(prometheus.Labels{"server": name}, r).Register(NewListener(ln)))
	}
	require.Error(t, prometheus.WrapRegistererWith(prometheus.Labels{"server": "us"}, r).Register(NewConn(conn)))
	n, err := testutil.GatherAndCount(r, "citadel_connections")
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

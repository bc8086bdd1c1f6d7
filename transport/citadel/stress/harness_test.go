package stress

import (
	"crypto/tls"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// devCert is shared by the tests, because making keys takes time.
var devCert = sync.OnceValues(func() (tls.Certificate, string) {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		panic(err)
	}
	return cert, pin
})

func serverTLS() *tls.Config {
	cert, _ := devCert()
	return &tls.Config{Certificates: []tls.Certificate{cert}}
}

func pin() string {
	_, pin := devCert()
	return pin
}

// listen starts a server that is closed with the test.
func listen(t testing.TB, cfg citadel.ListenConfig) *citadel.Listener {
	t.Helper()
	if cfg.TLS == nil {
		cfg.TLS = serverTLS()
	}
	ln, err := citadel.Listen("127.0.0.1:0", cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// eventually polls a condition.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !cond() {
		require.True(t, time.Now().Before(deadline), "never happened: %s", what)
		time.Sleep(10 * time.Millisecond)
	}
}

// memory returns the bytes that live objects and stacks occupy, with what lies unused between them.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// live returns the bytes of live objects alone.
func live() int64 {
	runtime.GC()
	runtime.GC() // the first one only empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// descriptors returns how many files and sockets are open, and 0 where nobody can tell.
func descriptors() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// mib prints bytes.
func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// durations is a sample that is reported by its quantiles.
type durations []time.Duration

func (d durations) String() string {
	if len(d) == 0 {
		return "nothing measured"
	}
	d = slices.Sorted(slices.Values(d))
	at := func(q float64) time.Duration { return d[int(q*float64(len(d)-1))].Round(10 * time.Microsecond) }
	return fmt.Sprintf("p50 %v, p99 %v, p99.9 %v, longest %v (of %d)", at(.5), at(.99), at(.999), at(1), len(d))
}

//go:build linux

package browser_test

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// cable is a TCP relay that can be cut without either end being told.
type cable struct {
	addr string
	dead atomic.Bool
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{addr: ln.Addr().String()}
	var group sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	group.Go(func() {
		for {
			a, err := ln.Accept()
			if err != nil {
				return
			}
			b, err := net.Dial("tcp", to)
			if err != nil {
				_ = a.Close()
				return
			}
			mu.Lock()
			conns = append(conns, a, b)
			mu.Unlock()
			group.Go(func() { c.carry(a, b) })
			group.Go(func() { c.carry(b, a) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		mu.Lock()
		for _, conn := range conns {
			_ = conn.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return c
}

func (c *cable) cut() { c.dead.Store(true) }

func (c *cable) carry(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		switch {
		case err != nil:
			if !c.dead.Load() {
				_ = to.Close()
			}
			return
		case c.dead.Load():
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			_ = from.Close()
			return
		}
	}
}

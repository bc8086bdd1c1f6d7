//go:build !js

package main

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netem"
)

// slowTCP is a relay that delays what TCP connections carry. Nothing is lost or overtakes anything: of a network
// that loses packets, TCP shows delays only.
type slowTCP struct {
	front   net.Listener
	target  string
	network netem.Config
	working sync.WaitGroup

	mu     sync.Mutex
	conns  []net.Conn
	closed bool
}

// listenSlowTCP starts a relay on the loopback interface. Of the network, lag, jitter and seed count.
func listenSlowTCP(target string, network netem.Config) (*slowTCP, error) {
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &slowTCP{front: front, target: target, network: network}
	s.working.Go(s.accept)
	return s, nil
}

func (s *slowTCP) addr() string { return s.front.Addr().String() }

// Close cuts all connections and waits until the relay's goroutines have ended.
func (s *slowTCP) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.front.Close()
	s.cut()
	s.working.Wait()
	return err
}

// cut cuts the connections that there are.
func (s *slowTCP) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		_ = c.Close() // may have been closed already
	}
	s.conns = nil
}

func (s *slowTCP) accept() {
	for n := uint64(0); ; n += 2 {
		client, err := s.front.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", s.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !s.keep(client, server) {
			return
		}
		s.relay(client, server, n)
		s.relay(server, client, n+1)
	}
}

// keep notes connections that Close has to close. It reports false when it is too late.
func (s *slowTCP) keep(conns ...net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		for _, c := range conns {
			_ = c.Close()
		}
		return false
	}
	s.conns = append(s.conns, conns...)
	return true
}

// piece is some bytes under way.
type piece struct {
	due  time.Time
	data []byte
}

const (
	pieceBytes = 16 << 10
	maxPieces  = 256 // under way in one direction; then the sender has to wait
)

// relay carries one direction of a connection, and closes both its ends when there is no more to carry.
func (s *slowTCP) relay(from io.ReadCloser, to io.WriteCloser, stream uint64) {
	way := make(chan piece, maxPieces)
	s.working.Go(func() {
		defer close(way)
		rng := rand.New(rand.NewPCG(s.network.Seed, stream))
		for {
			data := make([]byte, pieceBytes)
			n, err := from.Read(data)
			if n > 0 {
				way <- piece{time.Now().Add(s.delay(rng)), data[:n]}
			}
			if err != nil {
				return
			}
		}
	})
	s.working.Go(func() {
		var failed error
		for p := range way {
			if failed != nil {
				continue // the reader is about to find out
			}
			time.Sleep(time.Until(p.due))
			if _, failed = to.Write(p.data); failed != nil {
				_ = from.Close()
			}
		}
		_ = to.Close()
		_ = from.Close()
	})
}

// delay returns how long the next piece takes: half of a round trip.
func (s *slowTCP) delay(rng *rand.Rand) time.Duration {
	return max(0, s.network.Lag/2+time.Duration((rng.Float64()-0.5)*float64(s.network.Jitter)))
}

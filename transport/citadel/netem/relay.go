package netem

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// maxPacket is the largest UDP payload.
const maxPacket = 65535

// socketBuffer is what the system should buffer, in bytes. It may give less, which loses packets in bursts.
const socketBuffer = 4 << 20

// Relay forwards UDP packets between its clients and one target. It is safe for concurrent use.
type Relay struct {
	front  *net.UDPConn
	target *net.UDPAddr
	wake   chan struct{} // the earliest departure changed, or the relay closes
	wg     sync.WaitGroup

	mu     sync.Mutex
	cfg    Config
	links  [directions]*link
	queue  queue
	peers  map[netip.AddrPort]*peer
	number uint64
	stats  Stats
	closed bool
}

// A peer is one client address and the socket that stands for it before the target.
type peer struct {
	addr netip.AddrPort
	back *net.UDPConn
}

// Listen starts a relay to the target, a UDP address as "host:port", on a loopback port that the system
// chooses. Its goroutines run until Close.
func Listen(target string, cfg Config) (*Relay, error) {
	cfg, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	to, err := net.ResolveUDPAddr("udp", target)
	if err != nil {
		return nil, fmt.Errorf("netem: resolve target: %w", err)
	}
	loopback := net.IPv4(127, 0, 0, 1)
	if to.IP.To4() == nil && to.IP != nil {
		loopback = net.IPv6loopback
	}
	front, err := net.ListenUDP("udp", &net.UDPAddr{IP: loopback})
	if err != nil {
		return nil, fmt.Errorf("netem: %w", err)
	}
	_ = front.SetReadBuffer(socketBuffer)
	r := &Relay{
		front:  front,
		target: to,
		wake:   make(chan struct{}, 1),
		cfg:    cfg,
		peers:  make(map[netip.AddrPort]*peer),
	}
	for d := range r.links {
		r.links[d] = newLink(cfg.Seed, direction(d))
	}
	r.wg.Go(r.readClients)
	r.wg.Go(r.release)
	return r, nil
}

// Addr returns where clients should send.
func (r *Relay) Addr() net.Addr { return r.front.LocalAddr() }

// Update changes the network from the next packet on. Packets under way keep their departure, and the random
// streams go on: Seed is ignored. With a Loss of 1 the network goes silently dead.
func (r *Relay) Update(cfg Config) error {
	cfg, err := cfg.validate()
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cfg = cfg
	return nil
}

// Stats returns the counters.
func (r *Relay) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Queued, s.Clients = len(r.queue.heap), len(r.peers)
	return s
}

// Close drops what is under way, closes the sockets and waits until the relay's goroutines have ended. Closing
// again does nothing.
func (r *Relay) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		r.wg.Wait()
		return nil
	}
	r.closed = true
	errs := []error{r.front.Close()}
	for _, p := range r.peers {
		errs = append(errs, p.back.Close())
	}
	r.mu.Unlock()
	r.nudge()
	r.wg.Wait()
	return errors.Join(errs...)
}

// readClients takes what clients send.
func (r *Relay) readClients() {
	buf := make([]byte, maxPacket)
	for {
		n, from, err := r.front.ReadFromUDPAddrPort(buf)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // an ICMP error about a client that went away
		}
		if p := r.peer(from); p != nil {
			r.accept(toTarget, p, buf[:n])
		}
	}
}

// readTarget takes what the target sends to one client.
func (r *Relay) readTarget(p *peer) {
	buf := make([]byte, maxPacket)
	for {
		n, err := p.back.Read(buf)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // nobody listens at the target, for now
		}
		r.accept(toClient, p, buf[:n])
	}
}

// peer returns what stands for a client address, or nil when there can be no more.
func (r *Relay) peer(addr netip.AddrPort) *peer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[addr]; p != nil || r.closed {
		return p
	}
	if len(r.peers) >= r.cfg.MaxClients {
		r.stats.Received++
		r.stats.Overflow++
		return nil
	}
	back, err := net.DialUDP("udp", nil, r.target)
	if err != nil {
		r.stats.Received++
		r.stats.Failed++
		return nil
	}
	_ = back.SetReadBuffer(socketBuffer)
	p := &peer{addr: addr, back: back}
	r.peers[addr] = p
	r.wg.Go(func() { r.readTarget(p) })
	return p
}

// accept decides about a packet and, if it survives, puts a copy of it under way.
func (r *Relay) accept(d direction, p *peer, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.stats.Received++
	r.number++
	at, ok := r.links[d].schedule(&r.cfg, time.Now())
	if !ok {
		r.stats.Lost++
		return
	}
	if len(r.queue.heap) >= r.cfg.MaxQueued {
		r.stats.Overflow++
		return
	}
	r.queue.push(packet{at: at, number: r.number, dir: d, peer: p, data: r.queue.buffer(data)})
	if r.queue.heap[0].number == r.number {
		r.nudge()
	}
}

// nudge makes release look at the queue again.
func (r *Relay) nudge() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// release sends packets on when their time comes.
func (r *Relay) release() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		p, wait, ok := r.due(time.Now())
		switch {
		case ok:
			r.send(p)
			continue
		case wait < 0:
			return
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-r.wake:
		}
	}
}

// due takes the next packet whose time has come. Without one it says how long to wait, or a negative duration
// when the relay is closed.
func (r *Relay) due(now time.Time) (p packet, wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return packet{}, -1, false
	case len(r.queue.heap) == 0:
		return packet{}, time.Hour, false
	}
	if wait := r.queue.heap[0].at.Sub(now); wait > 0 {
		return packet{}, wait, false
	}
	return r.queue.pop(), 0, true
}

func (r *Relay) send(p packet) {
	var err error
	if p.dir == toTarget {
		_, err = p.peer.back.Write(p.data)
	} else {
		_, err = r.front.WriteToUDPAddrPort(p.data, p.peer.addr)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
		r.stats.Failed++
	case !r.links[p.dir].left(p.number):
		r.stats.Forwarded++
		r.stats.Reordered++
	default:
		r.stats.Forwarded++
	}
	r.queue.recycle(p.data)
}

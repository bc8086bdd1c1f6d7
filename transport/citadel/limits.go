package citadel

import (
	"net"
	"net/netip"
	"sync/atomic"

	"github.com/quic-go/quic-go"
)

// census knows how many connections a server has, by what they are limited. The listener's mutex guards it.
type census struct {
	perIP    map[netip.Prefix]int
	halfOpen map[*Conn]struct{} // those that have not authenticated

	// Connections that speak other protocols, and on which links may come that are counted above.
	others      map[*quic.Conn]struct{}
	othersPerIP map[netip.Prefix]int
}

func (s *census) init() {
	s.perIP = make(map[netip.Prefix]int)
	s.halfOpen = make(map[*Conn]struct{})
	s.others = make(map[*quic.Conn]struct{})
	s.othersPerIP = make(map[netip.Prefix]int)
}

// refuse says whether a newcomer must stay outside. If instead somebody else should go for it, that one is
// returned.
func (l *Listener) refuse(from netip.Prefix) (refused *CloseError, victim *Conn) {
	switch {
	case l.closed:
		l.counters.refusedShutdown.Add(1)
		return &CloseError{Code: CodeShutdown, Reason: "server shut down"}, nil
	case len(l.conns) >= l.cfg.MaxConnections:
		l.counters.refusedFull.Add(1)
		return &CloseError{Code: CodeServerFull, Reason: "server full"}, nil
	case l.crowded(l.census.perIP[from], from):
		l.counters.refusedIP.Add(1)
		return &CloseError{Code: CodeAddressFull, Reason: "too many connections from this address"}, nil
	case len(l.census.halfOpen) >= l.cfg.MaxHalfOpen:
		l.counters.refusedHalfOpen.Add(1)
		if victim = l.census.silent(); victim == nil {
			return &CloseError{Code: CodeServerFull, Reason: "too many handshakes at once"}, nil
		}
	}
	return nil, victim
}

// crowded reports whether n connections from one network are as many as there may be.
func (l *Listener) crowded(n int, from netip.Prefix) bool {
	return l.cfg.MaxConnectionsPerIP > 0 && from.IsValid() && n >= l.cfg.MaxConnectionsPerIP
}

// refuseOther says whether a newcomer that speaks another protocol must stay outside. There may be twice as many
// of them as of our own, because if their links are refused, they learn why.
func (l *Listener) refuseOther(from netip.Prefix) bool {
	switch {
	case l.closed:
		l.counters.refusedShutdown.Add(1)
	case len(l.census.others)/2 >= l.cfg.MaxConnections:
		l.counters.refusedFull.Add(1)
	case l.crowded(l.census.othersPerIP[from]/2, from):
		l.counters.refusedIP.Add(1)
	default:
		return false
	}
	return true
}

// silent returns the oldest of those who have not even asked to be let in, or nil.
func (s *census) silent() (oldest *Conn) {
	for c := range s.halfOpen {
		if (oldest == nil || c.id < oldest.id) && !c.asked.Load() {
			oldest = c
		}
	}
	return oldest
}

func (s *census) enter(c *Conn) {
	s.halfOpen[c] = struct{}{}
	s.perIP[c.origin]++
}

func (s *census) leave(c *Conn) {
	delete(s.halfOpen, c)
	decrement(s.perIP, c.origin)
}

func (s *census) enterOther(qc *quic.Conn, from netip.Prefix) {
	s.others[qc] = struct{}{}
	s.othersPerIP[from]++
}

func (s *census) leaveOther(qc *quic.Conn, from netip.Prefix) {
	delete(s.others, qc)
	decrement(s.othersPerIP, from)
}

func decrement(perIP map[netip.Prefix]int, from netip.Prefix) {
	if perIP[from]--; perIP[from] == 0 {
		delete(perIP, from)
	}
}

// origin returns the network that an address is counted under: itself, or for IPv6 the 64 bits that one
// customer of a provider usually gets. What is no IP address is not valid.
func origin(addr net.Addr) netip.Prefix {
	var ip netip.Addr
	switch a := addr.(type) {
	case *net.UDPAddr:
		ip = a.AddrPort().Addr()
	case *net.TCPAddr:
		ip = a.AddrPort().Addr()
	case *net.IPAddr:
		ip, _ = netip.AddrFromSlice(a.IP)
	case nil:
	default:
		if host, err := netip.ParseAddrPort(addr.String()); err == nil {
			ip = host.Addr()
		}
	}
	ip = ip.Unmap().WithZone("")
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	prefix, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}

// budget is a number of bytes that many may take from. A nil budget is inexhaustible.
type budget struct {
	limit int64
	used  atomic.Int64
}

// take takes n bytes, or none and returns false.
func (b *budget) take(n int) bool {
	if b == nil {
		return true
	}
	if b.used.Add(int64(n)) > b.limit {
		b.used.Add(int64(-n))
		return false
	}
	return true
}

func (b *budget) give(n int) {
	if b != nil {
		b.used.Add(int64(-n))
	}
}

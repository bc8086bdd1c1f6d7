package authority

import "github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"

// BytesLeft returns how many bytes an identity may send at present. The number may be negative.
func (s *Server) BytesLeft(id replica.PeerID) float64 {
	if a := s.accounts[id]; a != nil {
		return a.bytes.tokens
	}
	return 0
}

// Footprint returns how many things the server remembers of identities, over all objects.
func (s *Server) Footprint() int {
	n := len(s.accounts) + len(s.left) + len(s.members)
	for _, o := range s.objects {
		n += len(o.proposers)
	}
	return n
}

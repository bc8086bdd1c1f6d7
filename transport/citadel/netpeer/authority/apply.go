package authority

import (
	"cmp"
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Receive validates the body of a wire.KindRepDelta envelope and applies it. See [Server.Validate] and
// [Server.Apply].
func (s *Server) Receive(from replica.PeerID, now uint64, body []byte, emit Emit) error {
	if err := s.Validate(from, now, body, &s.scratch); err != nil {
		return err
	}
	return s.Apply(&s.scratch, emit)
}

// Apply makes a proposal that was validated part of the state and tells the others: each connection of the match,
// other than the sender, for which the object is relevant gets a bunch of the server's own, from what it has to
// what there is now. If values were vetoed the sender gets their true values.
//
// Between validating and applying much may happen, so that it is checked once more that the object is the same one,
// in the same match and with the same owner, that the sender is still there, that the token is still a new one and
// that elements can still be changed as proposed. If not, nothing is applied and the error is a [Reason]. A
// proposal can be applied once. Any other error is that of a bunch that could not be made, for want of
// tokens for instance: the proposal is applied all the same, and everybody else was told.
func (s *Server) Apply(p *Proposal, emit Emit) error {
	r := s.recheck(p)
	s.stats[r]++
	if r != Accepted {
		return r
	}
	o := p.object
	s.write(o, p)
	known := o.proposers[p.From]
	if known == nil {
		o.forgetProposer()
		known = &proposer{session: s.members[p.From].session}
		o.proposers[p.From] = known
	}
	if known.highest = p.bunch.Result; p.bunch.Full {
		known.bound = p.version
	}
	err := s.rebroadcast(o, p.From, emit)
	if len(s.vetoed) > 0 {
		err = cmp.Or(err, s.correct(o, p.From, emit))
	}
	return err
}

// maxProposers is of how many identities an object knows which tokens they have used.
const maxProposers = 256

// forgetProposer makes room for one more, at the cost of the one that has been on its connection for longest.
func (o *object) forgetProposer() {
	if len(o.proposers) < maxProposers {
		return
	}
	var oldest replica.PeerID
	session := uint64(math.MaxUint64)
	for id, p := range o.proposers { // sessions differ, so that the order does not matter
		if p.session < session {
			oldest, session = id, p.session
		}
	}
	delete(o.proposers, oldest)
}

func (s *Server) recheck(p *Proposal) Reason {
	o := s.objects[p.Object]
	m := s.members[p.From]
	switch {
	case p.object == nil || o == nil:
		return UnknownObject
	case o.entity.Generation() != p.generation, o.entity.Group() != p.match, o.entity.Owner() != p.From, o.epoch != p.epoch:
		return Overtaken
	case o.persistent && (m == nil || m.guest):
		return Guest
	case m == nil:
		return NoMatch
	case m.match != p.match:
		return Overtaken
	}
	if known := s.known(o, p.From, m); known != nil && p.bunch.Result <= known.highest {
		return Stale
	}
	for i := range p.bunch.Changes {
		c := &p.bunch.Changes[i]
		if d, err := c.Value.Collection(); err == nil && !s.live.admits(o.entity.State(), c.Field, d) {
			return Overtaken
		}
	}
	return Accepted
}

// write puts the values of a proposal into the state, except for those that are vetoed, which it lists.
func (s *Server) write(o *object, p *Proposal) {
	s.vetoed = s.vetoed[:0]
	st := o.entity.State()
	for i := range p.bunch.Changes {
		c := &p.bunch.Changes[i]
		if d, err := c.Value.Collection(); err == nil {
			_ = st.ApplyItems(c.Field, d) // it was found admissible
			continue
		}
		if s.config.Veto != nil && s.config.Veto(p, o.entity, c.Field, &c.Value) {
			s.vetoed = append(s.vetoed, c.Field)
			continue
		}
		_ = st.SetValue(c.Field, &c.Value) // it was made for the field
		o.changed[c.Field] = change{at: p.At, was: true}
	}
}

// rebroadcast tells everyone but the sender, who is charged for it and whose allowance ends it.
func (s *Server) rebroadcast(o *object, from replica.PeerID, emit Emit) error {
	account := s.accounts[from]
	sent := 0.0
	var failed error
	for _, id := range s.roster[o.entity.Group()] {
		if id == from {
			continue
		}
		if _, relevant := slices.BinarySearch(s.sender.Relevant(id), o.entity.ID()); !relevant {
			continue
		}
		if sent > account.bytes.capacity {
			continue
		}
		role := min(s.sender.RoleOf(id, o.entity.ID()), replica.Observer)
		body, h, err := s.sender.AppendBunch(s.buffer[:0], id, o.entity.ID(), role)
		if s.buffer = body[:0]; err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		if h.Result == 0 {
			continue
		}
		sent += float64(len(body))
		emit(id, wire.KindRepDelta, body)
	}
	account.bytes.tokens -= sent
	return failed
}

// correct tells the sender the true values of what was vetoed.
func (s *Server) correct(o *object, from replica.PeerID, emit Emit) error {
	token, err := s.sender.NextToken()
	if err != nil {
		return err
	}
	b := netpeer.Bunch{Header: netpeer.Header{Object: o.entity.ID(), Full: true, Result: token}}
	for _, i := range s.vetoed {
		if v := o.entity.State().Value(i); v.Kind() != netpeer.KindNone {
			b.Changes = append(b.Changes, netpeer.Change{Field: i, Value: v})
		}
	}
	body, err := o.entity.Class().Schema().AppendBunch(s.buffer[:0], &b)
	if err != nil {
		return err
	}
	s.buffer = body[:0]
	s.accounts[from].bytes.tokens -= float64(len(body))
	emit(from, wire.KindRepDelta, body)
	return nil
}

package replica

import (
	"errors"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// build appends the bunch that leads a receiver from what it has to what there is.
func (s *Sender) build(dst []byte, l *link, role Role) ([]byte, netpeer.Header, error) {
	e := l.entity
	if role != l.role {
		if !e.class.sameView(l.role, role) {
			l.forget()
		}
		l.role = role
	}
	to := e.freeze()
	full := l.acked == nil || l.run >= s.config.MaxPending || s.timedOut(l) || s.tooLarge(e.class, to)
	out, h, err := s.encode(dst, l, to, full)
	if err != nil && !full && errors.Is(err, netpeer.ErrTooManyItems) {
		full = true // there is more to remove than fits a bunch
		out, h, err = s.encode(dst, l, to, full)
	}
	if err != nil || h.Result == 0 {
		return dst, netpeer.Header{}, err
	}
	s.ids.Last = h.Result
	l.sent(pending{id: h.Result, tick: s.tick, full: full, sent: to}, s.config.MaxPending)
	return out, h, nil
}

// encode appends a bunch with the next token, or nothing if there is nothing to say.
func (s *Sender) encode(dst []byte, l *link, to *snapshot, full bool) ([]byte, netpeer.Header, error) {
	e := l.entity
	h := netpeer.Header{Object: e.id, Full: full, Result: s.ids.Last + 1, Base: l.ackedID}
	if h.Result == 0 {
		return dst, netpeer.Header{}, baseline.ErrExhausted
	}
	from := uint64(0)
	if full {
		h.Base = 0
	} else {
		from = l.acked.serial
	}
	if s.config.Unshared || l.custom != nil {
		s.bunch.Header, s.bunch.Changes = h, s.changes(l, to, full)
		if len(s.bunch.Changes) == 0 && !full {
			return dst, netpeer.Header{}, nil
		}
		out, err := e.class.wire.AppendBunch(dst, &s.bunch)
		return out, h, err
	}
	p, ready := e.payload(from, l.role)
	if p == nil {
		p = &s.payload
		p.values, p.arena = p.values[:0], p.arena[:0]
	}
	if !ready {
		if err := p.pack(e.class.wire, s.changes(l, to, full)); err != nil {
			return dst, netpeer.Header{}, err
		}
		if p != &s.payload {
			e.used++
		}
	}
	if len(p.values) == 0 && !full {
		return dst, netpeer.Header{}, nil
	}
	out, err := e.class.wire.AppendPrepared(dst, h, p.values)
	return out, h, err
}

func (p *payload) pack(wire *netpeer.Schema, changes []netpeer.Change) (err error) {
	for i := range changes {
		var v netpeer.Prepared
		if p.arena, v, err = wire.Prepare(p.arena, changes[i].Field, &changes[i].Value); err != nil {
			return err
		}
		p.values = append(p.values, v)
	}
	return nil
}

func (s *Sender) changes(l *link, to *snapshot, full bool) []netpeer.Change {
	view := &l.entity.class.views[l.role]
	if full {
		return s.differ.full(l.entity.class, to, view.full, l.custom)
	}
	return s.differ.between(l.entity.class, l.acked, to, view.delta, l.custom)
}

// timedOut reports whether nothing of what was sent since the last full bunch has been acknowledged for too long.
func (s *Sender) timedOut(l *link) bool {
	return l.run > 0 && s.tick-l.pending[len(l.pending)-l.run].tick >= s.config.AckTimeout
}

// tooLarge reports whether a collection has so many elements that no differences are made.
func (s *Sender) tooLarge(c *Class, shot *snapshot) bool {
	for _, i := range c.lists {
		if d, _ := shot.values[i].Collection(); len(d.Added) > s.config.MaxItems {
			return true
		}
	}
	return false
}

// sameView reports whether two roles see the same fields of a class.
func (c *Class) sameView(a, b Role) bool {
	return equalFields(c.views[a].delta, c.views[b].delta) && equalFields(c.views[a].full, c.views[b].full)
}

func equalFields(a, b Fields) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

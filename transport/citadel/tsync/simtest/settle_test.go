package simtest

import (
	"fmt"
	"slices"
)

// unsettled returns what of a player is not as it should be after a while of fair weather and nothing to do, or nothing.
func (p *player) unsettled() string {
	s := p.sim
	v := p.view()
	if v == nil {
		return fmt.Sprintf("participant %d has no world", p.participant)
	}
	has := map[uint32]bool{}
	for o := range v.Objects() {
		has[o.ID] = true
		f := s.now(o.ID)
		if got := (seen{o.ID, o.Gen, o.State}); !f.live || got != f.seen {
			return fmt.Sprintf("participant %d has %+v, the world %+v (live %v)", p.participant, got, f.seen, f.live)
		}
	}
	for id := range s.ids() {
		f := s.now(id)
		r, told := p.client.Role(id)
		if told != has[id] && (has[id] || id > uint32(s.plan.clients)) { // owners hear of what they do not see
			return fmt.Sprintf("participant %d: object %d is seen: %v, its role is known: %v", p.participant, id, has[id], told)
		}
		if !f.live {
			continue
		}
		if has[id] && (r.Gen != f.seen.gen || r.Owner != f.object.Owner || r.OwnershipEpoch != f.object.OwnershipEpoch) {
			return fmt.Sprintf("participant %d: object %d is %+v, its role %+v", p.participant, id, f.object, r)
		}
		if near := p.nearness(f.object.State.Position); near == inside && !has[id] || near == outside && has[id] {
			return fmt.Sprintf("participant %d: object %d is near: %v, is seen: %v", p.participant, id, near == inside, has[id])
		}
	}
	return p.unsettledInputs()
}

// unsettledInputs is what unsettled says of the player's own objects.
func (p *player) unsettledInputs() string {
	s := p.sim
	if len(p.shots) > 0 {
		return fmt.Sprintf("participant %d has not learnt of %d shots", p.participant, len(p.shots))
	}
	p.owned = p.client.AppendOwned(p.owned[:0])
	for id := range uint32(s.plan.clients) {
		f := s.now(id + 1)
		mine := f.live && f.object.Owner == p.participant
		owns := slices.Contains(p.owned, id+1)
		if mine && !owns {
			return fmt.Sprintf("participant %d does not know that %d is its own", p.participant, id+1)
		}
		if !mine {
			continue // the client may think so of an object that died out of view
		}
		o, ok := p.view().Object(id + 1)
		if !ok {
			continue
		}
		in := p.inputs[ownership{id + 1, f.object.OwnershipEpoch}]
		if in == nil {
			in = &inputs{}
		}
		state, _, placed := p.client.Predicted(id + 1)
		switch {
		case !placed || state != o.State:
			return fmt.Sprintf("participant %d predicts %d at %+v, it is at %+v", p.participant, id+1, state, o.State)
		case int(in.applied) != len(in.pushed) || in.applied != f.object.InputSeq:
			return fmt.Sprintf("participant %d: %d of %d inputs for %d have counted", p.participant, in.applied, len(in.pushed), id+1)
		case in.owed:
			return fmt.Sprintf("participant %d: the last shot of %d was not resolved", p.participant, id+1)
		}
	}
	return ""
}

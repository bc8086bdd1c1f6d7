package simtest

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// leastPayload is enough for any update.
const leastPayload = 110

// disturb does to world and networks whatever may happen between two ticks.
func (s *sim) disturb() {
	s.turnBack()
	if s.rng.IntN(10) == 0 {
		s.disturbObject(uint32(s.plan.clients + 1 + s.rng.IntN(s.plan.objects)))
	}
	if s.rng.IntN(40) == 0 {
		s.disturbOwned(uint32(1 + s.rng.IntN(s.plan.clients)))
	}
	for _, p := range s.players {
		p.disturb()
	}
}

// turnBack keeps objects in the square: some are looked at in every tick.
func (s *sim) turnBack() {
	const share = 16
	for i := s.tick % share; i < s.plan.objects; i += share {
		id := uint32(s.plan.clients + 1 + i)
		o, ok := s.world.Object(id)
		if !ok || o.State.Velocity == ([3]float32{}) {
			continue
		}
		turned := false
		for axis := range 2 {
			if at, v := o.State.Position[axis], &o.State.Velocity[axis]; at > s.plan.side/2 && *v > 0 || at < -s.plan.side/2 && *v < 0 {
				*v, turned = -*v, true
			}
		}
		if turned {
			s.must(s.world.SetState(id, o.State))
		}
	}
}

// disturbObject does something to an object of nobody, or to where one was.
func (s *sim) disturbObject(id uint32) {
	o, live := s.world.Object(id)
	what := s.rng.IntN(12)
	if !live {
		if what < 6 {
			s.spawn(id)
			s.count.Respawns++
		}
		return
	}
	switch what {
	case 0:
		s.world.Despawn(id)
		s.count.Despawns++
	case 1: // respawned over the live one
		s.spawn(id)
		s.count.Respawns++
	case 2: // gone and back before anybody could see that
		s.world.Despawn(id)
		s.spawn(id)
		s.count.Respawns++
	case 3:
		s.teleport(id, s.state(o.Role == tsync.ServerSimulated))
	case 4:
		s.must(s.world.SetState(id, s.state(o.Role == tsync.ServerSimulated)))
	case 5, 6:
		s.must(s.world.SetReplicateVelocity(id, !o.ReplicateVelocity))
		s.count.Switched++
	case 7:
		s.must(s.world.SetPriority(id, s.rng.Float32()*8-1))
	case 8: // less than the quantum
		o.State.Position[0] += 0.01
		s.must(s.world.SetState(id, o.State))
	default:
		if o.Role == tsync.ServerSimulated {
			o.State.Velocity = s.velocity(s.rng, 600)
			o.State.Rotation = rotation(s.rng)
			s.must(s.world.SetState(id, o.State))
		}
	}
}

// disturbOwned does something to an object of a player.
func (s *sim) disturbOwned(id uint32) {
	o, live := s.world.Object(id)
	what := s.rng.IntN(10)
	if !live {
		if !s.plan.slots && what < 5 {
			s.spawnPlayer(id, uint64(id))
			s.count.Respawns++
		}
		return
	}
	switch what {
	case 0:
		if !s.plan.slots {
			s.world.Despawn(id)
			s.count.Despawns++
		}
	case 1:
		if !s.plan.slots {
			s.spawnPlayer(id, o.Owner)
			s.count.Respawns++
		}
	case 2:
		s.teleport(id, s.state(false))
	case 3: // knocked aside
		for i := range 2 {
			o.State.Position[i] += 200 * (s.rng.Float32() - 0.5)
		}
		s.must(s.world.SetState(id, o.State))
	case 4:
		s.must(s.world.SetReplicateVelocity(id, !o.ReplicateVelocity))
		s.count.Switched++
	case 5, 6:
		owner := uint64(1 + s.rng.IntN(s.plan.clients))
		if s.rng.IntN(8) == 0 {
			owner = 0
		}
		_, err := s.world.AssignOwner(id, owner)
		s.must(err)
		s.count.Handoffs++
	case 7: // taken away and given back
		for _, owner := range []uint64{0, o.Owner} {
			_, err := s.world.AssignOwner(id, owner)
			s.must(err)
			s.count.Handoffs++
		}
	}
}

// disturb does something to a player and its network.
func (p *player) disturb() {
	s := p.sim
	switch p.rng.IntN(400) {
	case 0:
		p.up.weather = p.weather()
	case 1:
		p.down.weather = p.weather()
	case 2: // acknowledgements and inputs
		if p.rng.IntN(2) == 0 {
			p.darkUp = s.tick + p.rng.IntN(400)
			s.count.Blackouts++
		}
	case 3:
		if p.rng.IntN(4) == 0 {
			p.darkDown = s.tick + p.rng.IntN(400)
			s.count.Blackouts++
		}
	case 4:
		p.look()
		s.count.Looks++
	case 5:
		p.follow(uint32(1 + p.rng.IntN(s.plan.clients+s.plan.objects)))
	case 10, 11, 12:
		p.follow(uint32(p.participant))
	case 6:
		p.radius = interest.Radius{
			Enter: s.plan.config.Radius.Enter * (0.1 + 0.9*p.rng.Float32()), Leave: s.plan.config.Radius.Leave,
		}
		p.must(p.conn.SetRadius(p.radius))
	case 13: // the path carries more or less
		most := s.plan.config.MaxPayload
		p.carries = 100 + p.rng.IntN(max(most-100, 1))
		if p.carries < leastPayload || p.rng.IntN(2) == 0 {
			p.carries = most
		}
		p.conn.SetMaxPayload(p.carries)
		s.count.Paths++
	case 7:
		p.quietUntil = s.tick + p.rng.IntN(300)
	case 8:
		if p.rng.IntN(8) == 0 {
			p.connect()
		}
	case 9: // to and fro across the border of relevance
		if p.follows == 0 {
			p.viewer[0] += s.plan.config.Radius.Leave * (p.rng.Float32() - 0.5)
			p.must(p.conn.Look(p.viewer))
		}
	}
}

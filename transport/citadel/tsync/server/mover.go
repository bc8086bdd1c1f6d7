package server

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// How demo movers move.
const (
	moverReach = 500 // centimetres from the middle
	moverSpeed = 200 // centimetres a second
	moverLane  = 300 // centimetres between the paths of two
)

// mover makes an object turn round at both ends of a path along the x axis. The zero value does nothing.
type mover struct {
	reach float32 // centimetres from x = 0
}

// turn points the velocity inwards if the object is past an end.
func (m mover) turn(s *tsync.State) {
	if m.reach == 0 {
		return
	}
	if out := s.Position[0] > m.reach && s.Velocity[0] > 0 || s.Position[0] < -m.reach && s.Velocity[0] < 0; out {
		s.Velocity[0] = -s.Velocity[0]
	}
}

// spawnMovers makes n objects move to and fro side by side, each against its neighbours.
func (w *World) spawnMovers(n int) {
	for i := range n {
		direction := float32(1 - 2*(i%2))
		id := uint32(i + 1)
		_, err := w.Spawn(Object{
			ID: id, Role: tsync.ServerSimulated, ReplicateVelocity: true, Shape: rewind.Shape{Radius: rewind.DefaultRadius},
			State: tsync.State{
				Position: [3]float32{-moverReach * direction, moverLane * float32(i), 0},
				Rotation: identity,
				Velocity: [3]float32{moverSpeed * direction, 0, 0},
			},
		})
		if err != nil {
			panic("server: a demo mover is not valid: " + err.Error())
		}
		w.find(id).mover = mover{reach: moverReach}
	}
}

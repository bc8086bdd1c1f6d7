package main

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// The game: players run on a field among figures that run in eights, and shoot at them and at each other. Who is hit
// is pushed away, and loses health if it is a player, see duel.go. Centimetres and seconds everywhere.

const (
	simRate  = 60 // steps a second
	stepTime = 1.0 / simRate

	fieldHalf = 2_500 // the field reaches so far from the middle, in x and y
	topSpeed  = 500   // of players
	knockback = 60    // how far who is hit is pushed
	bodySize  = rewind.DefaultRadius

	firstMover = 1001 // object id; players have theirs from 1
	maxPlayers = 64
	maxMovers  = 1024
)

// offer is how snapshots are encoded. A position costs 16, 16 and 12 bits, because the field is no larger.
func offer(sendRate uint8) tsync.Hello {
	return tsync.Hello{
		Position: tsync.Bounds{
			Min:     [3]float32{-fieldHalf - 500, -fieldHalf - 500, -50},
			Max:     [3]float32{fieldHalf + 500, fieldHalf + 500, 450},
			PerUnit: 8,
		},
		Velocity: tsync.Bounds{
			Min:     [3]float32{-1000, -1000, -1000},
			Max:     [3]float32{1000, 1000, 1000},
			PerUnit: 4,
		},
		Quat:     quant.Quat10,
		SendRate: sendRate,
		SimRate:  simRate,
	}
}

// limits are what a player's inputs are held to, by the server and by the player's own prediction: if the two differed,
// the prediction would be wrong all the time.
func limits() motion.Limits {
	return motion.Limits{
		MaxSpeed: topSpeed,
		MaxDT:    motion.DefaultMaxDT,
		World: motion.Box{
			Min: [3]float32{-fieldHalf, -fieldHalf, 0},
			Max: [3]float32{fieldHalf, fieldHalf, 0},
		},
	}
}

// rules say how a field is played on.
type rules struct {
	movers, players int
	sendRate        uint8
	gallery         bool // movers run to and fro in front of a row of players
	uncompensated   bool // shots are resolved in the present
}

// field is the world of the game.
type field struct {
	world  *server.World
	movers []mover
	duel   *duel
	hits   int // shots that hit something
	shots  int
}

func newField(r rules) (*field, error) {
	f := &field{duel: newDuel()}
	cfg := server.Config{
		Hello:       offer(r.sendRate),
		Epoch:       1,
		Budget:      -1, // as many as have room
		Limits:      limits(),
		PlayerSlots: r.players,
		SpawnPoint:  spawnPoint,
		OnShot:      f.shot,
	}
	if r.gallery {
		cfg.SpawnPoint = row
	}
	if r.uncompensated {
		cfg.Rewind = rewind.Limits{MaxRTT: 1}
	}
	var err error
	if f.world, err = server.New(cfg); err != nil {
		return nil, err
	}
	for i := range r.movers {
		m := newMover(i)
		if r.gallery {
			m = newDuck(i)
		}
		f.movers = append(f.movers, m)
		_, err := f.world.Spawn(server.Object{
			ID: firstMover + uint32(i), Role: tsync.ServerSimulated, ReplicateVelocity: true,
			State: m.at(0), Shape: rewind.Shape{Radius: bodySize},
		})
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// spawnPoint puts players on a circle.
func spawnPoint(slot uint32) tsync.State {
	sin, cos := math.Sincos(float64(slot) * 2.4) // the golden angle: nobody stands in front of another
	return tsync.State{
		Position: [3]float32{float32(fieldHalf * 0.8 * cos), float32(fieldHalf * 0.8 * sin), 0},
		Rotation: facing(-cos, -sin),
	}
}

// row puts players side by side, where nobody is in front of another.
func row(slot uint32) tsync.State {
	return tsync.State{
		Position: [3]float32{float32(int(slot)*200 - 900), -2000, 0},
		Rotation: facing(0, 1),
	}
}

// tick takes a step. Players have moved when their inputs came.
func (f *field) tick() {
	for i := range f.movers {
		s := f.movers[i].at(float64(f.world.Now()+1) * stepTime)
		for axis := range s.Position {
			s.Position[axis] -= s.Velocity[axis] * stepTime // the world adds it: it moves whatever has a velocity
		}
		if err := f.world.SetState(firstMover+uint32(i), s); err != nil {
			panic("arena: a mover got lost: " + err.Error())
		}
	}
	f.world.Tick()
	f.duel.tick(f.world.Now())
}

// shot is called when the world has found out what a shot hit.
func (f *field) shot(by *server.Client, s server.Shot) {
	f.shots++
	if !s.Result.Hit {
		return
	}
	f.hits++
	if shooter, ok := by.Slot(); ok {
		f.duel.hit(shooter, s.Hit.Object, f.world.Now())
	}
	victim, ok := f.world.Object(s.Hit.Object)
	if !ok || victim.Role != tsync.OwnerPredicted {
		return
	}
	// The victim did not foresee this: its prediction is corrected.
	dx, dy := float64(s.Frame.Direction[0]), float64(s.Frame.Direction[1])
	if length := math.Hypot(dx, dy); length > 0 {
		push := [3]float32{float32(knockback * dx / length), float32(knockback * dy / length), 0}
		box := limits().World
		for i := range push {
			at := victim.State.Position[i] + push[i]
			victim.State.Position[i] = max(box.Min[i], min(at, box.Max[i]))
		}
		_ = f.world.SetState(victim.ID, victim.State) // fails for what is not finite, and this is
	}
}

// mover runs in an eight. Some stop now and then.
type mover struct {
	x, y, width, height float64
	turn, phase         float64 // radians a second, radians
	stops               bool
	duck                float64 // speed of a mover that runs on a straight line instead
}

// newMover returns one of many, no two of which run alike.
func newMover(i int) mover {
	column, row := i%4, i/4%4
	m := mover{
		x: float64(column-1)*1000 - 500, y: float64(row-1)*1000 - 500,
		width: 400, height: 250,
		turn: 0.7 + 0.05*float64(i%5), phase: float64(i),
	}
	if i%2 == 1 {
		m.stops = true
		m.turn /= 2 // it is faster in between
	}
	return m
}

// newDuck returns a mover of a shooting gallery: it runs to and fro, always equally fast.
func newDuck(i int) mover {
	return mover{y: float64(i%8) * 300, width: 700, phase: float64(i) * 300, duck: duckSpeed}
}

const duckSpeed = 300

// A mover that stops does so every stopEvery seconds, after having run for stopAfter.
const (
	stopEvery = 4.0
	stopAfter = 2.5
)

// at returns where the mover is at a time.
func (m mover) at(seconds float64) tsync.State {
	if m.duck > 0 {
		return m.straight(seconds)
	}
	pace := 1.0
	if m.stops {
		whole, part := math.Modf(seconds / stopEvery)
		u := min(part*stopEvery/stopAfter, 1)
		// From rest to rest without a jerk.
		seconds = (whole + u*u*(3-2*u)) * stopEvery
		pace = 6 * u * (1 - u) * stopEvery / stopAfter
	}
	a := m.turn*seconds + m.phase
	vx := m.width * m.turn * pace * math.Cos(a)
	vy := m.height * 2 * m.turn * pace * math.Cos(2*a)
	return tsync.State{
		Position: [3]float32{float32(m.x + m.width*math.Sin(a)), float32(m.y + m.height*math.Sin(2*a)), 0},
		Rotation: facing(math.Cos(a)*m.width, 2*math.Cos(2*a)*m.height),
		Velocity: [3]float32{float32(vx), float32(vy), 0},
	}
}

// straight returns where a duck is.
func (m mover) straight(seconds float64) tsync.State {
	way := math.Mod(m.duck*seconds+m.phase, 4*m.width)
	x, v := way-m.width, m.duck
	if way > 2*m.width {
		x, v = 3*m.width-way, -m.duck
	}
	return tsync.State{
		Position: [3]float32{float32(m.x + x), float32(m.y), 0},
		Rotation: facing(v, 0),
		Velocity: [3]float32{float32(v), 0, 0},
	}
}

// facing returns the rotation about the z axis that points x along a direction.
func facing(dx, dy float64) [4]float32 {
	sin, cos := math.Sincos(math.Atan2(dy, dx) / 2)
	return [4]float32{0, 0, float32(sin), float32(cos)}
}

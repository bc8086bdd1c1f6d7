package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// bot plays by itself: it runs from one place to the next, and shoots at what it sees. A human would be in its place.
type bot struct {
	rng     *rand.Rand
	gallery bool // does not run, and does not miss on purpose
	rests   bool // does not shoot any more
	down    bool // has been brought down, and lies there

	goal   [2]float64
	pause  int // steps that it stays where it is
	every  int // steps between two shots
	reload int // steps until the next one

	aimed   uint32            // what the shot of this step would hit by what is on the screen; 0 for nothing
	waiting map[uint32]uint32 // the same, by the number of the input, of shots without a result

	shots, seen  int // shots, and those that hit something on the screen
	hits, agreed int // results with a hit, and those that are what was seen
	answered     int // results
}

const (
	botReload = 24    // steps between two shots
	botSight  = 2_500 // centimetres
	botSpread = 25    // centimetres beside the middle, at most
	botMisses = 5     // one in so many shots goes far off
	botFarOff = 200   // centimetres
	botPause  = 90    // steps that it stays at a goal, at most
	botEye    = 1     // centimetres: the height of the gun
)

func newBot(seed uint64, i int) *bot {
	b := &bot{rng: rand.New(rand.NewPCG(seed, uint64(i))), every: botReload, waiting: make(map[uint32]uint32)}
	b.reload = botReload + b.rng.IntN(botReload)
	b.choose()
	return b
}

// botName names bot number i, from zero.
func botName(i int) string {
	names := [...]string{"ada", "bob", "cleo", "dan", "eve", "finn", "gus", "hal"}
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s-%d", names[i%len(names)], i/len(names)+1)
}

func (b *bot) choose() {
	for i := range b.goal {
		b.goal[i] = (2*b.rng.Float64() - 1) * 0.9 * fieldHalf
	}
}

// want says what the bot does in a step, by where it is and what it sees.
func (b *bot) want(object uint32, me *tsync.State, poses []client.Pose) client.Input {
	in := client.Input{DT: stepTime}
	if b.down {
		return in
	}
	if !b.gallery {
		in.Move = b.run(me)
	}
	b.aimed = 0
	if b.reload--; b.reload <= 0 && !b.rests {
		if target, ok := b.pick(object, me, poses); ok {
			b.shoot(&in, object, me, target, poses)
			b.reload = b.every
		}
	}
	return in
}

// run heads for the goal.
func (b *bot) run(me *tsync.State) [3]float32 {
	dx, dy := b.goal[0]-float64(me.Position[0]), b.goal[1]-float64(me.Position[1])
	far := math.Hypot(dx, dy)
	if b.pause > 0 {
		b.pause--
		return [3]float32{}
	}
	if far < 50 {
		b.choose()
		b.pause = b.rng.IntN(botPause)
	}
	speed := min(0.9*topSpeed, 4*far) / max(far, 1)
	return [3]float32{float32(dx * speed), float32(dy * speed), 0}
}

// pick returns something on the screen that is near enough, other than the bot itself.
func (b *bot) pick(object uint32, me *tsync.State, poses []client.Pose) (found *client.Pose, ok bool) {
	n := 0
	for i := range poses {
		at := &poses[i].State.Position
		far := math.Hypot(float64(at[0]-me.Position[0]), float64(at[1]-me.Position[1]))
		if b.gallery && poses[i].Object < firstMover {
			continue // not at each other
		}
		if poses[i].Object == object || far > botSight || far < float64(2*bodySize) {
			continue
		}
		if n++; b.rng.IntN(n) == 0 { // each of them with the same chance
			found = &poses[i]
		}
	}
	return found, found != nil
}

// shoot fires at what it sees where it sees it: the server puts the world back to that.
func (b *bot) shoot(in *client.Input, object uint32, me *tsync.State, target *client.Pose, poses []client.Pose) {
	in.Fire = true
	in.Origin = me.Position
	in.Origin[2] += botEye
	dx, dy := float64(target.State.Position[0]-in.Origin[0]), float64(target.State.Position[1]-in.Origin[1])
	beside := (2*b.rng.Float64() - 1) * botSpread
	if b.rng.IntN(botMisses) == 0 && !b.gallery {
		beside = botFarOff
	}
	far := math.Hypot(dx, dy)
	in.Direction = [3]float32{float32(dx - beside*dy/far), float32(dy + beside*dx/far), 0}

	// What the player believes to hit. The server does not hear of it; we only want to know if it agrees.
	var targets []rewind.Target
	for i := range poses {
		if poses[i].Object != object {
			targets = append(targets, rewind.Shape{Radius: bodySize}.At(poses[i].Object, &poses[i].State))
		}
	}
	if hit, ok := rewind.Nearest(rewind.Shot{Origin: in.Origin, Direction: in.Direction}, targets); ok {
		b.aimed = hit.Object
	}
}

// pushed notes that an input is on its way.
func (b *bot) pushed(seq uint32, in *client.Input) {
	if !in.Fire {
		return
	}
	b.shots++
	if b.aimed != 0 {
		b.seen++
	}
	b.waiting[seq] = b.aimed
}

// resolved takes what the server says of a shot.
func (b *bot) resolved(r tsync.Rewind) {
	aimed, ok := b.waiting[r.InputSeq]
	if !ok {
		return
	}
	delete(b.waiting, r.InputSeq)
	b.answered++
	if r.Hit {
		b.hits++
	}
	if aimed != 0 && r.Object == aimed {
		b.agreed++
	}
}

// tally says how the bot has fared.
func (b *bot) tally() string {
	return fmt.Sprintf("%d shots, %d hits on the screen, of which the server confirmed %d", b.shots, b.seen, b.agreed)
}

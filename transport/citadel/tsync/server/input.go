package server

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// Input takes the body of a kind-9 frame: the acknowledgement in it, and inputs for objects of the client's own. Each
// counts once, in the order of its number, when all before it have come; it moves its object at once, within
// [Config.Limits], and its shot is resolved then. Inputs that may not count are dropped, and [Client.Stats] says why; the
// error of [tsync.ParseInput] means that nothing of the body counts.
//
// A number that is not finite stops the object for as long as the input lasts. The input counts, because the inputs
// after it could not otherwise.
func (c *Client) Input(body []byte) error {
	if err := tsync.ParseInput(body, &c.inputs); err != nil {
		c.stats.Malformed++
		return err
	}
	c.take(&c.inputs)
	return nil
}

// InputV2 takes the body of a kind-31 frame, as [Client.Input] does that of a kind-9 frame. It also returns [ErrClock]
// if the client speaks of another run of the simulation, and then nothing counts.
func (c *Client) InputV2(body []byte) error {
	if err := tsync.ParseInputV2(body, &c.inputs2); err != nil {
		c.stats.Malformed++
		return err
	}
	if c.inputs2.Epoch != c.world.config.Epoch {
		c.stats.Malformed++
		return ErrClock
	}
	c.take(&c.inputs2.Input)
	return nil
}

func (c *Client) take(in *tsync.Input) {
	if in.Acked != 0 {
		c.ack(tsync.Ack{ID: in.Acked})
	}
	for i := range in.Frames {
		if f := &in.Frames[i]; c.offer(f) {
			c.release(f.Object)
		}
	}
}

// offer puts an input into the queue of its object, and reports whether it did.
func (c *Client) offer(f *tsync.InputFrame) bool {
	p := c.world.find(f.Object)
	if p == nil || !c.moves(p) || f.OwnershipEpoch != p.OwnershipEpoch || len(f.Payload) > c.world.config.MaxInputPayload {
		c.stats.Refused++
		return false
	}
	if c.tokens == 0 {
		c.stats.RateLimited++
		return false
	}
	if !motion.OfferFrame(&p.queue, f) {
		c.stats.Duplicates++
		return false
	}
	c.tokens--
	return true
}

// moves reports whether a client's inputs move an object.
func (c *Client) moves(p *object) bool {
	return p.Role == tsync.OwnerPredicted && p.Owner == c.participant && p.Owner != 0
}

// release applies the inputs of an object that come next.
func (c *Client) release(id uint32) {
	for {
		// Found anew each time: functions of the application may do anything to the world.
		p := c.world.find(id)
		if p == nil || !c.moves(p) {
			return
		}
		seq, f := p.queue.Next()
		if f == nil {
			return
		}
		c.apply(p, seq, f)
	}
}

// apply makes an input count.
func (c *Client) apply(p *object, seq uint32, f *tsync.InputFrame) {
	w := c.world
	if !sound(f) {
		c.stats.NotFinite++
	}
	motion.Integrate(&p.State, f.Move, p.allowance.Spend(f.DT, w.config.Limits.MaxDT), &w.config.Limits)
	p.InputSeq, p.stale = seq, true
	c.stats.Inputs++
	var shot Shot
	if f.Fire {
		shot = c.fire(p, f)
	}
	if w.config.OnInput != nil {
		w.config.OnInput(c, f)
	}
	if f.Fire && w.config.OnShot != nil {
		w.config.OnShot(c, shot)
	}
}

// sound reports whether all numbers of an input are finite.
func sound(f *tsync.InputFrame) bool {
	for i := range f.Move {
		if !finite(f.Move[i]) || f.Fire && !(finite(f.Origin[i]) && finite(f.Direction[i])) {
			return false
		}
	}
	return finite(f.DT)
}

// Shot is a shot and what it hit.
type Shot struct {
	Frame   *tsync.InputFrame // borrowed
	Hit     rewind.Hit        // if Result.Hit
	Result  tsync.Rewind      // what the client is told
	Rewound bool              // compensated for the client's lag
	Astray  bool              // it began too far from its object, and hit nothing for that reason: see [Config.MuzzleReach]
	TooFast bool              // it came too soon after others, and hit nothing for that reason: see [Config.ShotRate]
}

// fire resolves the shot of an input, which has moved its object already, against the world as the client saw it.
func (c *Client) fire(p *object, f *tsync.InputFrame) Shot {
	w := c.world
	shot := Shot{Frame: f}
	tick, rewound := w.config.Rewind.Target(w.tick, c.lag)
	shot.Rewound = rewound
	shot.Result = tsync.Rewind{InputSeq: f.Seq, RewindTick: rewind.WireTick(tick)}
	if shot.Astray = !w.reaches(p, f.Origin); shot.Astray {
		c.stats.Astray++
		c.resolved(shot.Result)
		return shot
	}
	if shot.TooFast = c.shots < c.shotParts(); shot.TooFast {
		c.stats.TooFast++
		c.resolved(shot.Result)
		return shot
	}
	c.shots -= c.shotParts()
	w.targets = w.targets[:0]
	for i := range w.objects {
		var then tsync.State
		if p := &w.objects[i]; p.live && p.Shape.Radius > 0 && p.ID != f.Object && p.history.Sample(tick, &then) {
			w.targets = append(w.targets, p.Shape.At(p.ID, &then))
		}
	}
	ray := rewind.Shot{Origin: f.Origin, Direction: f.Direction}
	if hit, ok := rewind.Nearest(ray, w.targets); ok {
		shot.Hit = hit
		shot.Result.Hit, shot.Result.Object, shot.Result.HitPoint = true, hit.Object, hit.Point
	}
	c.resolved(shot.Result)
	return shot
}

// reaches reports whether a shot of an object may begin at a point.
func (w *World) reaches(p *object, from [3]float32) bool {
	reach := float64(w.config.MuzzleReach)
	if reach < 0 {
		return true
	}
	square := 0.0
	for i := range from {
		d := float64(from[i]) - float64(p.State.Position[i])
		square += float64(d * d)
	}
	return square <= reach*reach // not so if it is NaN
}

// resolved notes what the client is to be told of a shot. If nobody asks for it, the oldest ones are forgotten.
func (c *Client) resolved(r tsync.Rewind) {
	if n := len(c.rewinds) + 1 - c.mostRewinds(); n > 0 {
		c.rewinds = slices.Delete(c.rewinds, 0, n)
	}
	c.rewinds = append(c.rewinds, r)
}

// mostRewinds is more than there can be in a step: all inputs that are granted at once, and those that waited for them.
func (c *Client) mostRewinds() int { return c.mostTokens() + motion.MaxAhead }

// record adds the step to the histories of what can be hit.
func (w *World) record() {
	for i := range w.objects {
		if p := &w.objects[i]; p.live && p.Shape.Radius > 0 {
			p.history.Record(w.tick, &p.State)
		}
	}
}

// Rewinds returns what the client's shots have hit since the last call, in order, for kind-12 frames. The slice is valid
// until the next call. Call it after every step: of shots that nobody asks for, only those of about a second are kept.
func (c *Client) Rewinds() []tsync.Rewind {
	c.shown, c.rewinds = c.rewinds, c.shown[:0]
	return c.shown
}

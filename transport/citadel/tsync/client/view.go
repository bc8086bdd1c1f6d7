package client

import (
	"fmt"
	"iter"
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/jitter"
)

// The sizes of what a [View] keeps, and how far it looks ahead.
const (
	RingSize         = 64   // states that a snapshot can be based on
	SampleCount      = 32   // of the past of every object
	MaxExtrapolation = 0.25 // seconds, beyond the newest sample
	// DefaultMaxObjects bounds the memory of a view: some 3 KiB for an object in each of 64 states, and 2 KiB for its past.
	DefaultMaxObjects = 16384
)

// ViewConfig is how a [View] differs from the default. The zero value is the default.
type ViewConfig struct {
	// MaxObjects is how many objects there may be at a time; a snapshot that makes more of them is refused. Zero means
	// [DefaultMaxObjects].
	MaxObjects int

	// SnapDistance, in centimetres, is how far an object may get from one sample to the next. One that gets farther was
	// put there: it is shown at the old place until the tick of the new one, instead of gliding. Zero means that only a
	// new generation is a jump, as servers that follow the documents say it.
	SnapDistance float32

	// Reference restores what the reference client does where this package does better: the past of an object is kept when
	// its id begins another life, so that it glides from where the old one was to where the new one is.
	Reference bool
}

// withDefaults returns the configuration that is meant, or what is wrong with it.
func (cfg ViewConfig) withDefaults() (ViewConfig, error) {
	if cfg.MaxObjects == 0 {
		cfg.MaxObjects = DefaultMaxObjects
	}
	if cfg.MaxObjects < 0 {
		return cfg, fmt.Errorf("%w: MaxObjects is %d", ErrConfig, cfg.MaxObjects)
	}
	if !(cfg.SnapDistance >= 0) || !finite(cfg.SnapDistance) {
		return cfg, fmt.Errorf("%w: SnapDistance is %v", ErrConfig, cfg.SnapDistance)
	}
	return cfg, nil
}

// ViewStats counts what became of snapshots.
type ViewStats struct {
	Applied     uint64
	Stale       uint64 // not newer than the last one applied, or of another run
	MissingBase uint64 // the state that they differ from was not held
	Refused     uint64 // no snapshot, or one with too many objects
	Skipped     uint64 // updates of applied snapshots that told of an unknown object without saying where it is
}

// Object is an object of the newest state.
type Object struct {
	ID    uint32
	Gen   uint16
	State tsync.State // as the server has it, up to quantisation

	Acked    bool   // the server has told of the owner's inputs, which it does only to the owner
	InputAck uint32 // the last input that it applied

	// News says what the newest snapshot itself told of the object. If [tsync.FieldInputSeq] is among it, then State is the
	// one after input InputSeq; otherwise the state may be older than the acknowledgement.
	News     tsync.Fields
	InputSeq uint32
}

// Pose is where an object is at the tick that is shown.
type Pose struct {
	Object uint32
	Gen    uint16
	State  tsync.State

	Predicted bool // by [Client.AppendPoses]: the object is the client's own, and State is its prediction for now
}

// View is the world around a client as its server tells of it: snapshots go in, acknowledgements and states at any
// tick of the recent past come out. It has no clock; a [RenderClock] turns the time of an application into ticks.
//
// What a snapshot allocates is room for objects that were never there before; a view through which the same number of
// objects come and go allocates nothing. A view is not safe for concurrent use.
type View struct {
	cfg      ViewConfig
	simRate  float64
	sendRate uint8
	in       tsync.SnapshotV2 // the snapshot that is being applied
	rebuild  rebuilder
	worlds   worlds
	tracks   tracks
	acks     inputAcks
	window   baseline.Window[uint32]
	lastSeen uint32
	jitter   jitter.Buffer
	clock    tsync.Clock
	tick     int64 // of the newest state
	stats    ViewStats
}

// maxBound is how far from 0 bounds may be: what is between two states, or beyond one, is then a finite number too.
const maxBound = 1e18

// NewView returns a view of the world of a server whose hello the codec was made from. A rate of zero in the hello
// counts as one. It returns [ErrConfig], or [ErrBounds] for a hello with bounds beyond 1e18.
func NewView(codec *tsync.Codec, cfg ViewConfig) (*View, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	h := codec.Hello()
	for _, b := range [][3]float32{h.Position.Min, h.Position.Max, h.Velocity.Min, h.Velocity.Max} {
		if max(b[0], b[1], b[2]) > maxBound || min(b[0], b[1], b[2]) < -maxBound {
			return nil, ErrBounds
		}
	}
	return &View{
		cfg:      cfg,
		simRate:  float64(max(h.SimRate, 1)),
		sendRate: max(h.SendRate, 1),
		rebuild:  rebuilder{codec: codec, limit: cfg.MaxObjects},
		tracks:   tracks{keep: cfg.Reference},
		acks:     inputAcks{of: map[uint32]inputAck{}, limit: cfg.MaxObjects, keep: cfg.Reference},
	}, nil
}

// Apply takes the body of a kind-8 frame, and retains nothing of it. What it returns an error for changes nothing but
// counters: an error of [tsync.Codec.ParseSnapshot], [ErrSnapshotID], [ErrStale], [ErrMissingBase] or [ErrObjects]. Networks
// make stale snapshots and ones without a base; whoever sends the others is no server.
func (v *View) Apply(body []byte) error {
	if err := v.rebuild.codec.ParseSnapshot(body, &v.in.Snapshot); err != nil {
		v.stats.Refused++
		return err
	}
	return v.apply(nil)
}

// ApplyV2 takes the body of a kind-30 frame as [View.Apply] does that of a kind-8 one. The first one applied says which
// run of the simulation the view is of; those of other runs are stale until [View.ResetEpoch].
func (v *View) ApplyV2(body []byte) error {
	if err := v.rebuild.codec.ParseSnapshotV2(body, &v.in); err != nil {
		v.stats.Refused++
		return err
	}
	if v.clock.Epoch != 0 && v.in.Clock.Epoch != v.clock.Epoch {
		v.stats.Stale++
		return ErrStale
	}
	return v.apply(&v.in.Clock)
}

func (v *View) apply(clock *tsync.Clock) error {
	s := &v.in.Snapshot
	if s.ID == 0 { // would be no base for anything, and applied again and again
		v.stats.Refused++
		return ErrSnapshotID
	}
	if v.lastSeen == 0 || newer(s.ID, v.lastSeen) {
		v.lastSeen = s.ID
	}
	last, some := v.window.Latest()
	if some && !newer(s.ID, last) {
		v.stats.Stale++
		return ErrStale
	}
	var base *world
	if s.Base != 0 {
		if base = v.worlds.find(s.Base); base == nil {
			v.stats.MissingBase++
			return ErrMissingBase
		}
	}
	next := v.worlds.spare()
	skipped, err := v.rebuild.rebuild(next, base, s)
	if err != nil {
		v.stats.Refused++
		return err
	}

	// From here on nothing fails.
	v.stats.Applied++
	v.stats.Skipped += uint64(skipped)
	if clock != nil {
		v.clock = *clock
	}
	v.sendRate = max(s.SendRate, 1)
	if some {
		v.jitter.Note(distance(s.ID, last))
		v.tick += int64(int32(s.Tick - uint32(v.tick))) // ticks wrap too
	} else {
		v.tick = int64(s.Tick)
	}
	v.worlds.push()
	if s.ID < last {
		v.window = baseline.Window[uint32]{} // the ids wrapped, and a window does not
	}
	v.window.Add(s.ID)
	v.tracks.follow(next, v.tick)
	for i := range next.objects {
		v.acks.note(&next.objects[i])
	}
	return nil
}

// ResetEpoch forgets the world and makes the view accept only snapshots of version 2 that are of the given run, for an
// application that learnt that the server began another one. Counters, multiplier and send rate are kept. It returns
// [ErrEpoch], and changes nothing, for an epoch of zero.
func (v *View) ResetEpoch(epoch uint64) error {
	if epoch == 0 {
		return ErrEpoch
	}
	v.clock = tsync.Clock{Epoch: epoch}
	v.worlds.clear()
	v.tracks.clear()
	v.acks.clear()
	v.window = baseline.Window[uint32]{}
	v.lastSeen = 0
	return nil
}

// Epoch returns the run of the simulation that is accepted, and zero if any is.
func (v *View) Epoch() uint64 { return v.clock.Epoch }

// Clock returns the clock of the newest snapshot of version 2 that was applied.
func (v *View) Clock() tsync.Clock { return v.clock }

// Ack returns what to acknowledge: the newest snapshots that were applied.
func (v *View) Ack() tsync.Ack {
	id, history := v.window.Wire()
	return tsync.Ack{ID: id, History: history}
}

// LastSeen returns the newest snapshot that arrived, even if it could not be applied.
func (v *View) LastSeen() uint32 { return v.lastSeen }

// Stats returns the counters.
func (v *View) Stats() ViewStats { return v.stats }

// SimRate returns the steps of the simulation in a second.
func (v *View) SimRate() float64 { return v.simRate }

// SendRate returns the snapshots in a second, as the newest one said.
func (v *View) SendRate() uint8 { return v.sendRate }

// Multiplier returns how many send intervals the jitter buffer holds: from 1.5 on a clean link to 2.5.
func (v *View) Multiplier() float64 { return v.jitter.Multiplier() }

// DelayTicks returns how many ticks behind the newest snapshot the world is to be shown: the multiplier's number of
// send intervals, but at most 0.4 s, but at least 1.5 intervals.
func (v *View) DelayTicks() float64 { return float64(v.jitter.Delay(v.sendRate) * v.simRate) }

// NewestTick returns the newest tick of which there is a sample, if there is any. It goes on counting where the 32 bits
// of the wire wrap.
func (v *View) NewestTick() (tick int64, ok bool) { return v.tracks.newest() }

// RenderTick returns the tick to show at the moment when a snapshot was applied, if there is anything to show. It
// stands still between snapshots and jumps when one comes; see [RenderClock].
func (v *View) RenderTick() (tick float64, ok bool) {
	newest, ok := v.NewestTick()
	if !ok {
		return 0, false
	}
	return float64(newest) - v.DelayTicks(), true
}

// Len returns the number of objects in the newest state.
func (v *View) Len() int { return len(v.tracks.list) }

// Object returns an object of the newest state.
func (v *View) Object(id uint32) (Object, bool) {
	w := v.worlds.latest()
	if w == nil {
		return Object{}, false
	}
	o := w.find(id)
	if o == nil {
		return Object{}, false
	}
	return v.describe(o), true
}

// Objects yields the objects of the newest state in the order of their ids. The view must not be used for anything
// else until it is done.
func (v *View) Objects() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		w := v.worlds.latest()
		if w == nil {
			return
		}
		for i := range w.objects {
			if !yield(v.describe(&w.objects[i])) {
				return
			}
		}
	}
}

func (v *View) describe(o *object) Object {
	d := Object{ID: o.id, Gen: o.gen, State: o.state, News: o.fresh, InputSeq: o.ack}
	d.InputAck, d.Acked = v.acks.find(o)
	return d
}

// Sample returns where an object was at a tick: at its oldest sample for anything older, between two samples on a
// Hermite curve if both have a velocity and on a straight line otherwise, and after the newest one straight on for
// up to [MaxExtrapolation]. It returns false for an object that is not in the newest state, and for NaN.
func (v *View) Sample(id uint32, tick float64) (tsync.State, bool) {
	t := v.tracks.find(id)
	if t == nil || math.IsNaN(tick) {
		return tsync.State{}, false
	}
	return t.stateAt(tick, v.simRate, v.cfg.SnapDistance), true
}

// AppendPoses appends what [View.Sample] says of every object, in the order of their ids.
func (v *View) AppendPoses(dst []Pose, tick float64) []Pose {
	if math.IsNaN(tick) {
		return dst
	}
	for _, t := range v.tracks.list {
		dst = append(dst, Pose{Object: t.id, Gen: t.gen, State: t.stateAt(tick, v.simRate, v.cfg.SnapDistance)})
	}
	return dst
}

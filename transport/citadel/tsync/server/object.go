package server

import (
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

var identity = [4]float32{0, 0, 0, 1}

// Object is what an object is when it appears, and what [World.Object] says of it.
type Object struct {
	ID   uint32 // any, 0 too
	Role tsync.RoleKind

	// Owner is the participant whose inputs move an object that is [tsync.OwnerPredicted], 0 for nobody.
	Owner uint64

	// State is where it is. A rotation of four zeros counts as none: the identity.
	State tsync.State

	// ReplicateVelocity makes snapshots tell the velocity, so that clients can interpolate along curves.
	ReplicateVelocity bool

	// Priority is how fast the object gains weight while there is no room for it in snapshots. 0 counts as 1, and what
	// is negative as nothing: such an object comes after all others, or after [Config.MaxWait].
	Priority float32

	// Shape is what shots hit. Without a radius they pass through, and no history is kept.
	Shape rewind.Shape

	// Gen is the least generation of the object. If its id was used before, the generation is above that of then.
	Gen uint16

	// OwnershipEpoch and InputSeq are results of [World.Object]; Spawn ignores them.
	OwnershipEpoch uint32 // counts the owners
	InputSeq       uint32 // the last input of the owner that counted, 0 for none
}

// object is a place in the world: an object, or what is remembered of the last one with its id.
type object struct {
	Object
	live  bool
	stale bool   // the codes of the last frame are not those of State
	gen   uint64 // counts on where Gen wraps

	queue     motion.Queue[tsync.InputFrame]
	allowance motion.Allowance
	history   rewind.Buffer
	recorded  bool // history has room
	mover     mover
}

func (o *Object) check() error {
	if o.Role > tsync.StaticReplicated {
		return ErrRole
	}
	if !motion.Finite(&o.State) || !finite(o.Priority) || !finite(o.Shape.Radius) || !finite(o.Shape.HalfLength) {
		return ErrNotFinite
	}
	if o.Shape.Radius < 0 || o.Shape.HalfLength < 0 {
		return ErrShape
	}
	return nil
}

func finite(v float32) bool { return math.Abs(float64(v)) <= math.MaxFloat32 }

// Spawn makes an object appear, and returns its generation. On an id that is in use it ends the life of the object
// there. Generations and ownership epochs of an id only grow, and nothing of an earlier life stays: no input, no
// history, no owner.
//
// It returns [ErrRole], [ErrNotFinite], [ErrShape] or [ErrTooManyObjects].
func (w *World) Spawn(o Object) (gen uint16, err error) {
	if err := o.check(); err != nil {
		return 0, err
	}
	at, known := w.places[o.ID]
	fresh := !known || !w.objects[at].live
	if fresh && w.live == w.config.MaxObjects {
		return 0, ErrTooManyObjects
	}
	if !known {
		at = w.newPlace(o.ID)
	}
	if fresh {
		w.live++
	}
	p := &w.objects[at]
	var before uint64
	if p.live {
		before = p.Owner
	}
	w.begin(p, &o, known)
	w.tellLife(p, before)
	return p.Gen, nil
}

// begin starts the life of an object.
func (w *World) begin(p *object, o *Object, known bool) {
	gen, epoch := max(w.leastGen, uint64(o.Gen)), w.leastEpoch
	if known {
		// A wrapped Gen is still the next one, not the one that was asked for.
		gen, epoch = max(p.gen+1, p.gen&^0xffff|uint64(o.Gen)), p.OwnershipEpoch+1
	}
	if w.config.Reference {
		gen, epoch = uint64(o.Gen), 0
		if p.live {
			gen = p.gen + 1
		}
	}
	p.Object = *o
	p.gen, p.Gen, p.OwnershipEpoch, p.InputSeq = gen, uint16(gen), epoch, 0
	if p.State.Rotation == ([4]float32{}) {
		p.State.Rotation = identity
	}
	p.queue.Reset()
	p.live, p.stale = true, true
	p.mover = mover{}
	p.allowance.Reset()
	p.allowance.Most = w.config.Allowance
	p.history.Reset()
	if p.Shape.Radius > 0 && !p.recorded {
		p.history, p.recorded = rewind.MakeBuffer(w.historyLen), true
	}
}

// Despawn ends the life of an object and reports whether there was one.
func (w *World) Despawn(id uint32) bool {
	p := w.find(id)
	if p == nil {
		return false
	}
	p.live = false
	p.queue.Reset()
	p.mover = mover{}
	w.live--
	w.bury(id)
	// Those who see it hear of its end with the next snapshot.
	for _, c := range w.clients {
		if c.participant == p.Owner && !c.view.Contains(id) {
			c.tell(p, tsync.RoleExit)
		}
	}
	return true
}

// Object returns an object as it is now, which need not be what is in the last frame.
func (w *World) Object(id uint32) (Object, bool) {
	p := w.find(id)
	if p == nil {
		return Object{}, false
	}
	return p.Object, true
}

// Len returns the number of objects.
func (w *World) Len() int { return w.live }

// SetState puts an object somewhere. Clients glide there; see [World.Teleport]. It returns [ErrObject] or
// [ErrNotFinite].
func (w *World) SetState(id uint32, s tsync.State) error {
	p := w.find(id)
	if p == nil {
		return ErrObject
	}
	if !motion.Finite(&s) {
		return ErrNotFinite
	}
	if s.Rotation == ([4]float32{}) {
		s.Rotation = identity
	}
	p.State, p.stale = s, true
	return nil
}

// Teleport puts an object somewhere without its having been on the way: the object gets a new generation, so that
// clients do not interpolate, and its history for shots begins anew. Owner, epoch and input go on. It returns
// [ErrObject] or [ErrNotFinite].
func (w *World) Teleport(id uint32, s tsync.State) error {
	if err := w.SetState(id, s); err != nil {
		return err
	}
	p := w.find(id)
	p.gen++
	p.Gen = uint16(p.gen)
	p.history.Reset()
	w.tellLife(p, p.Owner)
	return nil
}

// SetPriority changes how fast an object gains weight. It returns [ErrObject] or [ErrNotFinite].
func (w *World) SetPriority(id uint32, priority float32) error {
	p := w.find(id)
	if p == nil {
		return ErrObject
	}
	if !finite(priority) {
		return ErrNotFinite
	}
	p.Priority = priority
	return nil
}

// SetReplicateVelocity switches on or off that snapshots tell an object's velocity. Clients hear of the object as if
// it were new. It returns [ErrObject].
func (w *World) SetReplicateVelocity(id uint32, on bool) error {
	p := w.find(id)
	if p == nil {
		return ErrObject
	}
	p.ReplicateVelocity = on
	return nil
}

// find returns a live object, or nil.
func (w *World) find(id uint32) *object {
	at, ok := w.places[id]
	if !ok || !w.objects[at].live {
		return nil
	}
	return &w.objects[at]
}

// weight returns what the accumulator of an object gains.
func (p *object) weight() float32 {
	if p.Priority == 0 {
		return 1
	}
	return max(p.Priority, 0)
}

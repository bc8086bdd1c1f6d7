package replica

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// Why a receiver does not apply a bunch, besides the errors of [netpeer.ParseBunch]. It then has changed nothing
// and will not acknowledge it.
var (
	// ErrStale: the token is not above that of the state which is there. This happens when bunches overtake each
	// other.
	ErrStale = errors.New("replica: bunch is older than the state")

	// ErrMissingBase: the bunch is a difference to a state that the receiver does not have. Nothing can be done but
	// wait; the sender will not get an acknowledgement and come to send a full one.
	ErrMissingBase = errors.New("replica: bunch is a difference to a state that is not here")

	// ErrUnknownClass: a full bunch is of a schema that was not registered, or is not the one that the peer's table
	// has for the class.
	ErrUnknownClass = errors.New("replica: full bunch of a schema that was not agreed on")

	// ErrInconsistent: changes of a collection add elements that are there, or remove or change such that are not, or
	// make more of them than the codec allows.
	ErrInconsistent = errors.New("replica: changes do not go with the elements that are there")

	// ErrTooManyObjects: the receiver holds as many objects as it may.
	ErrTooManyObjects = errors.New("replica: too many objects")

	// ErrMemory: the states of all objects would take more memory than they may.
	ErrMemory = errors.New("replica: states take too much memory")
)

// The limits of a receiver.
const (
	DefaultMaxObjects = 65536
	DefaultMaxMemory  = 256 << 20 // bytes

	// maxStored is how many states of an object are kept for differences to them. Those that a sender may still
	// refer to are the last 64 that it sent, and before these as many full ones, and the one it refers to now.
	maxStored = 129

	// maxFree is how many slices of an object wait to be used for further states.
	maxFree = 16

	// valueSize and elementSize are how many bytes these take, at most, for all machines to keep the same states.
	valueSize, elementSize = 64, 80
)

// Receiver holds the objects that a [Sender] replicates to it. Make one with [NewReceiver].
type Receiver struct {
	classes    map[schema.Identity]*Class
	agreed     map[uint32]schema.Identity // by the peer's table; nil before it arrives
	objects    map[uint32]*received
	maxObjects int
	maxMemory  int
	memory     int // that the stored states take
	owned      map[uint32]bool
	graves     []uint32 // objects that were forgotten, the first one first
	due        []uint32 // objects of which something was applied since the last acknowledgement
	stats      ReceiverStats

	bunch   netpeer.Bunch
	merger  merger
	entries []netpeer.TableEntry
	acks    []netpeer.AckEntry
}

// ReceiverStats counts what became of bunches.
type ReceiverStats struct {
	Applied, Stale, MissingBase, Refused uint64
}

// received is an object, or, if its class is nil, what is remembered of one that was forgotten.
type received struct {
	class  *Class
	state  *State
	window baseline.Window[uint64]
	last   uint64
	stored []stored // ascending
	base   uint64   // that the last difference referred to
	due    bool
	buried bool // among the graves
	free   [][]netpeer.Value
	fields Fields
}

// stored is a state that a bunch led to. Its values do not change.
type stored struct {
	id     uint64
	values []netpeer.Value
	size   int // bytes, as if no other state shared byte strings and collections with it
}

// Update is what a bunch has changed.
type Update struct {
	Object uint32
	Full   bool
	New    bool   // the object was not there before, or was one of another class
	State  *State // of the object, for reading; it changes with the next bunch of the object

	// Changed is the fields that have another value than before, or have one no longer. It is valid until the next
	// bunch of the object.
	Changed Fields
}

// Class returns the class of the object.
func (u *Update) Class() *Class { return u.State.class }

// NewReceiver returns a receiver of objects of the given classes, of which several may be versions of one. It holds
// at most maxObjects objects, or [DefaultMaxObjects] if that is not positive.
func NewReceiver(maxObjects int, classes ...*Class) *Receiver {
	if maxObjects <= 0 {
		maxObjects = DefaultMaxObjects
	}
	r := &Receiver{
		classes: make(map[schema.Identity]*Class), objects: make(map[uint32]*received), maxObjects: maxObjects,
		maxMemory: DefaultMaxMemory, owned: make(map[uint32]bool),
	}
	for _, c := range classes {
		r.classes[c.Identity()] = c
	}
	return r
}

// LimitMemory bounds, instead of by [DefaultMaxMemory], how many bytes the states of all objects may take. When there
// would be more, a bunch costs its object the states that nothing refers to at the moment, and if that does not help it
// is refused with [ErrMemory].
func (r *Receiver) LimitMemory(bytes int) { r.maxMemory = bytes }

// Memory returns how many bytes the states of all objects take, if none shares anything with another.
func (r *Receiver) Memory() int { return r.memory }

// Table takes the body of a wire.KindRepSchema envelope. From then on a full bunch must not only be of a schema that
// was registered, but of the one that the table has for the class. It returns, wrapping [ErrUnknownClass], the
// classes of which the peer has a version that is not known here; the objects of other classes are received all
// the same. Classes that only the peer knows are no error. A body that cannot be parsed changes nothing.
func (r *Receiver) Table(body []byte) error {
	if err := netpeer.ParseTable(body, &r.entries); err != nil {
		return err
	}
	agreed := make(map[uint32]schema.Identity, len(r.entries))
	for _, e := range r.entries {
		agreed[e.Class] = e.Identity
	}
	r.agreed = agreed
	var strange []uint32
	for id, c := range r.classes {
		if theirs, ok := agreed[c.ID()]; ok && theirs != id && r.classes[theirs] == nil {
			strange = append(strange, c.ID())
		}
	}
	if len(strange) == 0 {
		return nil
	}
	slices.Sort(strange)
	return fmt.Errorf("%w: classes %d", ErrUnknownClass, slices.Compact(strange))
}

// Apply takes the body of a wire.KindRepDelta envelope, which it does not retain. Either all of it is applied, or
// nothing and there is an error.
func (r *Receiver) Apply(body []byte) (Update, error) {
	u, err := r.apply(body)
	switch {
	case err == nil:
		r.stats.Applied++
	case errors.Is(err, ErrStale):
		r.stats.Stale++
	case errors.Is(err, ErrMissingBase):
		r.stats.MissingBase++
	default:
		r.stats.Refused++
	}
	return u, err
}

func (r *Receiver) apply(body []byte) (Update, error) {
	h, err := netpeer.PeekHeader(body)
	if err != nil {
		return Update{}, err
	}
	o := r.objects[h.Object]
	class, from, err := r.admit(&h, o)
	if err != nil {
		return Update{}, err
	}
	if err := netpeer.ParseBunch(body, class.wire, nil, &r.bunch); err != nil {
		return Update{}, err
	}
	fresh := o == nil
	if fresh {
		o = new(received)
	}
	other := o.class != class
	next, err := r.resolve(o, class, from)
	if err != nil {
		return Update{}, err
	}
	thin, err := r.room(o, &h, other, next.size)
	if err != nil {
		return Update{}, err
	}
	if fresh {
		if len(r.objects) >= r.maxObjects && !r.dig() {
			return Update{}, ErrTooManyObjects
		}
		r.objects[h.Object] = o
	}
	if other {
		r.memory -= o.size()
		o.class, o.state, o.fields = class, NewState(class), NewFields(class.Len())
		o.stored, o.base, o.free = nil, 0, nil
	}
	o.note(next.values)
	r.memory += o.keep(&h, next, thin)
	o.window.Add(h.Result)
	if o.last = h.Result; !o.due {
		o.due = true
		r.due = append(r.due, h.Object)
	}
	return Update{Object: h.Object, Full: h.Full, New: other, State: o.state, Changed: o.fields}, nil
}

// room reports whether the other states of the object are to go, but for the one that a difference refers to, so that
// there is memory for the next.
func (r *Receiver) room(o *received, h *netpeer.Header, other bool, size int) (thin bool, err error) {
	if r.memory+size <= r.maxMemory {
		return false, nil
	}
	left := r.memory + size - o.size()
	for i := range o.stored {
		if !h.Full && !other && o.stored[i].id == h.Base {
			left += o.stored[i].size
		}
	}
	if left > r.maxMemory {
		return false, ErrMemory
	}
	return true, nil
}

// size returns what the states of the object take.
func (o *received) size() (n int) {
	for i := range o.stored {
		n += o.stored[i].size
	}
	return n
}

// admit returns the class of a bunch and the state that it starts from, nil for a full one.
func (r *Receiver) admit(h *netpeer.Header, o *received) (*Class, *stored, error) {
	if o != nil && h.Result <= o.last {
		return nil, nil, ErrStale
	}
	if h.Full {
		c := r.classes[h.Identity]
		if c == nil || r.agreed != nil && r.agreed[c.ID()] != h.Identity {
			return nil, nil, ErrUnknownClass
		}
		return c, nil, nil
	}
	if o == nil || o.class == nil {
		return nil, nil, ErrMissingBase
	}
	i, ok := slices.BinarySearchFunc(o.stored, h.Base, func(s stored, id uint64) int {
		switch {
		case s.id < id:
			return -1
		case s.id > id:
			return 1
		}
		return 0
	})
	if !ok {
		return nil, nil, ErrMissingBase
	}
	return o.class, &o.stored[i], nil
}

// resolve returns the state that the bunch leads to.
func (r *Receiver) resolve(o *received, class *Class, from *stored) (stored, error) {
	var values []netpeer.Value
	if n := len(o.free); n > 0 && o.class == class {
		values, o.free = o.free[n-1], o.free[:n-1]
	}
	full := from == nil
	if full && o.class == class && r.owned[r.bunch.Object] && class.corrects(r.bunch.Changes) {
		from = &o.stored[len(o.stored)-1] // which is what the state shows
	}
	size := class.Len() * valueSize
	if from != nil {
		values, size = append(values[:0], from.values...), from.size
	} else {
		values = class.blank(values)
	}
	for i := range r.bunch.Changes {
		c := &r.bunch.Changes[i]
		delta, err := c.Value.Collection()
		if err != nil {
			old := &values[c.Field]
			size -= extra(old)
			*old = keepValue(old, &c.Value)
			size += extra(old)
			continue
		}
		f := class.wire.Field(c.Field)
		before := &noItems
		if !full {
			before, _ = values[c.Field].Collection()
		}
		list, err := r.merger.merge(before.Added, delta, f.Limit())
		if err != nil {
			return stored{}, err
		}
		size -= extra(&values[c.Field])
		values[c.Field], _ = f.Collection(&netpeer.CollectionDelta{Added: list})
		size += extra(&values[c.Field])
	}
	return stored{r.bunch.Result, values, size}, nil
}

// extra returns how many bytes a value takes besides itself.
func extra(v *netpeer.Value) (n int) {
	switch v.Kind() {
	case netpeer.KindBytes:
		p, _ := v.Bytes()
		return len(p)
	case netpeer.KindCollection:
		d, _ := v.Collection()
		n = len(d.Added) * elementSize
		if len(d.Added) > 0 && d.Added[0].Value.Kind() == netpeer.KindBytes {
			for i := range d.Added {
				n += extra(&d.Added[i].Value)
			}
		}
	}
	return n
}

// corrects reports whether the changes of a full bunch are only those of fields that clients write.
func (c *Class) corrects(changes []netpeer.Change) bool {
	for i := range changes {
		if changes[i].Value.Kind() == netpeer.KindCollection {
			return false
		}
		if c.layout.Properties[changes[i].Field].Authority != schema.ClientOwned {
			return false
		}
	}
	return true
}

// keepValue returns a value that does not borrow from a bunch: the old one, if they are equal.
func keepValue(old, v *netpeer.Value) netpeer.Value {
	switch {
	case v.Kind() != netpeer.KindBytes:
		return *v
	case old.Equal(v):
		return *old
	}
	return v.Clone()
}

// note makes values what the state shows and finds what has changed.
func (o *received) note(values []netpeer.Value) {
	o.fields.Clear()
	for i := range values {
		if !values[i].Equal(&o.state.values[i]) {
			o.fields.Add(i)
		}
	}
	o.state.values = values
	o.state.own.Clear()
	o.state.version++
}

// keep stores a state, and returns by how much more memory the states of the object take. The sender's baseline only
// moves forward, so that states below the one that a difference refers to are not needed any more.
func (o *received) keep(h *netpeer.Header, next stored, thin bool) (more int) {
	drop := 0
	if !h.Full {
		o.base = h.Base
		for o.stored[drop].id < h.Base {
			drop++
		}
	}
	more -= o.drop(0, drop)
	if thin {
		keep := 0
		if !h.Full {
			keep = 1
		}
		more -= o.drop(keep, len(o.stored))
		o.free = nil
	}
	o.stored = append(o.stored, next)
	if len(o.stored) > maxStored {
		at := 1 // the oldest may be what the sender is about to refer to
		if o.stored[1].id == o.base {
			at = 2
		}
		more -= o.drop(at, at+1)
	}
	return more + next.size
}

// drop forgets states, and returns what they took.
func (o *received) drop(from, to int) (size int) {
	for i := from; i < to; i++ {
		size += o.stored[i].size
		clear(o.stored[i].values)
		if len(o.free) < maxFree {
			o.free = append(o.free, o.stored[i].values[:0])
		}
	}
	o.stored = slices.Delete(o.stored, from, to)
	return size
}

// dig makes room for an object by forgetting the token of one that was forgotten, and reports whether there is room.
func (r *Receiver) dig() bool {
	for len(r.graves) > 0 {
		object := r.graves[0]
		r.graves = r.graves[1:]
		o := r.objects[object]
		if o.buried = false; o.class == nil {
			delete(r.objects, object)
			return true
		}
	}
	return false
}

// State returns the state of an object, for reading, or nil.
func (r *Receiver) State(object uint32) *State {
	if o := r.objects[object]; o != nil && o.class != nil {
		return o.state
	}
	return nil
}

// Len returns the number of objects, those included that were forgotten and whose tokens are remembered.
func (r *Receiver) Len() int { return len(r.objects) }

// Stats returns what became of the bunches so far.
func (r *Receiver) Stats() ReceiverStats { return r.stats }

// Forget drops the states of an object, for an application that has learnt that it is gone. Bunches that were sent
// before are still recognised as stale, at least until there are too many objects; a later full one brings the
// object back.
func (r *Receiver) Forget(object uint32) {
	if o := r.objects[object]; o != nil {
		if !o.buried {
			r.graves = append(r.graves, object)
		}
		r.memory -= o.size()
		*o = received{last: o.last, window: o.window, due: o.due, buried: true}
	}
}

// Own says whether an object is this client's, who proposes changes of it. A server may answer a proposal with a full
// bunch that corrects single fields, and then the others stay as they are: in a class with collections that is a full
// bunch without any of them, in another one that has nothing but fields that clients write. All other full bunches
// are all there is to see of an object. An object is to be owned until no correction can be under way any more.
//
// In a class without collections an object that was spawned anew, of which nothing is set but what clients write,
// cannot be told from a correction of the one before: set all fields of such objects, as Objects do, or call
// [Receiver.Forget].
func (r *Receiver) Own(object uint32, owned bool) {
	if owned {
		r.owned[object] = true
	} else {
		delete(r.owned, object)
	}
}

// AppendAcks appends the body of a wire.KindRepAck envelope for what was applied since the last call. If that is
// nothing it returns dst as it was. More than [netpeer.MaxEntries] objects take several calls.
func (r *Receiver) AppendAcks(dst []byte) ([]byte, error) {
	n := min(len(r.due), netpeer.MaxEntries)
	if n == 0 {
		return dst, nil
	}
	r.acks = r.acks[:0]
	for _, object := range r.due[:n] {
		o := r.objects[object]
		if o == nil || !o.due {
			continue // it was forgotten, and made room for another
		}
		e := netpeer.AckEntry{Object: object}
		e.Result, e.History = o.window.Wire()
		r.acks = append(r.acks, e)
		o.due = false
	}
	if r.due = slices.Delete(r.due, 0, n); len(r.acks) == 0 {
		return dst, nil
	}
	return netpeer.AppendAcks(dst, r.acks)
}

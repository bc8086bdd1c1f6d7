package replica

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// Author writes the bunches that a client proposes for one object: a full one first, so that the server knows the
// schema, and then whatever changes. A draft is written field by field,
//
//	draft := a.Begin(dst)
//	draft.Int(health, 80)
//	draft.Vector(aim, direction)
//	dst, err := a.End()
//
// and is a transaction: after a field that was refused nothing is emitted and no token is used, whatever was added
// before and after it.
type Author struct {
	class  *Class
	object uint32
	ids    baseline.IDs[uint64]
	bound  bool
	next   netpeer.Header
	draft  netpeer.Encoder

	state    *State // what is proposed
	entity   Entity // keeps the snapshots of state
	proposed *snapshot
	writable Fields
	dirty    Fields
	differ   differ
	bunch    netpeer.Bunch
}

// NewAuthor returns an author of bunches for an object, whose tokens are above last. A client that comes back goes
// on with the last token that it used before, because the server remembers it and takes only larger ones. One that
// cannot remember it begins with the time, always in the same unit, which must be short enough for it to have sent
// fewer bunches than units have passed: microseconds for instance.
func NewAuthor(c *Class, object uint32, last uint64) *Author {
	a := &Author{
		class: c, object: object, ids: baseline.IDs[uint64]{Last: last},
		state: NewState(c), writable: NewFields(c.Len()), dirty: NewFields(c.Len()),
	}
	for i := range c.layout.Properties {
		if c.layout.Properties[i].Authority == schema.ClientOwned {
			a.writable.Add(i)
		}
	}
	a.entity = Entity{id: object, class: c, state: a.state}
	return a
}

// Reset makes the next bunch a full one, as it has to be on a new connection and after the object was spawned anew,
// when nothing is under way any more. What the server has of the object is in known, which is the state that a
// [Receiver] of this client shows, of the author's class, or nil if there is nothing: [Author.Propose] then proposes
// what an Object has instead of that.
//
// An object with a collection has to take that from known first, by [Object.ReadReplica], and an author whose object
// comes with elements is to be reset before it begins. Otherwise elements that the server has are proposed as new
// ones, and it rejects that.
func (a *Author) Reset(known *State) {
	a.bound, a.proposed = false, nil
	if known == nil || known.class != a.class {
		return
	}
	for i := range a.writable.All() {
		if v := known.values[i]; v.Kind() != netpeer.KindCollection {
			a.state.values[i] = v
			continue
		}
		a.state.setList(i, &netpeer.CollectionDelta{Added: slices.Clone(known.Items(i))})
	}
	a.state.version++
	a.proposed = a.entity.freeze()
	a.proposed.refs++
	a.dirty.AddAll(a.class.Len())
}

// Last returns the token that was used last.
func (a *Author) Last() uint64 { return a.ids.Last }

// Begin starts a bunch that is to be appended to dst. Fields are added to the encoder that it returns, in ascending
// order.
func (a *Author) Begin(dst []byte) *netpeer.Encoder {
	a.next = a.header()
	a.draft.Begin(dst, a.class.wire, a.next)
	return &a.draft
}

// End returns dst with the bunch appended. After an error, which is one of [netpeer.Encoder.End], it returns dst as
// it was, and the next bunch has the token of this one.
func (a *Author) End() ([]byte, error) {
	out, err := a.draft.End()
	if err == nil {
		a.sent(a.next)
	}
	return out, err
}

// header returns that of the next bunch. After the largest token it has none, and encoding fails.
func (a *Author) header() netpeer.Header {
	h := netpeer.Header{Object: a.object, Full: !a.bound, Result: a.ids.Last + 1}
	if !h.Full {
		h.Base = a.ids.Last
	}
	return h
}

func (a *Author) sent(h netpeer.Header) { a.ids.Last, a.bound = h.Result, true }

// Propose appends a bunch of the fields of o that the owner may write and that have changed since they were last
// proposed. If there are none it returns dst as it was, unless it is the first bunch. It returns the errors of
// [Object.WriteReplica] and [netpeer.Schema.AppendBunch], and then dst as it was; the fields are proposed with the
// next bunch.
//
// A proposal that is lost, or that arrives behind a later one, is not repeated: proposals need delivery in order. Nor
// is one that the server has rejected, of which it says nothing, and then later changes of the same elements are
// rejected too. Who sees that the server does not come to agree calls [Author.Reset].
func (a *Author) Propose(dst []byte, o Object) ([]byte, error) {
	if o.ReplicaClass() != a.class {
		return dst, ErrClass
	}
	o.TakeDirty(a.dirty)
	if err := o.WriteReplica(a.state, a.dirty); err != nil {
		return dst, err
	}
	a.dirty.Clear()
	to := a.entity.freeze()
	h := a.header()
	var changes []netpeer.Change
	if a.proposed == nil {
		changes = a.differ.full(a.class, to, a.writable, nil)
		changes = a.own(changes)
	} else if changes = a.differ.between(a.class, a.proposed, to, a.writable, nil); len(changes) == 0 && !h.Full {
		return dst, nil
	}
	a.bunch.Header, a.bunch.Changes = h, changes
	out, err := a.class.wire.AppendBunch(dst, &a.bunch)
	if err != nil {
		return dst, err
	}
	a.sent(h)
	to.refs++
	if a.proposed != nil {
		a.entity.release(a.proposed)
	}
	a.proposed = to
	return out, nil
}

// own leaves out the fields that are the server's: a full proposal, unlike a full bunch of a server, does not have
// every collection in it.
func (a *Author) own(changes []netpeer.Change) []netpeer.Change {
	kept := changes[:0]
	for _, c := range changes {
		if a.writable.Has(c.Field) {
			kept = append(kept, c)
		}
	}
	return kept
}

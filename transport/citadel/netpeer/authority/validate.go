package authority

import (
	"encoding/binary"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// Proposal is a bunch of a client that has passed all checks and is to be applied. It is filled by
// [Server.Validate] and may be used again after it was applied or given up. The values are clamped to the bounds.
type Proposal struct {
	From   replica.PeerID
	At     uint64 // when it was validated, in milliseconds
	Object uint32

	object     *object
	generation uint64
	match      uint64
	epoch      uint64
	version    *replica.Class
	bunch      netpeer.Bunch
}

// Changes returns the fields and their values, valid until the proposal is used again. They must not be changed.
func (p *Proposal) Changes() []netpeer.Change { return p.bunch.Changes }

// Header returns the header of the bunch.
func (p *Proposal) Header() netpeer.Header { return p.bunch.Header }

// Validate checks the body of a wire.KindRepDelta envelope of a connection, which it does not retain, and fills into
// if all is well. It changes nothing except for what the sender is charged. The time is in milliseconds from any
// start and should not go backwards. An error is a [Reason].
//
// The checks are in this order, so that whatever is cheap comes first and the values last. What was charged stays
// charged if a later check fails.
//
//  1. the body is not too large: Rate
//  2. the sender is in a match: NoMatch; and may send so many bunches and bytes: Rate
//  3. the object exists: Frame, UnknownObject; and is in the same match: CrossMatch
//  4. its class has the version that the bunch is of: Frame, SchemaBinding
//  5. header and mask can be read: Frame; and the mask has not too many fields: Rate
//  6. the sender is the owner: NotOwner; is no guest, if it matters: Guest; and may write all of the fields: ServerOnly
//  7. there was a full bunch before a difference: SchemaBinding; and the token is a new one: Stale
//  8. the sender may change so many fields: Rate
//  9. the values can be read: Frame; and each is within its bounds: BadValue; and not changed too soon: Cooldown
//  10. the sender may change so many elements: Rate
func (s *Server) Validate(from replica.PeerID, now uint64, body []byte, into *Proposal) error {
	if r := s.validate(from, now, body, into); r != Accepted {
		s.stats[r]++
		into.object = nil
		into.bunch.Reset()
		return r
	}
	return nil
}

func (s *Server) validate(from replica.PeerID, now uint64, body []byte, p *Proposal) Reason {
	s.now = max(s.now, now)
	if len(body) > s.limits.MaxBunchBytes {
		return Rate
	}
	m, a := s.members[from], s.accounts[from]
	if m == nil {
		return NoMatch
	}
	if !a.bunches.charge(now, 1) || !a.bytes.charge(now, float64(len(body))) {
		return Rate
	}
	if len(body) < 4 {
		return Frame
	}
	id := binary.BigEndian.Uint32(body)
	o := s.objects[id]
	switch {
	case o == nil:
		return UnknownObject
	case o.entity.Group() != m.match:
		return CrossMatch
	case len(body) == 4:
		return Frame
	}
	known := s.known(o, from, m)
	version, r := o.read(body, known)
	if r != Accepted {
		return r
	}
	h, fields, err := netpeer.PeekFields(s.fields[:0], body, version.Schema())
	s.fields = fields
	if err != nil {
		return Frame
	}
	if len(fields) > s.limits.MaxBunchFields {
		return Rate
	}
	if r := o.permits(from, m, fields); r != Accepted {
		return r
	}
	if !h.Full && (known == nil || known.bound != version) {
		return SchemaBinding
	}
	if known != nil && h.Result <= known.highest {
		return Stale
	}
	if !a.fields.charge(now, float64(len(fields))) {
		return Rate
	}
	if netpeer.ParseBunch(body, version.Schema(), nil, &p.bunch) != nil {
		return Frame
	}
	items, r := s.checkValues(o, version, p.bunch.Changes, now)
	if r != Accepted {
		return r
	}
	if items > 0 && !a.items.charge(now, float64(items)) {
		return Rate
	}
	p.From, p.At, p.Object, p.object = from, now, id, o
	p.generation, p.match, p.epoch, p.version = o.entity.Generation(), m.match, o.epoch, version
	return Accepted
}

// read returns the version of the class that a body is to be read with. Of the body it looks at the flag that says
// whether it is a full bunch, and if it is, at the header.
func (o *object) read(body []byte, known *proposer) (*replica.Class, Reason) {
	if !o.class.compat {
		return o.class.class, Accepted
	}
	if body[4]>>7 == 0 {
		if known == nil || known.bound == nil {
			return nil, SchemaBinding
		}
		return known.bound, Accepted
	}
	h, err := netpeer.PeekHeader(body)
	if err != nil {
		return nil, Frame
	}
	version := o.class.version(h.Identity.Version)
	if version == nil {
		return nil, SchemaBinding
	}
	return version, Accepted
}

// permits says whether a member may write these fields.
func (o *object) permits(from replica.PeerID, m *member, fields []int) Reason {
	switch {
	case o.entity.Owner() != from || from == replica.Nobody:
		return NotOwner
	case m.guest && o.persistent:
		return Guest
	}
	properties := o.class.class.Layout().Properties
	for _, i := range fields {
		if properties[i].Authority != schema.ClientOwned {
			return ServerOnly
		}
	}
	return Accepted
}

// checkValues clamps the values to their bounds and counts the elements that change.
func (s *Server) checkValues(o *object, version *replica.Class, changes []netpeer.Change, now uint64) (items int, r Reason) {
	properties := o.class.class.Layout().Properties
	for i := range changes {
		c := &changes[i]
		f := version.Schema().Field(c.Field)
		if delta, err := c.Value.Collection(); err == nil {
			if properties[c.Field].Type != schema.Collection || !s.live.admits(o.entity.State(), c.Field, delta) {
				return 0, BadValue
			}
			items += len(delta.Removed) + len(delta.Added) + len(delta.Changed)
			continue
		}
		if !s.clamp(&properties[c.Field], f, &c.Value) {
			return 0, BadValue
		}
		if last := o.changed[c.Field]; s.limits.FieldCooldown > 0 && last.was && now-min(now, last.at) < s.limits.FieldCooldown {
			return 0, Cooldown
		}
	}
	return items, Accepted
}

// kinds are those that values of a type have.
var kinds = [...]netpeer.Kind{
	schema.Bool: netpeer.KindBool, schema.Int: netpeer.KindInt, schema.Uint: netpeer.KindInt,
	schema.Scalar: netpeer.KindScalar, schema.Vector3: netpeer.KindVector, schema.Quat: netpeer.KindQuat,
	schema.Bytes: netpeer.KindBytes, schema.Enum: netpeer.KindInt, schema.Collection: netpeer.KindCollection,
}

// clamp reports whether a value is of the property's type and within its bounds, which a codec may be wider than.
// Numbers that are off by no more than a quantum, as they are when the codec has no code for a bound, are set to
// the bound.
func (s *Server) clamp(p *schema.Property, f *netpeer.Field, v *netpeer.Value) bool {
	if int(p.Type) >= len(kinds) || kinds[p.Type] != v.Kind() {
		return false
	}
	switch v.Kind() {
	case netpeer.KindInt:
		n, err := v.Int(f)
		min, max, bounded := p.Bounds.IntRange()
		return err == nil && (!bounded || min <= n && n <= max)
	case netpeer.KindBytes:
		text, err := v.Bytes()
		max, bounded := p.Bounds.MaxLen()
		return err == nil && (!bounded || uint64(len(text)) <= uint64(max))
	case netpeer.KindScalar:
		x, err := v.Scalar(f)
		if err != nil || !s.clampNumber(p.Bounds, &x) {
			return false
		}
		clamped, err := f.Scalar(x)
		if *v = clamped; err != nil {
			return false
		}
	case netpeer.KindVector:
		point, err := v.Vector(f)
		if err != nil {
			return false
		}
		for i := range point {
			if !s.clampNumber(p.Bounds, &point[i]) {
				return false
			}
		}
		if p.Bounds.Kind() == schema.BoundsScalarRange {
			if *v, err = f.Vector(point); err != nil {
				return false
			}
		}
	}
	return true
}

// clampNumber sets a number to a bound that it is a little beyond, and reports false if it is farther.
func (s *Server) clampNumber(b schema.Bounds, x *float32) bool {
	least, greatest, perUnit, bounded := b.ScalarRange()
	if *x-*x != 0 { // NaN or infinite
		return false
	}
	if !bounded {
		return true
	}
	lo, hi := float64(least), float64(greatest)
	quantum := 1 / float64(perUnit)
	if s.config.Reference {
		quantum = (hi - lo) / float64(perUnit)
	}
	if v := float64(*x); v < lo-quantum || v > hi+quantum {
		return false
	}
	*x = min(max(*x, least), greatest)
	return true
}

// liveSet checks changes of a collection against its elements, and keeps the memory for that.
type liveSet struct {
	removed []uint64
	added   []uint64
}

// admits reports whether a collection can be changed so: removed elements are there, and once; added ones have a key
// and a slot in which, after the removals, no other is; changed ones are there and get a higher key; and in the end
// there are not more than the codec allows. That no id occurs twice in the three lists is known from decoding.
func (l *liveSet) admits(st *replica.State, field int, d *netpeer.CollectionDelta) bool {
	l.removed, l.added = l.removed[:0], l.added[:0]
	for _, id := range d.Removed {
		if _, ok := st.Item(field, id); !ok {
			return false
		}
		l.removed = append(l.removed, packed(id))
	}
	slices.Sort(l.removed)
	items := st.Items(field)
	for i := range d.Added {
		e := &d.Added[i]
		if e.Key == 0 || l.occupied(items, e.ID.Index) {
			return false
		}
		l.added = append(l.added, uint64(e.ID.Index))
	}
	slices.Sort(l.added)
	for i := 1; i < len(l.added); i++ {
		if l.added[i-1] == l.added[i] {
			return false // two generations of a slot at once
		}
	}
	for i := range d.Changed {
		e := &d.Changed[i]
		held, ok := st.Item(field, e.ID)
		if !ok || e.Key <= held.Key {
			return false
		}
	}
	limit := st.Class().Schema().Field(field).Limit()
	return uint64(len(items)-len(d.Removed)+len(d.Added)) <= uint64(limit)
}

// occupied reports whether a slot has an element that is not removed.
func (l *liveSet) occupied(items []netpeer.Element, index uint32) bool {
	at, _ := slices.BinarySearchFunc(items, index, func(e netpeer.Element, index uint32) int {
		if e.ID.Index < index {
			return -1
		}
		return 1
	})
	for ; at < len(items) && items[at].ID.Index == index; at++ {
		if !l.isRemoved(items[at].ID) {
			return true
		}
	}
	return false
}

func (l *liveSet) isRemoved(id netpeer.ElementID) bool {
	_, ok := slices.BinarySearch(l.removed, packed(id))
	return ok
}

func packed(id netpeer.ElementID) uint64 { return uint64(id.Index)<<32 | uint64(id.Generation) }

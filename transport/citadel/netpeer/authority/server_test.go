package authority_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A number is taken if it is off its bounds by no more than a quantum, and set to the bound. The reference takes it if
// it is off by (max - min) / values_per_unit.
func TestScalarToleranceIsAQuantum(t *testing.T) {
	class := replica.MustClass(schema.Layout{Class: 1, Version: 1, Properties: []schema.Property{
		{Name: "wide", Type: schema.Scalar, Bounds: schema.ScalarRange(-100, 100, 10), Authority: schema.ClientOwned},
	}}, scalar(-300, 300, 100))
	for _, c := range []struct {
		v             float32
		ok, reference bool
	}{
		{100, true, true}, {100.05, true, true}, {100.09, true, true}, {100.2, false, true}, {119.9, false, true},
		{120.1, false, false}, {-100.09, true, true}, {-100.2, false, true}, {-120.1, false, false}, {0.25, true, true},
	} {
		for _, reference := range []bool{false, true} {
			s := authority.NewServer(authority.Config{Reference: reference})
			require.NoError(t, s.Register(class))
			s.Join(alice, 1, false)
			e, err := s.Spawn(authority.Spec{Object: 1, Class: 1, Match: 1, Owner: alice})
			require.NoError(t, err)
			err = s.Receive(alice, 0, forge(t, class, full(1, 1), func(e *netpeer.Encoder) { e.Scalar(0, c.v) }), nil)
			if !c.ok && (!reference || !c.reference) {
				require.ErrorIs(t, err, authority.BadValue, c.v)
				require.False(t, e.State().Has(0))
				continue
			}
			require.NoError(t, err, c.v)
			require.Equal(t, min(max(c.v, -100), 100), e.State().Scalar(0))
		}
	}
}

// A vector whose property has bounds is kept within them too, along each axis.
func TestVectorBounds(t *testing.T) {
	class := replica.MustClass(schema.Layout{Class: 1, Version: 1, Properties: []schema.Property{
		{Name: "at", Type: schema.Vector3, Bounds: schema.ScalarRange(-10, 10, 10), Authority: schema.ClientOwned},
	}}, box(100, 100))
	s := authority.NewServer(authority.Config{})
	require.NoError(t, s.Register(class))
	s.Join(alice, 1, false)
	e, err := s.Spawn(authority.Spec{Object: 1, Class: 1, Match: 1, Owner: alice})
	require.NoError(t, err)
	put := func(result uint64, p [3]float32) error {
		return s.Receive(alice, 0, forge(t, class, full(1, result), func(e *netpeer.Encoder) { e.Vector(0, p) }), nil)
	}
	require.ErrorIs(t, put(1, [3]float32{0, 0, 10.5}), authority.BadValue)
	require.NoError(t, put(2, [3]float32{-10.05, 3, 10.05}))
	require.Equal(t, [3]float32{-10, 3, 10}, e.State().Vector(0))
}

// A proposal that was validated against an object does not apply to the next one with that id.
func TestGenerationsSurviveDespawn(t *testing.T) {
	for _, reference := range []bool{false, true} {
		s := newServer(t, authority.Config{Reference: reference})
		var p authority.Proposal
		require.NoError(t, s.Validate(alice, 0, forge(t, unitClass, full(1, 1), health(9)), &p))
		require.True(t, s.Despawn(1))
		e, err := s.Spawn(authority.Spec{Object: 1, Class: 42, Match: 1, Owner: alice})
		require.NoError(t, err)
		require.ErrorIs(t, s.Apply(&p, nil), authority.Overtaken)
		require.False(t, e.State().Has(fieldHealth))
	}
}

// Elements that an object has from the start are in the first full bunch, after joining and of a rebroadcast.
func TestElementsAtSpawnAreSent(t *testing.T) {
	s := newServer(t, authority.Config{})
	require.NoError(t, s.Entity(1).State().PutItem(fieldBag, item(t, 1, 0, 3, 9)))
	var out []sent
	require.NoError(t, s.Bootstrap(bob, collect(&out)))
	r := replica.NewReceiver(0, unitClass, crateClass)
	require.NoError(t, r.Table(out[0].body))
	_, err := r.Apply(out[1].body)
	require.NoError(t, err)
	require.Len(t, r.State(1).Items(fieldBag), 1)

	s.Join(8, 1, false)
	out = nil
	require.NoError(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 1), health(9)), collect(&out)))
	require.Equal(t, replica.PeerID(8), out[1].to)
	r = replica.NewReceiver(0, unitClass)
	_, err = r.Apply(out[1].body)
	require.NoError(t, err)
	require.Len(t, r.State(1).Items(fieldBag), 1)
}

// Allowances and tokens follow the identity. With the reference a new connection makes both new.
func TestRejoining(t *testing.T) {
	for _, reference := range []bool{false, true} {
		s := newServer(t, authority.Config{Reference: reference, Limits: authority.Limits{BunchesPerSecond: 3}})
		body := forge(t, unitClass, full(1, 7), health(9))
		drop := func(replica.PeerID, wire.Kind, []byte) {}
		require.NoError(t, s.Receive(alice, 0, body, drop))
		s.Join(alice, 1, false)
		err := s.Receive(alice, 0, body, drop)
		if reference {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, authority.Stale)
		}
		s.Leave(alice)
		s.Join(alice, 1, false)
		err = s.Receive(alice, 0, body, drop)
		if reference {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, authority.Stale)
		require.ErrorIs(t, s.Receive(alice, 0, body, drop), authority.Rate)
		require.ErrorIs(t, s.Receive(alice, 1000, body, drop), authority.Stale, "a second later")
		require.NoError(t, s.Receive(alice, 1000, forge(t, unitClass, full(1, 8), health(9)), drop))
	}
}

// What a client sends never reaches another: peers get bunches of the server's own.
func TestRebroadcastIsTheServers(t *testing.T) {
	s := newServer(t, authority.Config{})
	var out []sent
	require.NoError(t, s.Bootstrap(bob, collect(&out)))
	r := replica.NewReceiver(0, unitClass)
	for _, o := range out[1:] {
		_, err := r.Apply(o.body)
		require.NoError(t, err)
	}
	ack, err := r.AppendAcks(nil)
	require.NoError(t, err)
	require.NoError(t, s.Ack(bob, ack))
	out = nil
	body := forge(t, unitClass, full(1, 1<<50), func(e *netpeer.Encoder) {
		e.Int(fieldHealth, 33)
		e.Scalar(fieldEmote, 1.01) // is clamped
		e.Vector(fieldAim, [3]float32{1, 2, 3})
	})
	require.NoError(t, s.Receive(alice, 0, body, collect(&out)))
	require.Len(t, out, 1, "only bob is there")
	require.Equal(t, bob, out[0].to)
	h, err := netpeer.PeekHeader(out[0].body)
	require.NoError(t, err)
	require.False(t, h.Full)
	require.Less(t, h.Result, uint64(100), "not the client's token")
	u, err := r.Apply(out[0].body)
	require.NoError(t, err)
	require.Equal(t, int64(33), u.State.Int(fieldHealth))
	require.Equal(t, float32(1), u.State.Scalar(fieldEmote))
	require.Equal(t, [3]float32{1, 2, 3}, u.State.Vector(fieldAim), "it skips the owner, who bob is not")
	require.Equal(t, int64(7), u.State.Int(fieldScore))

	// A full proposal is not a reset.
	out = nil
	require.NoError(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 1<<51), func(e *netpeer.Encoder) { e.Bool(fieldAlive, true) }), collect(&out)))
	require.Equal(t, int64(33), s.Entity(1).State().Int(fieldHealth))

	// Who does not see the object gets nothing.
	require.NoError(t, s.Look(bob, [3]float32{1000, 0, 0}))
	out = nil
	require.NoError(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 1<<52), health(1)), collect(&out)))
	require.Empty(t, out)
}

// Vetoed values are not applied, the others are, and the sender learns the true ones.
func TestVeto(t *testing.T) {
	var asked []int
	s := newServer(t, authority.Config{Veto: func(p *authority.Proposal, e *replica.Entity, field int, v *netpeer.Value) bool {
		require.Equal(t, alice, p.From)
		require.Equal(t, uint64(5), p.At)
		require.Equal(t, uint32(1), e.ID())
		require.Equal(t, uint64(9), p.Header().Result)
		require.Len(t, p.Changes(), 4)
		asked = append(asked, field)
		return field == fieldHealth || field == fieldName
	}})
	var out []sent
	require.NoError(t, s.Receive(alice, 5, forge(t, unitClass, full(1, 9), func(e *netpeer.Encoder) {
		e.Bool(fieldAlive, true)
		e.Int(fieldHealth, 99)
		e.Bytes(fieldName, []byte("x"))
		e.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 1, 0, 1, 1)}})
	}), collect(&out)))
	require.Equal(t, []int{fieldAlive, fieldHealth, fieldName}, asked)
	st := s.Entity(1).State()
	require.Equal(t, int64(50), st.Int(fieldHealth))
	require.True(t, st.Bool(fieldAlive))
	require.Len(t, st.Items(fieldBag), 1)
	last := out[len(out)-1]
	require.Equal(t, alice, last.to)
	var b netpeer.Bunch
	require.NoError(t, netpeer.ParseBunch(last.body, unitClass.Schema(), nil, &b))
	require.True(t, b.Full)
	require.Len(t, b.Changes, 1, "the name has no true value")
	n, err := b.Changes[0].Value.Int(unitClass.Schema().Field(fieldHealth))
	require.NoError(t, err)
	require.Equal(t, int64(50), n)
}

// What the server itself changes goes out with updates, to everybody according to the conditions.
func TestUpdate(t *testing.T) {
	s := newServer(t, authority.Config{})
	got := map[replica.PeerID]*replica.Receiver{alice: replica.NewReceiver(0, unitClass), bob: replica.NewReceiver(0, unitClass)}
	update := func() (n int) {
		s.Sender().Advance()
		for _, p := range []replica.PeerID{alice, bob} {
			require.NoError(t, s.Update(p, func(to replica.PeerID, kind wire.Kind, body []byte) {
				require.Equal(t, p, to)
				require.Equal(t, wire.KindRepDelta, kind)
				_, err := got[to].Apply(body)
				require.NoError(t, err)
				n++
			}))
			ack, err := got[p].AppendAcks(nil)
			require.NoError(t, err)
			if len(ack) > 0 {
				require.NoError(t, s.Ack(p, ack))
			}
		}
		return n
	}
	st := s.Entity(1).State()
	require.NoError(t, st.SetInt(fieldAmmo, 3))
	require.Equal(t, 2*4, update())
	require.Zero(t, update())
	require.Equal(t, int64(3), got[alice].State(1).Int(fieldAmmo))
	require.False(t, got[bob].State(1).Has(fieldAmmo))
	require.NoError(t, st.SetInt(fieldScore, 8))
	require.Equal(t, 2, update())
	require.NoError(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 1), health(9)), func(to replica.PeerID, _ wire.Kind, body []byte) {
		h, err := netpeer.PeekHeader(body)
		require.NoError(t, err)
		require.False(t, h.Full, "updates and rebroadcasts share a baseline")
		_, err = got[to].Apply(body)
		require.NoError(t, err)
	}))
	require.Equal(t, int64(9), got[bob].State(1).Int(fieldHealth))
	require.NoError(t, s.Update(noPeer, nil))
	require.NoError(t, s.Bootstrap(noPeer, nil))
}

// Versions evolve by appending, and each is read with its own schema.
func TestVersions(t *testing.T) {
	renamed := unitLayout()
	renamed.Version, renamed.Properties = 2, renamed.Properties[:3]
	renamed.Properties[1].Name = "hp"
	foreign := replica.MustClass(renamed, unitCodecs()[:3]...)
	s := authority.NewServer(authority.Config{})
	require.ErrorIs(t, s.RegisterVersions(unitClass, 4, oldUnitClass), authority.ErrMinimum)
	require.ErrorIs(t, s.RegisterVersions(unitClass, 3, oldUnitClass), schema.ErrTooOld)
	require.ErrorIs(t, s.RegisterVersions(unitClass, 1, oldUnitClass, oldUnitClass), schema.ErrVersion)
	require.ErrorIs(t, s.RegisterVersions(oldUnitClass, 1, unitClass), schema.ErrVersion)
	require.ErrorIs(t, s.RegisterVersions(unitClass, 1, foreign), schema.ErrNotPrefix)
	require.NoError(t, s.RegisterVersions(unitClass, 1, oldUnitClass))
	require.ErrorIs(t, s.Register(unitClass), authority.ErrRegistered)
	_, err := s.Spawn(authority.Spec{Class: 1})
	require.ErrorIs(t, err, authority.ErrUnknownClass)

	s.Join(alice, 1, false)
	e, err := s.Spawn(authority.Spec{Object: 1, Class: 42, Match: 1, Owner: alice})
	require.NoError(t, err)
	receive := func(c *replica.Class, h netpeer.Header, v int64) error {
		return s.Receive(alice, 0, forge(t, c, h, health(v)), nil)
	}
	require.NoError(t, receive(oldUnitClass, full(1, 1), 5))
	require.NoError(t, receive(oldUnitClass, netpeer.Header{Object: 1, Result: 2, Base: 1}, 6))
	require.Equal(t, int64(6), e.State().Int(fieldHealth))
	require.NoError(t, receive(unitClass, full(1, 3), 7), "it was updated")
	require.NoError(t, receive(unitClass, netpeer.Header{Object: 1, Result: 4, Base: 3}, 8))
	require.Equal(t, int64(8), e.State().Int(fieldHealth))
}

func TestOwnersAndStats(t *testing.T) {
	s := newServer(t, authority.Config{})
	_, err := s.SetOwner(noObject, alice)
	require.ErrorIs(t, err, replica.ErrUnknownObject)
	epoch, err := s.SetOwner(1, bob)
	require.NoError(t, err)
	require.Equal(t, uint64(2), epoch)
	require.Equal(t, bob, s.Entity(1).Owner())
	drop := func(replica.PeerID, wire.Kind, []byte) {}
	require.ErrorIs(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 1), health(1)), drop), authority.NotOwner)
	require.NoError(t, s.Receive(bob, 0, forge(t, unitClass, full(1, 1), health(1)), drop))

	// Nobody is nobody, also if somebody is called so.
	s.Join(replica.Nobody, 1, false)
	require.ErrorIs(t, s.Receive(replica.Nobody, 0, forge(t, unitClass, full(4, 1), health(1)), drop), authority.NotOwner)

	stats := s.Stats()
	require.Equal(t, uint64(1), stats.Of(authority.Accepted))
	require.Equal(t, uint64(2), stats.Of(authority.NotOwner))
	require.Equal(t, uint64(2), stats.Rejected())
	require.Zero(t, stats.Of(200))
	require.Equal(t, "not_owner", authority.NotOwner.String())
	require.Equal(t, "unknown", authority.Reason(200).String())
	require.Equal(t, "authority: proposal rejected: rate", authority.Rate.Error())

	// A guest may write what is not persistent.
	s.Join(alice, 1, true)
	_, err = s.SetOwner(1, alice)
	require.NoError(t, err)
	require.NoError(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 5), health(2)), drop))
	require.ErrorIs(t, s.Receive(alice, 0, forge(t, unitClass, full(5, 5), health(2)), drop), authority.Guest)
	require.True(t, s.Leave(alice))
	require.False(t, s.Leave(alice))
}

// A slot may be emptied and filled anew with one proposal, by another generation of it.
func TestSlotChangesTenant(t *testing.T) {
	s := newServer(t, authority.Config{})
	st := s.Entity(1).State()
	require.NoError(t, st.PutItem(fieldBag, item(t, 1, 3, 5, 10)))
	require.NoError(t, st.PutItem(fieldBag, item(t, 2, 0, 5, 10)))
	propose := func(result uint64, d *netpeer.CollectionDelta) error {
		return s.Receive(alice, 0, forge(t, unitClass, full(1, result), func(e *netpeer.Encoder) { e.Collection(fieldBag, d) }), drop)
	}
	before := netpeer.ElementID{Index: 1, Generation: 3}
	require.NoError(t, propose(1, &netpeer.CollectionDelta{
		Removed: []netpeer.ElementID{before}, Added: []netpeer.Element{item(t, 1, 4, 1, 11)},
	}))
	_, ok := st.Item(fieldBag, before)
	require.False(t, ok)
	after, ok := st.Item(fieldBag, netpeer.ElementID{Index: 1, Generation: 4})
	require.True(t, ok)
	require.Equal(t, item(t, 1, 4, 1, 11), after)
	require.Len(t, st.Items(fieldBag), 2)
	require.ErrorIs(t, propose(2, &netpeer.CollectionDelta{
		Removed: []netpeer.ElementID{{Index: 2}}, Added: []netpeer.Element{item(t, 1, 5, 1, 12)},
	}), authority.BadValue, "another slot was emptied")
}

// Who was the owner sees no more than other peers in what the new owner proposes.
func TestFormerOwnerIsAPeer(t *testing.T) {
	s := newServer(t, authority.Config{})
	require.NoError(t, s.Entity(1).State().SetInt(fieldAmmo, 3))
	r := replica.NewReceiver(0, unitClass)
	apply := func(to replica.PeerID, _ wire.Kind, body []byte) {
		require.Equal(t, alice, to)
		_, err := r.Apply(body)
		require.NoError(t, err)
	}
	require.NoError(t, s.Update(alice, apply))
	require.Equal(t, int64(3), r.State(1).Int(fieldAmmo))
	_, err := s.SetOwner(1, bob)
	require.NoError(t, err)
	require.NoError(t, s.Entity(1).State().SetInt(fieldAmmo, 4))
	require.NoError(t, s.Receive(bob, 0, forge(t, unitClass, full(1, 1), health(9)), apply))
	require.Equal(t, int64(9), r.State(1).Int(fieldHealth))
	require.False(t, r.State(1).Has(fieldAmmo))
}

package authority_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func drop(replica.PeerID, wire.Kind, []byte) {}

// A rate that is no positive number allows nothing, however long one waits, and keeps no account from being forgotten.
func TestRatesOfNothing(t *testing.T) {
	for _, nothing := range []float64{-1, math.Inf(-1), math.NaN()} {
		for name, l := range map[string]authority.Limits{
			"bunches": {BunchesPerSecond: nothing}, "bytes": {BytesPerSecond: nothing}, "fields": {FieldsPerSecond: nothing},
		} {
			s := newServer(t, authority.Config{Limits: l})
			for now := range uint64(3) {
				body := forge(t, unitClass, full(1, now+1), health(9))
				require.ErrorIs(t, s.Receive(alice, now*1000, body, drop), authority.Rate, "%s of %v", name, nothing)
			}
			before := s.Footprint()
			require.True(t, s.Leave(alice))
			require.Error(t, s.Receive(alice, 100_000, nil, drop)) // time passes
			s.Join(bob, 1, false)
			require.Equal(t, before-2, s.Footprint(), "the connection and the account are gone: %s of %v", name, nothing)
		}
	}
}

// Accounts of identities that came once are forgotten as others come, and nobody waits for all of them to be looked at.
func TestAccountsOfTheGoneAreForgotten(t *testing.T) {
	s := newServer(t, authority.Config{})
	base := s.Footprint()
	for i := range replica.PeerID(20_000) {
		id, now := 1000+i, uint64(i)*10
		s.Join(id, 1, false)
		require.ErrorIs(t, s.Receive(id, now, []byte{1}, drop), authority.Frame)
		require.True(t, s.Leave(id))
		require.LessOrEqual(t, s.Footprint(), base+2*200, "an account and its place on the list for each of the last seconds")
	}
	// One that comes and goes has one place on the list, and its debts, while others are there who also have.
	for range 50 {
		for _, id := range []replica.PeerID{alice, 11, 12, 13, 14, 15, 16} {
			s.Join(id, 1, false)
			require.Error(t, s.Receive(id, 1_000_000, []byte{1}, drop))
			s.Leave(id)
		}
	}
	require.InDelta(t, 256<<10-50, s.BytesLeft(alice), 1)
	require.LessOrEqual(t, s.Footprint(), base+2*7)
	for range 10 { // a minute later, twice
		for _, now := range []uint64{1_060_000, 1_120_000} {
			s.Join(17, 1, false)
			require.Error(t, s.Receive(17, now, []byte{1}, drop))
			s.Leave(17)
		}
	}
	require.LessOrEqual(t, s.Footprint(), base+2)
	require.Zero(t, s.BytesLeft(alice), "forgotten")

	// So is one that came back in time and left once more, with nobody else around.
	for range 3 {
		s.Join(alice, 1, false)
		require.Error(t, s.Receive(alice, 1_120_000, []byte{1}, drop))
		s.Leave(alice)
	}
	for range 10 {
		s.Join(17, 1, false)
		require.Error(t, s.Receive(17, 1_180_000, []byte{1}, drop))
		s.Leave(17)
	}
	require.Zero(t, s.BytesLeft(alice))
}

// What an object remembers of those who wrote it does not grow with its owners, and who has it now is remembered.
func TestProposersAreBounded(t *testing.T) {
	s := newServer(t, authority.Config{})
	base := s.Footprint()
	for i := range replica.PeerID(2000) {
		id := 1000 + i
		s.Join(id, 1, false)
		_, err := s.SetOwner(1, id)
		require.NoError(t, err)
		body := forge(t, unitClass, full(1, 5), health(9))
		require.NoError(t, s.Receive(id, uint64(i)*2000, body, drop))
		require.ErrorIs(t, s.Receive(id, uint64(i)*2000, body, drop), authority.Stale)
		s.Leave(id)
	}
	require.LessOrEqual(t, s.Footprint(), base+256+20)

	// The one of before is remembered, and the first one is not.
	for id, reason := range map[replica.PeerID]error{2998: authority.Stale, 1000: nil} {
		s.Join(id, 1, false)
		_, err := s.SetOwner(1, id)
		require.NoError(t, err)
		require.ErrorIs(t, s.Receive(id, 5_000_000, forge(t, unitClass, full(1, 5), health(9)), drop), reason)
	}
}

// Versions must have the same codecs, for a code of one would be another number for the other, unchecked bounds and all.
func TestVersionsHaveTheSameCodecs(t *testing.T) {
	codecs := unitCodecs()[:fieldScore]
	codecs[fieldHealth] = netpeer.Int(-30, 200)
	old := replica.MustClass(func() schema.Layout {
		l := unitLayout()
		l.Version, l.Properties = 2, l.Properties[:fieldScore]
		return l
	}(), codecs...)
	s := authority.NewServer(authority.Config{})
	require.ErrorIs(t, s.RegisterVersions(unitClass, 2, old), authority.ErrCodec)
	codecs[fieldHealth] = unitCodecs()[fieldHealth]
	codecs[fieldBag] = netpeer.Collection(netpeer.Int(1, 1001), 6)
	old = replica.MustClass(old.Layout(), codecs...)
	require.ErrorIs(t, s.RegisterVersions(unitClass, 2, old), authority.ErrCodec)
	require.NoError(t, s.RegisterVersions(unitClass, 2, oldUnitClass), "nothing was registered before")
}

// When there are no tokens left the proposal is applied all the same, once, and what was sent is charged.
func TestApplyWithoutTokens(t *testing.T) {
	s := newServer(t, authority.Config{
		Replica: replica.Config{LastToken: math.MaxUint64 - 1},
		Veto: func(_ *authority.Proposal, _ *replica.Entity, field int, _ *netpeer.Value) bool {
			return field == fieldAlive
		},
	})
	s.Join(carol, 1, false)
	var out []sent
	body := forge(t, unitClass, full(1, 1), func(e *netpeer.Encoder) {
		e.Bool(fieldAlive, true)
		e.Int(fieldHealth, 9)
	})
	require.ErrorIs(t, s.Receive(alice, 0, body, collect(&out)), baseline.ErrExhausted)
	require.Len(t, out, 1)
	require.Equal(t, bob, out[0].to)
	require.Equal(t, float64(256<<10-len(body)-len(out[0].body)), s.BytesLeft(alice))
	require.Equal(t, int64(9), s.Entity(1).State().Int(fieldHealth))
	require.ErrorIs(t, s.Receive(alice, 0, body, collect(&out)), authority.Stale)
	require.Len(t, out, 1)
}

// Whatever the proposal looks like, peers get the same bytes for the same values: nothing of its frame goes through,
// neither its token and base, nor its version, nor whether it is full.
func TestClientBytesReachNobody(t *testing.T) {
	values := func(e *netpeer.Encoder) {
		e.Int(fieldHealth, 33)
		e.Bytes(fieldName, []byte("x"))
	}
	var all [][]byte
	for name, propose := range map[string]func() []byte{
		"full":           func() []byte { return forge(t, unitClass, full(1, 2), values) },
		"a large token":  func() []byte { return forge(t, unitClass, full(1, 1<<63), values) },
		"an old version": func() []byte { return forge(t, oldUnitClass, full(1, 2), values) },
		"a difference":   func() []byte { return forge(t, unitClass, netpeer.Header{Object: 1, Result: 2, Base: 1}, values) },
		"to a forged base": func() []byte {
			return forge(t, unitClass, netpeer.Header{Object: 1, Result: 3, Base: math.MaxUint64}, values)
		},
		"and what is no change": func() []byte {
			return forge(t, unitClass, full(1, 2), func(e *netpeer.Encoder) {
				values(e)
				e.Collection(fieldBag, nil)
			})
		},
	} {
		s := authority.NewServer(authority.Config{})
		require.NoError(t, s.RegisterVersions(unitClass, 2, oldUnitClass))
		s.Join(alice, 1, false)
		s.Join(bob, 1, false)
		_, err := s.Spawn(authority.Spec{Object: 1, Class: 42, Match: 1, Owner: alice})
		require.NoError(t, err)
		require.NoError(t, s.Receive(alice, 0, forge(t, unitClass, full(1, 1), health(1)), drop))
		var out []sent
		body := propose()
		require.NoError(t, s.Receive(alice, 0, body, collect(&out)), name)
		require.Len(t, out, 1)
		require.Equal(t, bob, out[0].to)
		require.NotEqual(t, body, out[0].body)
		all = append(all, out[0].body)
	}
	for _, body := range all {
		require.Equal(t, all[0], body)
	}
}

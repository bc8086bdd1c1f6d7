package authority_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Mallory is an identity like any other in match 1, with an object of each class.
const (
	mallory      replica.PeerID = 66
	malloryUnit  uint32         = 6
	malloryCrate uint32         = 7
	noObject     uint32         = 99
	serverObject uint32         = 4
)

// siege is a server under attack.
type siege struct {
	t   *testing.T
	s   *authority.Server
	now uint64
	out []sent

	sentAt uint64 // a token that mallory's last accepted bunch had
}

func newSiege(t *testing.T, c authority.Config) *siege {
	g := &siege{t: t, s: authority.NewServer(c), now: 1000}
	require.NoError(t, g.s.RegisterVersions(unitClass, 2, oldUnitClass))
	require.NoError(t, g.s.Register(crateClass))
	g.s.Join(alice, 1, false)
	g.s.Join(bob, 1, false)
	g.s.Join(carol, 2, false)
	g.s.Join(mallory, 1, false)
	for _, o := range []authority.Spec{
		{Object: 1, Class: 42, Match: 1, Owner: alice},
		{Object: 2, Class: 42, Match: 1, Owner: bob},
		{Object: 3, Class: 42, Match: 2, Owner: carol},
		{Object: serverObject, Class: 42, Match: 1},
		{Object: malloryUnit, Class: 42, Match: 1, Owner: mallory, Persistent: true},
		{Object: malloryCrate, Class: 43, Match: 1, Owner: mallory},
	} {
		e, err := g.s.Spawn(o)
		require.NoError(t, err)
		if o.Class == 42 {
			require.NoError(t, e.State().SetInt(fieldHealth, 50))
			require.NoError(t, e.State().SetInt(fieldScore, 7))
			require.NoError(t, e.State().PutItem(fieldBag, item(t, 1, 3, 5, 10)))
		}
	}
	for _, p := range []replica.PeerID{alice, bob, mallory} {
		require.NoError(t, g.s.Bootstrap(p, collect(&g.out)))
	}
	g.out = nil
	return g
}

// accept lets mallory propose something allowed.
func (g *siege) accept(object uint32, result uint64) {
	class := unitClass
	fields := health(51)
	if object == malloryCrate {
		class, fields = crateClass, func(e *netpeer.Encoder) { e.Int(0, 1) }
	}
	require.NoError(g.t, g.s.Receive(mallory, g.now, forge(g.t, class, full(object, result), fields), collect(&g.out)))
	g.sentAt, g.out = result, nil
}

// state is everything there is to be changed.
func (g *siege) state() map[uint32][]netpeer.Value {
	all := make(map[uint32][]netpeer.Value)
	for id := range uint32(10) {
		if e := g.s.Entity(id); e != nil {
			for _, v := range stateValues(e.State()) {
				all[id] = append(all[id], v.Clone())
			}
		}
	}
	return all
}

// honest lets alice and bob play, who must not notice anything.
func (g *siege) honest() {
	g.out = nil
	g.now += 1000
	r := replica.NewReceiver(0, unitClass, crateClass)
	require.NoError(g.t, g.s.Bootstrap(bob, collect(&g.out)))
	require.NoError(g.t, g.s.Receive(alice, g.now, forge(g.t, unitClass, full(1, 1<<40), health(77)), collect(&g.out)))
	g.now += 3000
	require.NoError(g.t, g.s.Receive(alice, g.now,
		forge(g.t, unitClass, netpeer.Header{Object: 1, Result: 1<<40 + 1, Base: 1}, health(78)), collect(&g.out)))
	for _, o := range g.out {
		if o.to == bob && o.kind == wire.KindRepDelta {
			_, err := r.Apply(o.body)
			require.NoError(g.t, err)
		}
	}
	require.Equal(g.t, int64(78), r.State(1).Int(fieldHealth))
}

// attack is something that mallory does. What run returns is what mallory then sends; all of it must be rejected for
// the given reason.
type attack struct {
	name   string
	reason authority.Reason
	config authority.Config
	run    func(g *siege) [][]byte
}

// once is an attack of one body.
func once(name string, reason authority.Reason, body func(t *testing.T) []byte) attack {
	return attack{name: name, reason: reason, run: func(g *siege) [][]byte { return [][]byte{body(g.t)} }}
}

// unit is an attack with a full bunch of fields of mallory's own unit.
func ownUnit(name string, reason authority.Reason, fields func(e *netpeer.Encoder)) attack {
	return once(name, reason, func(t *testing.T) []byte { return forge(t, unitClass, full(malloryUnit, 5), fields) })
}

// bagOf is an attack on the elements of mallory's own unit, which has one of slot 1, generation 3 and key 5.
func bagOf(name string, d func(t *testing.T) *netpeer.CollectionDelta) attack {
	return once(name, authority.BadValue, func(t *testing.T) []byte {
		return forge(t, unitClass, full(malloryUnit, 5), func(e *netpeer.Encoder) {
			e.Int(fieldHealth, 99) // which must not be applied either
			e.Collection(fieldBag, d(t))
		})
	})
}

// mangled is an attack with a good bunch that was changed.
func mangled(name string, reason authority.Reason, change func(body []byte) []byte) attack {
	return once(name, reason, func(t *testing.T) []byte {
		return change(forge(t, crateClass, full(malloryCrate, 5), func(e *netpeer.Encoder) { e.Int(0, 3) }))
	})
}

func attacks() []attack {
	flood := authority.Config{Limits: authority.Limits{
		BunchesPerSecond: 20, BytesPerSecond: 4096, FieldsPerSecond: 40, ItemsPerSecond: 10,
	}}
	return []attack{
		// Whose object it is.
		once("another's object", authority.NotOwner, func(t *testing.T) []byte { return forge(t, unitClass, full(1, 5), health(1)) }),
		once("the server's object", authority.NotOwner, func(t *testing.T) []byte {
			return forge(t, unitClass, full(serverObject, 5), health(1))
		}),
		once("an object of another match", authority.CrossMatch, func(t *testing.T) []byte { return forge(t, unitClass, full(3, 5), health(1)) }),
		once("no object", authority.UnknownObject, func(t *testing.T) []byte { return forge(t, unitClass, full(noObject, 5), health(1)) }),
		{name: "an object that is gone", reason: authority.UnknownObject, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 1)
			require.True(g.t, g.s.Despawn(malloryUnit))
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},
		{name: "an object that was given away", reason: authority.NotOwner, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 1)
			_, err := g.s.SetOwner(malloryUnit, bob)
			require.NoError(g.t, err)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},
		{name: "as a guest", reason: authority.Guest, run: func(g *siege) [][]byte {
			g.s.Join(mallory, 1, true)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},
		{name: "after leaving", reason: authority.NoMatch, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 1)
			g.s.Leave(mallory)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},
		{name: "from another match", reason: authority.CrossMatch, run: func(g *siege) [][]byte {
			g.s.Join(mallory, 2, false)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},

		// Which fields.
		ownUnit("a field of the server", authority.ServerOnly, func(e *netpeer.Encoder) { e.Int(fieldScore, 99) }),
		ownUnit("a field of the server among others", authority.ServerOnly, func(e *netpeer.Encoder) {
			e.Int(fieldHealth, 1)
			e.Int(fieldBirth, 99)
		}),
		ownUnit("a collection of the server", authority.ServerOnly, func(e *netpeer.Encoder) { e.Collection(fieldNotes, nil) }),
		ownUnit("a hidden field", authority.ServerOnly, func(e *netpeer.Encoder) { e.Int(fieldAmmo, 200) }),
		{name: "too many fields", reason: authority.Rate, config: authority.Config{Limits: authority.Limits{MaxBunchFields: 2}},
			run: func(g *siege) [][]byte {
				return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), func(e *netpeer.Encoder) {
					e.Bool(fieldAlive, true)
					e.Int(fieldHealth, 1)
					e.Scalar(fieldEmote, 0)
				})}
			}},

		// What is not a bunch.
		mangled("nothing", authority.Frame, func([]byte) []byte { return nil }),
		mangled("less than an object id", authority.Frame, func(b []byte) []byte { return b[:3] }),
		mangled("an object id", authority.Frame, func(b []byte) []byte { return b[:4] }),
		mangled("a header cut short", authority.Frame, func(b []byte) []byte { return b[:12] }),
		mangled("a value cut short", authority.Frame, func(b []byte) []byte { return b[:len(b)-1] }),
		mangled("a byte more", authority.Frame, func(b []byte) []byte { return append(b, 0) }),
		mangled("padding that is not zero", authority.Frame, func(b []byte) []byte { b[len(b)-1] |= 1; return b }),
		mangled("token zero", authority.Frame, func(b []byte) []byte { b[4] = 0x80; b[5] &= 0x7f; return b }),
		mangled("another hash", authority.Frame, func(b []byte) []byte { b[10] ^= 1; return b }),
		mangled("a token that is too long", authority.Frame, func(b []byte) []byte {
			return append(b[:4:4], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
		}),
		once("a code above the largest", authority.Frame, func(t *testing.T) []byte {
			b := forge(t, crateClass, full(malloryCrate, 5), func(e *netpeer.Encoder) { e.Int(0, 9) })
			b[len(b)-1] |= 0xf << 1 // the last bit is padding
			return b
		}),
		once("a byte string that is not there", authority.Frame, func(t *testing.T) []byte {
			b := forge(t, unitClass, full(malloryUnit, 5), func(e *netpeer.Encoder) { e.Bytes(fieldName, make([]byte, 60)) })
			return b[:len(b)-50]
		}),
		once("elements that are not there", authority.Frame, func(t *testing.T) []byte {
			b := forge(t, unitClass, full(malloryUnit, 5), func(e *netpeer.Encoder) {
				e.Collection(fieldBag, &netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 9, 0, 1, 1), item(t, 8, 0, 1, 1)}})
			})
			return b[:len(b)-4]
		}),
		{name: "a collection bomb", reason: authority.Frame, run: func(g *siege) [][]byte {
			// A mask with the bag, and three times the largest count.
			b := forge(g.t, unitClass, full(malloryUnit, 5), func(e *netpeer.Encoder) { e.Collection(fieldBag, nil) })
			return [][]byte{append(b[:len(b)-3], 0xff, 0xff, 0x7f, 0xff, 0xff, 0x7f)}
		}},
		{name: "a body that is too large", reason: authority.Rate, run: func(g *siege) [][]byte {
			return [][]byte{make([]byte, 64<<10+1)}
		}},

		// Which version.
		once("a version that is not accepted", authority.SchemaBinding, func(t *testing.T) []byte {
			l := unitLayout()
			l.Version = 1
			return forge(t, replica.MustClass(l, unitCodecs()...), full(malloryUnit, 5), health(1))
		}),
		once("a version to come", authority.SchemaBinding, func(t *testing.T) []byte {
			l := unitLayout()
			l.Version = 1<<32 - 1
			return forge(t, replica.MustClass(l, unitCodecs()...), full(malloryUnit, 5), health(1))
		}),
		once("an accepted version with another hash", authority.Frame, func(t *testing.T) []byte {
			l := unitLayout()
			l.Version = 2
			return forge(t, replica.MustClass(l, unitCodecs()...), full(malloryUnit, 5), health(1))
		}),
		once("a difference first", authority.SchemaBinding, func(t *testing.T) []byte {
			return forge(t, unitClass, netpeer.Header{Object: malloryUnit, Result: 5, Base: 4}, health(1))
		}),
		once("a difference first, of a strict class", authority.SchemaBinding, func(t *testing.T) []byte {
			return forge(t, crateClass, netpeer.Header{Object: malloryCrate, Result: 5, Base: 4}, func(e *netpeer.Encoder) { e.Int(0, 1) })
		}),
		{name: "a difference after a new life", reason: authority.SchemaBinding, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 1)
			_, err := g.s.Spawn(authority.Spec{Object: malloryUnit, Class: 42, Match: 1, Owner: mallory})
			require.NoError(g.t, err)
			return [][]byte{forge(g.t, unitClass, netpeer.Header{Object: malloryUnit, Result: 5, Base: 1}, health(1))}
		}},
		{name: "a difference on a new connection", reason: authority.SchemaBinding, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 1)
			g.s.Join(mallory, 1, false)
			return [][]byte{forge(g.t, unitClass, netpeer.Header{Object: malloryUnit, Result: 5, Base: 1}, health(1))}
		}},

		// Which token.
		{name: "a bunch again", reason: authority.Stale, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 5)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},
		{name: "an older bunch", reason: authority.Stale, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 5)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 4), health(1))}
		}},
		{name: "a bunch again on a new connection", reason: authority.Stale, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 5)
			g.s.Leave(mallory)
			g.s.Join(mallory, 1, false)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 5), health(1))}
		}},
		{name: "after the last token", reason: authority.Stale, run: func(g *siege) [][]byte {
			g.accept(malloryUnit, 1<<64-1)
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 1<<64-1), health(1))}
		}},

		// Which values.
		ownUnit("an integer that is too large", authority.BadValue, health(101)),
		ownUnit("an integer that is too small", authority.BadValue, health(-1)),
		ownUnit("a number that is too large", authority.BadValue, func(e *netpeer.Encoder) { e.Scalar(fieldEmote, 3) }),
		ownUnit("a number that is too large by a little", authority.BadValue, func(e *netpeer.Encoder) { e.Scalar(fieldEmote, 1+1.5/64) }),
		ownUnit("a number that is too small by a little", authority.BadValue, func(e *netpeer.Encoder) { e.Scalar(fieldEmote, -1.5/64) }),
		ownUnit("a byte string that is too long", authority.BadValue, func(e *netpeer.Encoder) { e.Bytes(fieldName, make([]byte, 9)) }),
		{name: "a field that was just changed", reason: authority.Cooldown, config: authority.Config{Limits: authority.Limits{FieldCooldown: 100}},
			run: func(g *siege) [][]byte {
				g.accept(malloryUnit, 1)
				return [][]byte{forge(g.t, unitClass, full(malloryUnit, 2), health(1)), forge(g.t, unitClass, full(malloryUnit, 3), health(2))}
			}},

		// Which elements.
		bagOf("an element that is there", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 1, 3, 9, 1)}}
		}),
		bagOf("an element in a slot that is taken", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 1, 4, 9, 1)}}
		}),
		bagOf("two elements in one slot", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 2, 1, 9, 1), item(t, 2, 2, 9, 1)}}
		}),
		bagOf("an element without a key", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Added: []netpeer.Element{item(t, 2, 0, 0, 1)}}
		}),
		bagOf("removing what is not there", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: 1, Generation: 2}}}
		}),
		bagOf("changing what is not there", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Changed: []netpeer.Element{item(t, 5, 0, 9, 1)}}
		}),
		bagOf("changing with the same key", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Changed: []netpeer.Element{item(t, 1, 3, 5, 1)}}
		}),
		bagOf("changing with an older key", func(t *testing.T) *netpeer.CollectionDelta {
			return &netpeer.CollectionDelta{Changed: []netpeer.Element{item(t, 1, 3, 4, 1)}}
		}),
		bagOf("more elements than there may be", func(t *testing.T) *netpeer.CollectionDelta {
			d := new(netpeer.CollectionDelta)
			for i := range uint32(6) {
				d.Added = append(d.Added, item(t, 10+i, 0, 1, 1))
			}
			return d
		}),

		// How much.
		{name: "a flood of bunches", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte { return drained(g, 30) }},
		{name: "a flood of rubbish", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			for range 20 {
				require.Error(g.t, g.s.Receive(mallory, g.now, []byte{1}, collect(&g.out)))
			}
			return drained(g, 1)
		}},
		{name: "a flood of bytes", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			for range 2 {
				require.Error(g.t, g.s.Receive(mallory, g.now, make([]byte, 2048), collect(&g.out)))
			}
			return drained(g, 1)
		}},
		{name: "a flood of fields over many objects", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			five := func(e *netpeer.Encoder) {
				e.Bool(fieldAlive, true)
				e.Int(fieldHealth, 200) // out of bounds, and charged all the same
				e.Scalar(fieldEmote, 0)
				e.Bytes(fieldName, nil)
				e.Vector(fieldAim, [3]float32{})
			}
			for i := range 8 {
				object := 100 + uint32(i)
				_, err := g.s.Spawn(authority.Spec{Object: object, Class: 42, Match: 1, Owner: mallory})
				require.NoError(g.t, err)
				require.ErrorIs(g.t, g.s.Receive(mallory, g.now, forge(g.t, unitClass, full(object, 1), five), collect(&g.out)), authority.BadValue)
			}
			return drained(g, 1)
		}},
		{name: "a flood of elements", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			// Adding and removing the same ones: six operations each time.
			add, remove := new(netpeer.CollectionDelta), new(netpeer.CollectionDelta)
			for i := range uint32(5) {
				add.Added = append(add.Added, item(g.t, 10+i, 0, 1, 1))
				remove.Removed = append(remove.Removed, add.Added[i].ID)
			}
			put := func(result uint64, d *netpeer.CollectionDelta) []byte {
				return forge(g.t, unitClass, full(malloryUnit, result), func(e *netpeer.Encoder) { e.Collection(fieldBag, d) })
			}
			require.NoError(g.t, g.s.Receive(mallory, g.now, put(1, add), collect(&g.out)))
			require.NoError(g.t, g.s.Receive(mallory, g.now, put(2, remove), collect(&g.out)))
			g.out = nil
			return [][]byte{put(3, add), put(4, add)}
		}},
		{name: "a flood with connections in between", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			for range 20 {
				g.s.Leave(mallory)
				g.s.Join(mallory, 1, false)
				require.Error(g.t, g.s.Receive(mallory, g.now, []byte{1}, collect(&g.out)))
			}
			g.s.Leave(mallory)
			g.s.Join(mallory, 1, false)
			return drained(g, 1)
		}},
		{name: "a flood while the clock runs backwards", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			for i := range 20 {
				require.Error(g.t, g.s.Receive(mallory, g.now-uint64(i*40), []byte{1}, collect(&g.out)))
			}
			g.now = 0
			return drained(g, 1)
		}},
		{name: "a flood of full bunches to everybody", reason: authority.Rate, config: flood, run: func(g *siege) [][]byte {
			for i := range replica.PeerID(200) {
				g.s.Join(1000+i, 1, false)
			}
			body := forge(g.t, unitClass, full(malloryUnit, 1), health(2))
			require.NoError(g.t, g.s.Receive(mallory, g.now, body, collect(&g.out)))
			size := 0
			for _, o := range g.out {
				size += len(o.body)
			}
			require.LessOrEqual(g.t, size, 4096+len(g.out[0].body), "one second's worth and one bunch")
			require.Negative(g.t, g.s.BytesLeft(mallory))
			g.out = nil
			return [][]byte{forge(g.t, unitClass, full(malloryUnit, 2), health(3)), forge(g.t, unitClass, full(malloryUnit, 3), health(4))}
		}},
	}
}

// drained returns good bunches of mallory's crate after using up what is left of the allowances that the caller did
// not; the first of them that is rejected is the one that counts, so that they come when nothing is left.
func drained(g *siege, n int) (bodies [][]byte) {
	for i := range n {
		body := forge(g.t, crateClass, full(malloryCrate, uint64(i+1)), func(e *netpeer.Encoder) { e.Int(0, 2) })
		if i < 20 && n > 20 {
			require.NoError(g.t, g.s.Receive(mallory, g.now, body, collect(&g.out)))
			continue
		}
		bodies = append(bodies, body)
	}
	g.out = nil
	return bodies
}

// Nothing of an attack is applied, nothing is sent to anybody, the operator sees the reason, and the others go on
// playing.
func TestHostileClients(t *testing.T) {
	all := attacks()
	require.GreaterOrEqual(t, len(all), 40)
	names := make(map[string]bool)
	for _, a := range all {
		require.False(t, names[a.name], a.name)
		names[a.name] = true
		t.Run(a.name, func(t *testing.T) {
			g := newSiege(t, a.config)
			bodies := a.run(g)
			require.NotEmpty(t, bodies)
			before, stats := g.state(), g.s.Stats()
			for _, body := range bodies {
				kept := append([]byte(nil), body...)
				err := g.s.Receive(mallory, g.now, body, collect(&g.out))
				require.ErrorIs(t, err, a.reason)
				require.Equal(t, kept, body, "the body was written to")
			}
			require.Empty(t, g.out, "something was sent")
			require.Equal(t, before, g.state())
			after := g.s.Stats()
			require.Equal(t, stats.Of(a.reason)+uint64(len(bodies)), after.Of(a.reason))
			require.Equal(t, stats.Rejected()+uint64(len(bodies)), after.Rejected())
			require.Equal(t, stats.Of(authority.Accepted), after.Of(authority.Accepted))
			g.honest()
		})
	}
}

// What was valid when it was validated is checked again when it is applied.
func TestHostileRaces(t *testing.T) {
	spawn := func(g *siege, owner replica.PeerID) {
		_, err := g.s.Spawn(authority.Spec{Object: malloryUnit, Class: 42, Match: 1, Owner: owner})
		require.NoError(g.t, err)
	}
	own := func(g *siege, owner replica.PeerID) {
		_, err := g.s.SetOwner(malloryUnit, owner)
		require.NoError(g.t, err)
	}
	for name, c := range map[string]struct {
		reason authority.Reason
		happen func(g *siege)
	}{
		"despawned":             {authority.UnknownObject, func(g *siege) { g.s.Despawn(malloryUnit) }},
		"spawned again":         {authority.Overtaken, func(g *siege) { spawn(g, mallory) }},
		"despawned and spawned": {authority.Overtaken, func(g *siege) { g.s.Despawn(malloryUnit); spawn(g, mallory) }},
		"spawned for another":   {authority.Overtaken, func(g *siege) { spawn(g, bob) }},
		"given away":            {authority.Overtaken, func(g *siege) { own(g, bob) }},
		"given away and back":   {authority.Overtaken, func(g *siege) { own(g, bob); own(g, mallory) }},
		"given to the same":     {authority.Overtaken, func(g *siege) { own(g, mallory) }},
		"left":                  {authority.Guest, func(g *siege) { g.s.Leave(mallory) }}, // the object is persistent
		"became a guest":        {authority.Guest, func(g *siege) { g.s.Join(mallory, 1, true) }},
		"went to another match": {authority.Overtaken, func(g *siege) { g.s.Join(mallory, 2, false) }},
		"overtaken by a later":  {authority.Stale, func(g *siege) { g.accept(malloryUnit, 6) }},
		"overtaken by itself":   {authority.Stale, func(g *siege) { g.accept(malloryUnit, 5) }},
		"the element was removed": {authority.Overtaken, func(g *siege) {
			_ = g.s.Entity(malloryUnit).State().RemoveItem(fieldBag, netpeer.ElementID{Index: 1, Generation: 3})
		}},
		"the element was changed": {authority.Overtaken, func(g *siege) { _ = g.s.Entity(malloryUnit).State().PutItem(fieldBag, item(g.t, 1, 3, 99, 1)) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := newSiege(t, authority.Config{})
			var p authority.Proposal
			require.NoError(t, g.s.Validate(mallory, g.now, forge(t, unitClass, full(malloryUnit, 5), func(e *netpeer.Encoder) {
				e.Int(fieldHealth, 99)
				e.Collection(fieldBag, &netpeer.CollectionDelta{Changed: []netpeer.Element{item(t, 1, 3, 6, 666)}})
			}), &p))
			c.happen(g)
			g.out = nil
			before := g.state()
			require.ErrorIs(t, g.s.Apply(&p, collect(&g.out)), c.reason)
			require.Empty(t, g.out)
			require.Equal(t, before, g.state())
			g.honest()
		})
	}

	g := newSiege(t, authority.Config{})
	var p authority.Proposal
	require.ErrorIs(t, g.s.Apply(&p, collect(&g.out)), authority.UnknownObject, "it was never validated")
	require.Error(t, g.s.Validate(mallory, g.now, nil, &p))
	require.ErrorIs(t, g.s.Apply(&p, collect(&g.out)), authority.UnknownObject, "it was rejected")
}

// Forged acknowledgements move nobody's baseline.
func TestHostileAcks(t *testing.T) {
	g := newSiege(t, authority.Config{})
	before := make(map[uint32]int)
	for id := range uint32(10) {
		_, before[id] = g.s.Sender().Baseline(alice, id)
	}
	bomb := make([]netpeer.AckEntry, netpeer.MaxEntries)
	for i := range bomb {
		bomb[i] = netpeer.AckEntry{Object: uint32(i) * 1000, Result: 1<<64 - 1, History: 1<<32 - 1}
	}
	for name, entries := range map[string][]netpeer.AckEntry{
		"a token of the future": {{Object: 1, Result: 1 << 60}},
		"no token":              {{Object: 1, Result: 0}},
		"a history of nothing":  {{Object: 1, Result: 0, History: 1<<32 - 1}},
		"no object":             {{Object: noObject, Result: 1}},
		"another match":         {{Object: 3, Result: 1}},
		"a bomb":                bomb,
		"the same again":        {{Object: 1, Result: 1 << 60}, {Object: 1, Result: 1 << 60}},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := netpeer.AppendAcks(nil, entries)
			require.NoError(t, err)
			require.NoError(t, g.s.Ack(mallory, body))
			require.Error(t, g.s.Ack(mallory, append(body, 1)))
			for id := range uint32(10) {
				acked, pending := g.s.Sender().Baseline(alice, id)
				require.Zero(t, acked)
				require.Equal(t, before[id], pending)
				acked, _ = g.s.Sender().Baseline(mallory, id)
				require.Zero(t, acked)
			}
		})
	}
	require.Error(t, g.s.Ack(noPeer, nil))
	g.honest()
}

const noPeer replica.PeerID = 12345

// Whatever clients do, over as many connections and identities as they like, memory stays what it was.
func TestHostileMemory(t *testing.T) {
	g := newSiege(t, authority.Config{})
	var bodies [][]byte
	for _, a := range attacks() {
		if a.config.Limits == (authority.Limits{}) {
			bodies = append(bodies, a.run(newSiege(t, a.config))...)
		}
	}
	drop := func(replica.PeerID, wire.Kind, []byte) {}
	round := func(i int) {
		id := mallory + replica.PeerID(i%50)
		g.s.Join(id, 1, i%3 == 0)
		for _, body := range bodies {
			g.now++
			_ = g.s.Receive(id, g.now, body, drop)
		}
		g.s.Leave(id)
	}
	for i := range 100 {
		round(i)
	}
	footprint, heap := g.s.Footprint(), heapInUse()
	for i := range 1000 {
		round(i)
	}
	require.LessOrEqual(t, g.s.Footprint(), footprint+50)
	require.Less(t, heapInUse(), heap+1<<20)
	g.s.Join(mallory, 1, false)
	g.honest()
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Rejecting does not allocate.
func TestRejectingDoesNotAllocate(t *testing.T) {
	for _, a := range attacks() {
		if a.name == "a body that is too large" || a.config.Limits != (authority.Limits{}) {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			g := newSiege(t, authority.Config{Limits: authority.Limits{
				BunchesPerSecond: 1e9, BytesPerSecond: 1e12, FieldsPerSecond: 1e9, ItemsPerSecond: 1e9,
			}})
			body := a.run(g)[0]
			drop := func(replica.PeerID, wire.Kind, []byte) {}
			reject := func() { _ = g.s.Receive(mallory, g.now, body, drop) }
			for range 3 {
				reject()
			}
			require.Zero(t, testing.AllocsPerRun(50, reject))
			require.GreaterOrEqual(t, g.s.Stats()[a.reason], uint64(50), fmt.Sprint(g.s.Stats()))
		})
	}
}

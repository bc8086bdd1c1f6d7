package registry_test

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

const moveID netcode.TypeID = 0x4D415A4500000003

func TestRegister(t *testing.T) {
	r := registry.New()
	if _, ok := registry.Of[Move](r); ok || r.Len() != 0 {
		t.Fatal("a new registry is not empty")
	}
	if _, ok := r.Lookup(moveID); ok {
		t.Fatal("a new registry knows an id")
	}
	move, err := registry.Register(r, moveID, registry.Options[Move]{Predicted: true})
	if err != nil {
		t.Fatal(err)
	}
	say, err := registry.Register(r, 7, registry.Options[Say]{Name: "Game.Say", Codec: sayCodec})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Register(r, 8, registry.Options[ByValue]{}); err != nil {
		t.Errorf("methods on the value: %v", err)
	}

	moveInfo := registry.Info{ID: moveID, Name: "github.com/ariadne-netcode/ariadne/registry_test.Move", Predicted: true}
	if got := move.Info(); got != moveInfo {
		t.Errorf("got %+v, want %+v", got, moveInfo)
	}
	if move.ID() != moveID || move.Name() != moveInfo.Name || !move.Predicted() {
		t.Errorf("handle says %v, %q, %v", move.ID(), move.Name(), move.Predicted())
	}
	sayInfo := registry.Info{ID: 7, Name: "Game.Say"}
	if got := say.Info(); got != sayInfo {
		t.Errorf("got %+v, want %+v", got, sayInfo)
	}
	for _, want := range []registry.Info{moveInfo, sayInfo} {
		if got, ok := r.Lookup(want.ID); !ok || got != want {
			t.Errorf("Lookup: got %+v, %v, want %+v", got, ok, want)
		}
	}
	for _, id := range []netcode.TypeID{0, 1, 6, 9, moveID + 1, math.MaxUint64} {
		if got, ok := r.Lookup(id); ok {
			t.Errorf("Lookup of %v: %+v", id, got)
		}
	}
	if got, ok := registry.Of[Move](r); !ok || got != move {
		t.Errorf("Of: got %v, %v", got, ok)
	}
	if got, ok := registry.Of[Path](r); ok || got != (registry.Type[Path]{}) {
		t.Errorf("Of an unregistered type: got %v, %v", got, ok)
	}
	if r.Len() != 3 {
		t.Errorf("Len is %d, want 3", r.Len())
	}
}

func TestRegisterAgain(t *testing.T) {
	r := registry.New()
	opts := registry.Options[Say]{Predicted: true, Name: "Say", Codec: sayCodec, Shared: true}
	first, err := registry.Register(r, 7, opts)
	if err != nil {
		t.Fatal(err)
	}
	again, err := registry.Register(r, 7, opts)
	if err != nil || again != first || r.Len() != 1 {
		t.Errorf("got %v, %v, %d types; want the same handle", again, err, r.Len())
	}
	// Another registry makes another registration.
	other, err := registry.Register(registry.New(), 7, opts)
	if err != nil || other == first {
		t.Errorf("got %v, %v; want another handle", other, err)
	}
	// The full name is what no name means.
	var unnamed, named registry.Type[Move]
	if unnamed, err = registry.Register(r, 8, registry.Options[Move]{}); err != nil {
		t.Fatal(err)
	}
	named, err = registry.Register(r, 8, registry.Options[Move]{Name: unnamed.Name()})
	if err != nil || named != unnamed {
		t.Errorf("got %v, %v; want the same handle", named, err)
	}
}

func TestConflicts(t *testing.T) {
	const here = "github.com/ariadne-netcode/ariadne/registry_test."
	// Before each case, Move is registered as 3, predicted, and Say as 4 with a name of its own.
	moveHeld := registry.Claim{Info: registry.Info{ID: 3, Name: here + "Move", Predicted: true}, GoType: here + "Move"}
	sayHeld := registry.Claim{Info: registry.Info{ID: 4, Name: "Game.Say"}, GoType: here + "Say"}
	pathClaim := registry.Claim{Info: registry.Info{ID: 3, Name: here + "Path"}, GoType: here + "Path"}
	with := func(c registry.Claim, change func(*registry.Claim)) registry.Claim { change(&c); return c }
	cases := []struct {
		name         string
		register     func(r *registry.Registry) error
		err          error
		wanted, held registry.Claim
	}{
		{
			"another type under an id",
			func(r *registry.Registry) error { return register(r, 3, registry.Options[Path]{}) },
			registry.ErrIDTaken, pathClaim, moveHeld,
		},
		{
			"another registered type under an id",
			func(r *registry.Registry) error {
				return register(r, 3, registry.Options[Say]{Name: "Game.Say", Codec: sayCodec})
			},
			registry.ErrIDTaken, with(sayHeld, func(c *registry.Claim) { c.ID = 3 }), moveHeld,
		},
		{
			"another id for a type",
			func(r *registry.Registry) error { return register(r, 5, registry.Options[Move]{Predicted: true}) },
			registry.ErrTypeTaken, with(moveHeld, func(c *registry.Claim) { c.ID = 5 }), moveHeld,
		},
		{
			"no longer predicted",
			func(r *registry.Registry) error { return register(r, 3, registry.Options[Move]{}) },
			registry.ErrPrediction, with(moveHeld, func(c *registry.Claim) { c.Predicted = false }), moveHeld,
		},
		{
			"suddenly predicted",
			func(r *registry.Registry) error {
				return register(r, 4, registry.Options[Say]{Predicted: true, Name: "Game.Say", Codec: sayCodec})
			},
			registry.ErrPrediction, with(sayHeld, func(c *registry.Claim) { c.Predicted = true }), sayHeld,
		},
		{
			"another name",
			func(r *registry.Registry) error { return register(r, 4, registry.Options[Say]{Codec: sayCodec}) },
			registry.ErrOptions, with(sayHeld, func(c *registry.Claim) { c.Name = here + "Say" }), sayHeld,
		},
		{
			"suddenly shared",
			func(r *registry.Registry) error {
				return register(r, 4, registry.Options[Say]{Name: "Game.Say", Codec: sayCodec, Shared: true})
			},
			registry.ErrOptions, with(sayHeld, func(c *registry.Claim) { c.Shared = true }), sayHeld,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := registry.New()
			must(t, register(r, 3, registry.Options[Move]{Predicted: true}))
			must(t, register(r, 4, registry.Options[Say]{Name: "Game.Say", Codec: sayCodec}))
			before, digest := slices.Collect(r.All()), r.Digest()

			err := c.register(r)
			ce, ok := errors.AsType[*registry.ConflictError](err)
			if !ok || !errors.Is(err, c.err) {
				t.Fatalf("got %v, want a *ConflictError for %v", err, c.err)
			}
			if ce.Wanted != c.wanted || ce.Held != c.held {
				t.Errorf("got\n%+v against\n%+v, want\n%+v against\n%+v", ce.Wanted, ce.Held, c.wanted, c.held)
			}
			for _, side := range []registry.Claim{c.wanted, c.held} {
				if !strings.Contains(err.Error(), side.String()) {
					t.Errorf("%q does not name %v", err, side)
				}
			}
			if after := slices.Collect(r.All()); !slices.Equal(after, before) || r.Digest() != digest {
				t.Errorf("refused, and yet the registry became %v", after)
			}
			if _, ok := registry.Of[Path](r); ok {
				t.Error("refused, and yet the type is known")
			}
		})
	}
}

func TestClaimString(t *testing.T) {
	for want, c := range map[string]registry.Claim{
		"game.Move as 0x0000000000000003": {
			Info: registry.Info{ID: 3, Name: "game.Move"}, GoType: "game.Move",
		},
		`game.Move as 0x0000000000000003 "Game.Move", predicted, shared`: {
			Info: registry.Info{ID: 3, Name: "Game.Move", Predicted: true}, GoType: "game.Move", Shared: true,
		},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestUnfitTypes(t *testing.T) {
	cases := []struct {
		name     string
		register func(r *registry.Registry) error
		err      error
		mentions string // in the error text
	}{
		{
			"id zero",
			func(r *registry.Registry) error { return register(r, 0, registry.Options[Move]{}) },
			registry.ErrZeroID, "registry_test.Move",
		},
		{
			"pointer",
			func(r *registry.Registry) error { return register(r, 1, registry.Options[*Say]{Codec: nop[*Say]()}) },
			registry.ErrUnnamed, "*registry_test.Say",
		},
		{
			"pointer by its id",
			func(r *registry.Registry) error {
				return register(r, registry.IDOf[*Say](), registry.Options[*Say]{Codec: nop[*Say]()})
			},
			registry.ErrUnnamed, "*registry_test.Say",
		},
		{
			"predeclared",
			func(r *registry.Registry) error {
				return register(r, 1, registry.Options[int32]{Name: "Score", Codec: nop[int32]()})
			},
			registry.ErrUnnamed, "int32",
		},
		{
			"no methods",
			func(r *registry.Registry) error { return register(r, 1, registry.Options[Say]{}) },
			registry.ErrNoCodec, "*registry_test.Say is no encoding.BinaryAppender",
		},
		{
			"one method",
			func(r *registry.Registry) error { return register(r, 1, registry.Options[Half]{}) },
			registry.ErrNoCodec, "*registry_test.Half is no encoding.BinaryUnmarshaler",
		},
		{
			"half a codec",
			func(r *registry.Registry) error {
				return register(r, 1, registry.Options[Move]{Codec: registry.Codec[Move]{Append: nop[Move]().Append}})
			},
			registry.ErrNoCodec, "Codec.Decode is nil",
		},
		{
			"the other half",
			func(r *registry.Registry) error {
				return register(r, 1, registry.Options[Move]{Codec: registry.Codec[Move]{Decode: nop[Move]().Decode}})
			},
			registry.ErrNoCodec, "Codec.Append is nil",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := registry.New()
			err := c.register(r)
			if _, ok := errors.AsType[*registry.TypeError](err); !ok || !errors.Is(err, c.err) {
				t.Fatalf("got %v, want a *TypeError for %v", err, c.err)
			}
			if text := err.Error(); !strings.Contains(text, c.mentions) || strings.Count(text, "registry: ") != 1 {
				t.Errorf("error text %q, want it to mention %q", text, c.mentions)
			}
			if r.Len() != 0 {
				t.Errorf("refused, and yet there are %d types", r.Len())
			}
		})
	}
}

// Random sets of types, each registered in two orders, against a sorted list and the standard library's FNV.
func TestOrderDoesNotMatter(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		kinds := rnd.Perm(len(tags))[:rnd.IntN(len(tags)+1)]
		ids := distinctIDs(rnd, len(kinds))
		predicted := rnd.Uint32()
		fill := func() *registry.Registry {
			r := registry.New()
			for _, i := range rnd.Perm(len(kinds)) {
				must(t, tags[kinds[i]](r, ids[i], predicted>>i&1 == 1))
			}
			return r
		}
		one, two := fill(), fill()

		flags := map[netcode.TypeID]bool{}
		for i, id := range ids {
			flags[id] = predicted>>i&1 == 1
		}
		h := fnv.New64a()
		sorted := slices.Sorted(maps.Keys(flags))
		for _, id := range sorted {
			must(t, binary.Write(h, binary.LittleEndian, id))
			must(t, binary.Write(h, binary.LittleEndian, flags[id]))
		}
		for _, r := range []*registry.Registry{one, two} {
			if got := r.Digest(); got != h.Sum64() {
				t.Fatalf("%v: digest %#x, want %#x", flags, got, h.Sum64())
			}
			if r.Len() != len(ids) {
				t.Fatalf("%v: Len is %d", flags, r.Len())
			}
			var seen []netcode.TypeID
			for info := range r.All() {
				seen = append(seen, info.ID)
				if looked, ok := r.Lookup(info.ID); !ok || looked != info || info.Predicted != flags[info.ID] {
					t.Fatalf("%v: All has %+v, Lookup %+v, %v", flags, info, looked, ok)
				}
			}
			if !slices.Equal(seen, sorted) {
				t.Fatalf("All yields %v, want %v", seen, sorted)
			}
		}
	}
}

// Whatever decides whether two peers fit together changes the digest.
func TestDigestTellsApart(t *testing.T) {
	digest := func(steps ...func(r *registry.Registry) error) uint64 {
		r := registry.New()
		for _, step := range steps {
			must(t, step(r))
		}
		return r.Digest()
	}
	as := func(kind int, id netcode.TypeID, predicted bool) func(r *registry.Registry) error {
		return func(r *registry.Registry) error { return tags[kind](r, id, predicted) }
	}
	if got := digest(); got != 0xCBF29CE484222325 {
		t.Errorf("digest of nothing is %#x", got)
	}
	seen := map[uint64]string{}
	for name, d := range map[string]uint64{
		"none":                digest(),
		"1":                   digest(as(0, 1, false)),
		"1 predicted":         digest(as(0, 1, true)),
		"2":                   digest(as(0, 2, false)),
		"1 and 2":             digest(as(0, 1, false), as(1, 2, false)),
		"1 predicted and 2":   digest(as(0, 1, true), as(1, 2, false)),
		"1 and 2 predicted":   digest(as(0, 1, false), as(1, 2, true)),
		"2^56, as a high end": digest(as(0, 1<<56, false)),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[d] = name
	}
	// Go's types and names are each peer's own business.
	if digest(as(0, 1, true)) != digest(as(5, 1, true)) {
		t.Error("the digest depends on the Go type")
	}
}

// What is registered during an iteration is not in it.
func TestAllWhileRegistering(t *testing.T) {
	r := registry.New()
	for i, register := range tags[:3] {
		must(t, register(r, netcode.TypeID(6-2*i), false))
	}
	var seen []netcode.TypeID
	for info := range r.All() {
		seen = append(seen, info.ID)
		must(t, tags[2+len(seen)](r, info.ID+1, false))
		if len(seen) == 2 {
			break
		}
	}
	if want := []netcode.TypeID{2, 4}; !slices.Equal(seen, want) {
		t.Errorf("got %v, want %v", seen, want)
	}
	if r.Len() != 5 {
		t.Errorf("Len is %d, want 5", r.Len())
	}
}

func TestAllocations(t *testing.T) {
	r := registry.New()
	move := mustRegister(t, r, moveID, registry.Options[Move]{})
	say := mustRegister(t, r, 7, registry.Options[Say]{Codec: sayCodec})
	buf := make([]byte, 0, 64)
	payload := []byte{1, 0, 2, 0}
	m, s := new(Move), &Say{Text: "hello"}
	for name, run := range map[string]func(){
		"append by methods": func() { _, _ = move.AppendPayload(buf, m) },
		"decode by methods": func() { must(t, move.DecodePayload(m, payload)) },
		"append by codec":   func() { _, _ = say.AppendPayload(buf, s) },
		"lookup":            func() { r.Lookup(moveID) },
		"failed lookup":     func() { r.Lookup(8) },
		"of":                func() { registry.Of[Move](r) },
		"digest":            func() { r.Digest() },
	} {
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// distinctIDs returns n ids that are neighbours, or a power of two apart, or anything.
func distinctIDs(r *rand.Rand, n int) []netcode.TypeID {
	next, stride := netcode.TypeID(r.Uint64()), netcode.TypeID(1)
	if r.IntN(2) == 1 {
		stride = 1 << r.IntN(56)
	}
	scattered := r.IntN(3) == 0
	seen := map[netcode.TypeID]bool{0: true}
	var ids []netcode.TypeID
	for len(ids) < n {
		if !seen[next] {
			seen[next] = true
			ids = append(ids, next)
		}
		next += stride
		if scattered {
			next = netcode.TypeID(r.Uint64())
		}
	}
	return ids
}

func register[T any](r *registry.Registry, id netcode.TypeID, opts registry.Options[T]) error {
	_, err := registry.Register(r, id, opts)
	return err
}

func mustRegister[T any](
	t testing.TB, r *registry.Registry, id netcode.TypeID, opts registry.Options[T],
) registry.Type[T] {
	t.Helper()
	h, err := registry.Register(r, id, opts)
	must(t, err)
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

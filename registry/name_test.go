package registry_test

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

func TestHashName(t *testing.T) {
	for name, want := range map[string]netcode.TypeID{
		"":       0xCBF29CE484222325,
		"a":      0xAF63DC4C8601EC8C,
		"b":      0xAF63DF4C8601F1A5,
		"foobar": 0x85944171F73967E8,
	} {
		if got := registry.HashName(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
	}
}

// Against the standard library's FNV, over any bytes, UTF-8 or not.
func TestHashNameAgainstStandard(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		name := make([]byte, r.IntN(80))
		for i := range name {
			name[i] = byte(r.Uint32())
		}
		h := fnv.New64a()
		h.Write(name)
		if got := registry.HashName(string(name)); uint64(got) != h.Sum64() {
			t.Fatalf("%q: got %v, want %#x", name, got, h.Sum64())
		}
	}
}

func TestIDOf(t *testing.T) {
	const here = "github.com/ariadne-netcode/ariadne/registry_test."
	type Move struct{} // hides the one of the package, and shares its name
	type Alias = Say
	for _, c := range []struct {
		what string
		got  netcode.TypeID
		name string
	}{
		{"defined", registry.IDOf[Say](), here + "Say"},
		{"alias", registry.IDOf[Alias](), here + "Say"},
		{"other package", registry.IDOf[netcode.Header](), "github.com/ariadne-netcode/ariadne/netcode.Header"},
		{"standard library", registry.IDOf[time.Duration](), "time.Duration"},
		{"local", registry.IDOf[Move](), here + "Move"},
		{"generic", registry.IDOf[Pair[int32]](), here + "Pair[int32]"},
		{"generic of generic", registry.IDOf[Pair[Pair[Say]]](), here + "Pair[" + here + "Pair[" + here + "Say]]"},
	} {
		if want := registry.HashName(c.name); c.got != want {
			t.Errorf("%s: got %v, want %v", c.what, c.got, want)
		}
	}
	for what, got := range map[string]netcode.TypeID{
		"predeclared": registry.IDOf[int32](),
		"pointer":     registry.IDOf[*Say](),
		"slice":       registry.IDOf[[]Say](),
		"struct":      registry.IDOf[struct{ X int8 }](),
		"interface":   registry.IDOf[any](),
		"error":       registry.IDOf[error](),
		"func":        registry.IDOf[func()](),
	} {
		if got != 0 {
			t.Errorf("%s: got %v, want 0", what, got)
		}
	}
}

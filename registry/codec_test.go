package registry_test

import (
	"net/netip"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

type (
	withString struct {
		N netcode.Step
		S string
	}
	withHidden struct {
		N int8
		p *int8
	}
	withBlank struct {
		_ [3]int8
		_ []int8
	}
	deep struct {
		A [2]struct{ B [1]struct{ C map[int8]int8 } }
	}
	embedding   struct{ withString }
	embeddingIn struct{ *withString }
	recursive   struct{ Next []recursive }
	anInterface interface{ M() }
	aFunc       func()
)

var _ = withHidden{p: nil}

func TestHoldsPointers(t *testing.T) {
	for _, c := range []struct {
		t    reflect.Type
		want bool
	}{
		{reflect.TypeFor[bool](), false},
		{reflect.TypeFor[int](), false},
		{reflect.TypeFor[int8](), false},
		{reflect.TypeFor[int16](), false},
		{reflect.TypeFor[int32](), false},
		{reflect.TypeFor[int64](), false},
		{reflect.TypeFor[uint](), false},
		{reflect.TypeFor[uint8](), false},
		{reflect.TypeFor[uint16](), false},
		{reflect.TypeFor[uint32](), false},
		{reflect.TypeFor[uint64](), false},
		{reflect.TypeFor[uintptr](), false},
		{reflect.TypeFor[float32](), false},
		{reflect.TypeFor[float64](), false},
		{reflect.TypeFor[complex64](), false},
		{reflect.TypeFor[complex128](), false},
		{reflect.TypeFor[string](), false},
		{reflect.TypeFor[netcode.Header](), false},
		{reflect.TypeFor[struct{}](), false},
		{reflect.TypeFor[withString](), false},
		{reflect.TypeFor[embedding](), false},
		{reflect.TypeFor[[3]withString](), false},
		{reflect.TypeFor[[0]*int](), false},
		{reflect.TypeFor[[0]struct{ P *int }](), false},
		{reflect.TypeFor[time.Duration](), false},

		{reflect.TypeFor[*int](), true},
		{reflect.TypeFor[unsafe.Pointer](), true},
		{reflect.TypeFor[[]int](), true},
		{reflect.TypeFor[map[int]int](), true},
		{reflect.TypeFor[chan int](), true},
		{reflect.TypeFor[func()](), true},
		{reflect.TypeFor[any](), true},
		{reflect.TypeFor[error](), true},
		{reflect.TypeFor[anInterface](), true},
		{reflect.TypeFor[aFunc](), true},
		{reflect.TypeFor[[1]*int](), true},
		{reflect.TypeFor[withHidden](), true},
		{reflect.TypeFor[withBlank](), true},
		{reflect.TypeFor[deep](), true},
		{reflect.TypeFor[embeddingIn](), true},
		{reflect.TypeFor[recursive](), true},
		{reflect.TypeFor[time.Time](), true},
		{reflect.TypeFor[netip.Addr](), true},
	} {
		if got := registry.HoldsPointers(c.t); got != c.want {
			t.Errorf("%v: got %v, want %v", c.t, got, c.want)
		}
	}
}

func TestDecodeOnce(t *testing.T) {
	check := func(name string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	check("value", decodeOnce[withString](t, false), true)
	check("shared value", decodeOnce[withString](t, true), true)
	check("slice", decodeOnce[Path](t, false), false)
	check("shared slice", decodeOnce[Path](t, true), true)
	check("deep", decodeOnce[deep](t, false), false)
	check("shared deep", decodeOnce[deep](t, true), true)
	check("generic of values", decodeOnce[Pair[Move]](t, false), true)
	check("generic of slices", decodeOnce[Pair[Path]](t, false), false)
}

func decodeOnce[T any](t *testing.T, shared bool) bool {
	t.Helper()
	opts := registry.Options[T]{Codec: nop[T](), Shared: shared}
	return mustRegister(t, registry.New(), 1, opts).DecodeOnce()
}

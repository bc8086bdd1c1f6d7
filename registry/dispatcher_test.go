package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

func TestDispatch(t *testing.T) {
	r := registry.New()
	move := mustRegister(t, r, moveID, registry.Options[Move]{})
	say := mustRegister(t, r, 7, registry.Options[Say]{Codec: sayCodec})
	var d registry.Dispatcher[string]
	must(t, registry.On(&d, move, func(c netcode.Command[Move]) string {
		return fmt.Sprintf("%v moves by %d,%d", c.Header.Key, c.Payload.X, c.Payload.Y)
	}))
	must(t, registry.On(&d, say, func(c netcode.Command[Say]) string {
		return fmt.Sprintf("%v says %s", c.Header.Key, c.Payload.Text)
	}))

	header := func(id netcode.TypeID) netcode.Header {
		return netcode.Header{Key: netcode.Key{Author: 5, Sequence: 6}, Type: id}
	}
	for _, c := range []struct {
		id      netcode.TypeID
		payload string
		want    string
	}{
		{moveID, "\x01\x00\xff\xff", "5/6 moves by 1,-1"},
		{7, "hello", "5/6 says hello"},
		{moveID, "\x02\x00\x03\x00", "5/6 moves by 2,3"},
	} {
		if got, err := d.Dispatch(header(c.id), []byte(c.payload)); err != nil || got != c.want {
			t.Errorf("got %q, %v, want %q", got, err, c.want)
		}
	}

	got, err := d.Dispatch(header(moveID), []byte("\x02\x00\x03"))
	if pe, ok := errors.AsType[*registry.PayloadError](err); !ok || pe.Type.ID != moveID || !errors.Is(err, errLength) {
		t.Errorf("bad payload: got %v", err)
	}
	if got != "" {
		t.Errorf("bad payload: got %q", got)
	}
	for _, id := range []netcode.TypeID{0, 8, moveID + 1} {
		if got, err := d.Dispatch(header(id), nil); !errors.Is(err, registry.ErrUnknownType) || got != "" {
			t.Errorf("type %v: got %q, %v", id, got, err)
		}
	}
	var empty registry.Dispatcher[int]
	if _, err := empty.Dispatch(header(moveID), nil); !errors.Is(err, registry.ErrUnknownType) {
		t.Errorf("empty dispatcher: got %v", err)
	}
}

func TestOnRefuses(t *testing.T) {
	r := registry.New()
	move := mustRegister(t, r, moveID, registry.Options[Move]{})
	var d registry.Dispatcher[int]
	one := func(netcode.Command[Move]) int { return 1 }
	if err := registry.On(&d, registry.Type[Move]{}, one); !errors.Is(err, registry.ErrUnregistered) {
		t.Errorf("zero handle: got %v", err)
	}
	if err := registry.On(&d, move, nil); !errors.Is(err, registry.ErrNoFunction) {
		t.Errorf("nil function: got %v", err)
	}
	if _, err := d.Dispatch(netcode.Header{Type: moveID}, make([]byte, 4)); !errors.Is(err, registry.ErrUnknownType) {
		t.Errorf("after refusals: got %v", err)
	}
	must(t, registry.On(&d, move, one))
	err := registry.On(&d, move, func(netcode.Command[Move]) int { return 2 })
	if !errors.Is(err, registry.ErrHandled) {
		t.Errorf("second function: got %v", err)
	}
	// A handle from elsewhere with the same id is no better.
	other := mustRegister(t, registry.New(), moveID, registry.Options[Say]{Codec: sayCodec})
	err = registry.On(&d, other, func(netcode.Command[Say]) int { return 3 })
	if !errors.Is(err, registry.ErrHandled) {
		t.Errorf("another type with that id: got %v", err)
	}
	if got, err := d.Dispatch(netcode.Header{Type: moveID}, make([]byte, 4)); err != nil || got != 1 {
		t.Errorf("got %d, %v, want the first function", got, err)
	}
}

// A function may keep what it was given, although the codec reuses memory and payloads are borrowed.
func TestDispatchedCommandsAreIndependent(t *testing.T) {
	path := mustRegister(t, registry.New(), 7, registry.Options[Path]{})
	var d registry.Dispatcher[struct{}]
	var kept []Path
	must(t, registry.On(&d, path, func(c netcode.Command[Path]) struct{} {
		kept = append(kept, c.Payload)
		return struct{}{}
	}))
	buf := make([]byte, 0, 8)
	for _, payload := range []string{"\x02ab", "\x02cd", "\x01e"} {
		buf = append(buf[:0], payload...)
		if _, err := d.Dispatch(netcode.Header{Type: 7}, buf); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, p := range kept {
		got = append(got, string(p.Cells))
	}
	if want := []string{"ab", "cd", "e"}; !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestDispatchAgainFromInside(t *testing.T) {
	move := mustRegister(t, registry.New(), moveID, registry.Options[Move]{})
	var d registry.Dispatcher[int]
	must(t, registry.On(&d, move, func(c netcode.Command[Move]) int {
		x := int(c.Payload.X)
		if x == 0 {
			return 0
		}
		inner, err := d.Dispatch(c.Header, []byte{byte(x - 1), 0, 0, 0})
		must(t, err)
		return inner + int(c.Payload.X)
	}))
	if got, err := d.Dispatch(netcode.Header{Type: moveID}, []byte{4, 0, 0, 0}); err != nil || got != 4+3+2+1 {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestDispatchAllocations(t *testing.T) {
	move := mustRegister(t, registry.New(), moveID, registry.Options[Move]{})
	var d registry.Dispatcher[int]
	must(t, registry.On(&d, move, func(c netcode.Command[Move]) int { return int(c.Payload.X) }))
	payload := []byte{1, 0, 2, 0}
	if n := testing.AllocsPerRun(100, func() {
		if got, err := d.Dispatch(netcode.Header{Type: moveID}, payload); got != 1 || err != nil {
			t.Error(got, err)
		}
	}); n != 0 {
		t.Errorf("Dispatch allocates %v times", n)
	}
}

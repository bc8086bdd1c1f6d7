package payload_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/registry/payload"
)

func TestErrors(t *testing.T) {
	inner := errors.New("inner")
	type level int8
	for _, c := range []struct {
		err   error
		is    error
		field string
		text  string
	}{
		{payload.Size("Move", 3, 4), payload.ErrShort, "", "Move: payload is too short: 3 bytes instead of 4"},
		{payload.Size("Move", 5, 4), payload.ErrTrailing, "", "Move: payload has trailing bytes: 5 bytes instead of 4"},
		{payload.Short("Say", "Text", 1, 2), payload.ErrShort, "Text", "Say.Text: payload is too short: 1 bytes left, 2 needed"},
		{payload.Rest("Say", "Text", 1, 2), payload.ErrShort, "Text", "Say.Text: payload is too short: 1 bytes left, 2 needed"},
		{payload.Rest("Say", "Text", 5, 2), payload.ErrTrailing, "", "Say: payload has trailing bytes: 3 bytes too many"},
		{payload.Trailing("Say", 3), payload.ErrTrailing, "", "Say: payload has trailing bytes: 3 bytes too many"},
		{payload.Range("Move", "Level", level(-3)), payload.ErrRange, "Level", "Move.Level: value is out of range: -3"},
		{payload.Range("Rows", "[].X", uint64(1<<63)), payload.ErrRange, "[].X", "Rows[].X: value is out of range: 9223372036854775808"},
		{payload.Length("Say", "Text", 65, 64), payload.ErrLength, "Text", "Say.Text: length is over the cap: 65, at most 64"},
		{payload.Field("Say", "Own", inner), inner, "Own", "Say.Own: inner"},
	} {
		e, ok := errors.AsType[*payload.Error](c.err)
		if !ok || !errors.Is(c.err, c.is) || e.Field != c.field || c.err.Error() != c.text {
			t.Errorf("got %+v (%v), want %q", e, c.err, c.text)
		}
		for _, other := range []error{payload.ErrShort, payload.ErrTrailing, payload.ErrRange, payload.ErrLength} {
			if other != c.is && errors.Is(c.err, other) {
				t.Errorf("%v is %v, too", c.err, other)
			}
		}
	}
}

func TestBool(t *testing.T) {
	if payload.Bool(false) != 0 || payload.Bool(true) != 1 {
		t.Error("got", payload.Bool(false), payload.Bool(true))
	}
}

func ExampleError() {
	err := fmt.Errorf("receive: %w", payload.Range("Move", "Path[].Dir", uint8(9)))
	if e, ok := errors.AsType[*payload.Error](err); ok && errors.Is(err, payload.ErrRange) {
		fmt.Println("bad", e.Field, "in", e.Type)
	}
	fmt.Println(err)
	// Output:
	// bad Path[].Dir in Move
	// receive: Move.Path[].Dir: value is out of range: 9
}

package registry_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ariadne-netcode/ariadne/registry"
)

func TestPayloads(t *testing.T) {
	r := registry.New()
	move := mustRegister(t, r, moveID, registry.Options[Move]{})
	say := mustRegister(t, r, 7, registry.Options[Say]{Codec: sayCodec})

	out, err := move.AppendPayload([]byte("kept"), &Move{X: 1, Y: -2})
	if want := "kept\x01\x00\xfe\xff"; err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	var m Move
	if err := move.DecodePayload(&m, out[4:]); err != nil || m != (Move{1, -2}) {
		t.Errorf("got %+v, %v", m, err)
	}
	out, err = say.AppendPayload(nil, &Say{"hello"})
	if err != nil || string(out) != "hello" {
		t.Errorf("got %q, %v", out, err)
	}
	var s Say
	if err := say.DecodePayload(&s, out); err != nil || s.Text != "hello" {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestPayloadErrors(t *testing.T) {
	r := registry.New()
	path := mustRegister(t, r, 7, registry.Options[Path]{Name: "Game.Path"})
	check := func(doing string, err error) {
		t.Helper()
		pe, ok := errors.AsType[*registry.PayloadError](err)
		if !ok || !errors.Is(err, errLength) || pe.Doing != doing || pe.Type != path.Info() {
			t.Errorf("got %+v, want a *PayloadError about %s", err, doing)
		}
		if want := "registry: " + doing + " Game.Path: wrong length"; err.Error() != want {
			t.Errorf("error text %q, want %q", err, want)
		}
	}
	// The codec fails after it has appended something.
	out, err := path.AppendPayload([]byte("kept"), &Path{make([]byte, 256)})
	check("encode", err)
	if !bytes.Equal(out, []byte("kept")) {
		t.Errorf("a failed append returned %q", out)
	}
	var p Path
	check("decode", path.DecodePayload(&p, []byte{2, 1}))
	check("decode", path.DecodePayload(&p, []byte{1, 1, 1}))
}

func TestZeroHandle(t *testing.T) {
	var zero registry.Type[Move]
	if zero.Info() != (registry.Info{}) || zero.ID() != 0 || zero.Name() != "" || zero.Predicted() || zero.DecodeOnce() {
		t.Errorf("the zero handle says %+v, %v", zero.Info(), zero.DecodeOnce())
	}
	out, err := zero.AppendPayload([]byte("kept"), &Move{})
	if !errors.Is(err, registry.ErrUnregistered) || string(out) != "kept" {
		t.Errorf("got %q, %v", out, err)
	}
	if err := zero.DecodePayload(&Move{}, make([]byte, 4)); !errors.Is(err, registry.ErrUnregistered) {
		t.Errorf("got %v", err)
	}
}

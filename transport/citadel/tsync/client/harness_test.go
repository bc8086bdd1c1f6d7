package client_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
)

const (
	full  = tsync.FieldPosition | tsync.FieldRotation
	whole = full | tsync.FieldVelocity
)

func newCodec(t testing.TB, h tsync.Hello) *tsync.Codec {
	t.Helper()
	codec, err := tsync.NewCodec(h)
	require.NoError(t, err)
	return codec
}

// feed makes snapshots and applies them to a view.
type feed struct {
	t     testing.TB
	codec *tsync.Codec
	view  *client.View
}

func newFeed(t testing.TB, h tsync.Hello, cfg client.ViewConfig) *feed {
	t.Helper()
	codec := newCodec(t, h)
	view, err := client.NewView(codec, cfg)
	require.NoError(t, err)
	return &feed{t, codec, view}
}

// defaultFeed has the default hello: 20 snapshots and 60 ticks a second.
func defaultFeed(t testing.TB) *feed {
	t.Helper()
	return newFeed(t, tsync.DefaultHello(), client.ViewConfig{})
}

func (f *feed) body(s tsync.Snapshot) []byte { return encode(f.t, f.codec, s) }

func (f *feed) apply(s tsync.Snapshot) error { return f.view.Apply(f.body(s)) }

func (f *feed) must(s tsync.Snapshot) {
	f.t.Helper()
	require.NoError(f.t, f.apply(s))
}

func encode(t testing.TB, codec *tsync.Codec, s tsync.Snapshot) []byte {
	t.Helper()
	if s.SendRate == 0 {
		s.SendRate = codec.Hello().SendRate
	}
	body, err := codec.AppendSnapshot(nil, &s)
	require.NoError(t, err)
	return body
}

// update says some fields of a state.
func update(codec *tsync.Codec, id uint32, gen uint16, fields tsync.Fields, s tsync.State) tsync.Update {
	u := tsync.Update{Object: id, Gen: gen, Fields: fields}
	if err := codec.Quantize(&s, fields&tsync.StateFields, &u.Codes); err != nil {
		panic(err)
	}
	return u
}

func (f *feed) update(id uint32, gen uint16, fields tsync.Fields, s tsync.State) tsync.Update {
	return update(f.codec, id, gen, fields, s)
}

// at is a state at a place on the x axis that codes say exactly.
func at(x float32) tsync.State {
	return tsync.State{Position: [3]float32{x, 0, 0}, Rotation: [4]float32{3: 1}}
}

// moving is a state at a place with a velocity along the x axis.
func moving(x, vx float32) tsync.State {
	s := at(x)
	s.Velocity[0] = vx
	return s
}

func (f *feed) x(id uint32, tick float64) float32 {
	f.t.Helper()
	s, ok := f.view.Sample(id, tick)
	require.True(f.t, ok)
	return s.Position[0]
}

func ids(v *client.View) []uint32 {
	out := []uint32{}
	for o := range v.Objects() {
		out = append(out, o.ID)
	}
	return out
}

func isAny(err error, targets ...error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

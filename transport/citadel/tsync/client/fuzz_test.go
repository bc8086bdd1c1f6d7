package client_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// script joins frames: kind u8 | length u16 | body. A script is what a hostile server sends.
func script(frames ...client.Frame) (out []byte) {
	for _, f := range frames {
		out = append(out, byte(f.Kind))
		out = binary.BigEndian.AppendUint16(out, uint16(len(f.Body)))
		out = append(out, f.Body...)
	}
	return out
}

// nextFrame takes a frame off a script. A body may be cut.
func nextFrame(b []byte) (f client.Frame, rest []byte, ok bool) {
	if len(b) < 3 {
		return client.Frame{}, nil, false
	}
	n := min(int(binary.BigEndian.Uint16(b[1:])), len(b)-3)
	return client.Frame{Kind: wire.Kind(b[0]), Body: b[3 : 3+n]}, b[3+n:], true
}

const fuzzObjects = 16

// FuzzView applies what a server sends, and checks after each frame that the view is whole.
func FuzzView(f *testing.F) {
	codec := newCodec(f, tsync.DefaultHello())
	snapshot := func(s tsync.Snapshot) client.Frame {
		return client.Frame{Kind: wire.KindTsyncSnapshot, Body: encode(f, codec, s)}
	}
	f.Add(script(
		snapshot(tsync.Snapshot{Tick: 1, ID: 1, Updates: []tsync.Update{update(codec, 1, 0, whole, moving(1, 5))}}),
		snapshot(tsync.Snapshot{Tick: 4, ID: 2, Base: 1, Removed: []uint32{1, 1}, Updates: []tsync.Update{update(codec, 1, 1, full, at(3))}}),
		snapshot(tsync.Snapshot{Tick: 2, ID: 1 << 31, Base: 2}),
	))
	f.Fuzz(func(t *testing.T, b []byte) {
		view, err := client.NewView(codec, client.ViewConfig{MaxObjects: fuzzObjects})
		require.NoError(t, err)
		for {
			frame, rest, ok := nextFrame(b)
			if !ok {
				break
			}
			b = rest
			before, stats := slices.Collect(view.Objects()), view.Stats()
			ack := view.Ack()
			apply := view.Apply
			if frame.Kind == wire.KindTsyncV2Snapshot {
				apply = view.ApplyV2
			}
			if err := apply(frame.Body); err != nil {
				require.Equal(t, before, slices.Collect(view.Objects()))
				require.Equal(t, ack, view.Ack())
				require.Equal(t, stats.Applied, view.Stats().Applied)
			} else {
				require.Equal(t, stats.Applied+1, view.Stats().Applied)
				require.NotEqual(t, ack.ID, view.Ack().ID)
			}
			checkView(t, view)
		}
	})
}

func checkView(t *testing.T, view *client.View) {
	t.Helper()
	require.LessOrEqual(t, view.Len(), fuzzObjects)
	require.True(t, slices.IsSorted(ids(view)))
	require.GreaterOrEqual(t, view.Multiplier(), 1.5)
	require.LessOrEqual(t, view.Multiplier(), 2.5)
	tick, ok := view.RenderTick()
	require.Equal(t, view.Len() > 0, ok)
	for _, at := range []float64{tick, tick - 1.5, math.Inf(1), math.Inf(-1)} {
		for _, p := range view.AppendPoses(nil, at) {
			require.True(t, finiteState(p.State), "%v", p)
		}
	}
}

func finiteState(s tsync.State) bool {
	sum := s.Position[0] + s.Position[1] + s.Position[2] + s.Velocity[0] + s.Velocity[1] + s.Velocity[2]
	return !math.IsNaN(float64(sum)) && !math.IsInf(float64(sum), 0) &&
		math.Abs(float64(s.Rotation[0]*s.Rotation[0]+s.Rotation[1]*s.Rotation[1]+s.Rotation[2]*s.Rotation[2]+s.Rotation[3]*s.Rotation[3])-1) < 1e-3
}

// FuzzClient gives a whole client what a server sends, while its player plays.
func FuzzClient(f *testing.F) {
	codec := newCodec(f, tsync.DefaultHello())
	hello := client.Frame{Kind: wire.KindTsyncHello, Body: tsync.AppendHello(nil, tsync.DefaultHello())}
	role := client.Frame{Kind: wire.KindTsyncRole, Body: tsync.AppendRole(nil, mine(1, 0))}
	own := update(codec, 1, 0, whole|tsync.FieldInputSeq, at(0))
	own.InputSeq = 1
	snapshot := func(id uint32) client.Frame {
		return client.Frame{Kind: wire.KindTsyncSnapshot, Body: encode(f, codec, tsync.Snapshot{Tick: 3 * id, ID: id, Updates: []tsync.Update{own}})}
	}
	f.Add(script(hello, role, snapshot(1), snapshot(2),
		client.Frame{Kind: wire.KindTsyncRewind, Body: tsync.AppendRewind(nil, tsync.Rewind{InputSeq: 1})},
		client.Frame{Kind: wire.KindTsyncV2Hello, Body: tsync.AppendManifest(nil, tsync.DefaultManifest())},
	))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := client.New(client.Config{Version2: true, View: client.ViewConfig{MaxObjects: fuzzObjects}})
		require.NoError(t, err)
		shown := math.Inf(-1)
		for {
			frame, rest, ok := nextFrame(b)
			if !ok {
				break
			}
			b = rest
			ev, err := c.Receive(frame.Kind, frame.Body)
			require.False(t, ev != nil && err != nil)
			if _, ok := ev.(client.Welcome); ok {
				shown = math.Inf(-1)
			}
			owned := c.AppendOwned(nil)
			require.LessOrEqual(t, len(owned), client.DefaultMaxOwned)
			for _, object := range owned {
				before := c.Pending(object)
				_, err := c.Push(object, &client.Input{Move: [3]float32{100, 0, 0}, DT: 0.1, Fire: true})
				require.Equal(t, err == nil, c.Pending(object) == before+1, "%v", err)
				require.LessOrEqual(t, c.Pending(object), client.MaxPending)
			}
			if tick, ok := c.Advance(0.01); ok {
				require.GreaterOrEqual(t, tick, shown)
				shown = tick
			} else {
				shown = math.Inf(-1)
			}
			for _, p := range c.AppendPoses(nil) {
				require.False(t, math.IsNaN(float64(p.State.Position[0])))
			}
			for _, f := range c.Flush() {
				checkFrame(t, f)
			}
		}
	})
}

// checkFrame checks that a server can read what a client sends.
func checkFrame(t *testing.T, f client.Frame) {
	t.Helper()
	require.LessOrEqual(t, len(f.Body), tsync.MaxSnapshotBytes)
	switch f.Kind {
	case wire.KindTsyncHello:
		require.Empty(t, f.Body)
	case wire.KindTsyncV2Hello:
		_, err := tsync.ParseManifest(f.Body)
		require.NoError(t, err)
	case wire.KindTsyncAck:
		_, err := tsync.ParseAck(f.Body)
		require.NoError(t, err)
	case wire.KindTsyncInput:
		var in tsync.Input
		require.NoError(t, tsync.ParseInput(f.Body, &in))
		require.NotEmpty(t, in.Frames)
	case wire.KindTsyncV2Input:
		var in tsync.InputV2
		require.NoError(t, tsync.ParseInputV2(f.Body, &in))
		require.NotEmpty(t, in.Input.Frames)
	default:
		t.Fatalf("kind %v", f.Kind)
	}
}

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// tsyncV2File is tsync_v2.json.
type tsyncV2File struct {
	source
	Hellos      []helloVector        `json:"hellos"`
	Manifests   []manifestVector     `json:"manifests"`
	ClockEncode []clockVector        `json:"clock_encode"`
	ClockDecode []clockVector        `json:"clock_decode"`
	Snapshots   []snapshotV2Vector   `json:"snapshots"`
	Inputs      []inputV2Vector      `json:"inputs"`
	InputErrors []inputV2ErrorVector `json:"input_errors"`
}

type manifestVector struct {
	ID           string      `json:"id"`
	Body         vectors.Hex `json:"body_hex"`
	OK           bool        `json:"ok"`
	Error        string      `json:"error"`
	Version      uint8       `json:"version"`
	Capabilities uint8       `json:"capabilities"`
}

type clockVector struct {
	ID    string      `json:"id"`
	Epoch vectors.U64 `json:"epoch"`
	Tick  vectors.U64 `json:"tick"`
	Rate  uint16      `json:"tick_hz"`
	OK    bool        `json:"ok"`
	Error string      `json:"error"`
	Hex   vectors.Hex `json:"hex"`
	Rest  vectors.Hex `json:"rest_hex"`
}

func (v clockVector) clock() tsync.Clock {
	return tsync.Clock{Epoch: uint64(v.Epoch), Tick: uint64(v.Tick), Rate: v.Rate}
}

type snapshotV2Vector struct {
	snapshotVector
	Epoch     vectors.U64 `json:"epoch"`
	ClockTick vectors.U64 `json:"tick"`
	Rate      uint16      `json:"tick_hz"`
}

type inputV2Vector struct {
	inputVector
	Epoch            vectors.U64 `json:"epoch"`
	LastObservedTick vectors.U64 `json:"last_observed_tick"`
	Flags            uint8       `json:"flags"`
}

type inputV2ErrorVector struct {
	ID          string      `json:"id"`
	Epoch       vectors.U64 `json:"epoch"`
	Flags       uint8       `json:"flags"`
	EncodeError string      `json:"encode_error"`
	DecodeError string      `json:"decode_error"`
	Body        vectors.Hex `json:"body_hex"`
}

func TestConformanceTsyncV2(t *testing.T) {
	vectors.EachFile(t, "citadel", "tsync_v2.json", func(t *testing.T, f tsyncV2File) {
		for _, v := range f.Hellos {
			checkHello(t, v)
		}
		for _, v := range f.Manifests {
			t.Run(v.ID, func(t *testing.T) { checkManifest(t, v) })
		}
		for _, v := range f.ClockEncode {
			t.Run(v.ID, func(t *testing.T) { checkClockEncode(t, v) })
		}
		for _, v := range f.ClockDecode {
			t.Run(v.ID, func(t *testing.T) { checkClockDecode(t, v) })
		}
		for _, v := range f.Snapshots {
			t.Run(v.ID, func(t *testing.T) { checkSnapshotV2(t, at(t, f.Hellos, v.Hello).codec(t), v) })
		}
		for _, v := range f.Inputs {
			t.Run(v.ID, func(t *testing.T) { checkInputV2(t, v) })
		}
		for _, v := range f.InputErrors {
			t.Run(v.ID, func(t *testing.T) { checkInputV2Error(t, v) })
		}
	})
}

func checkManifest(t *testing.T, v manifestVector) {
	got, err := tsync.ParseManifest(v.Body)
	if !v.OK {
		require.True(t, errorIs(err, v.Error), "%v is not %s", err, v.Error)
		return
	}
	require.NoError(t, err)
	require.Equal(t, tsync.Manifest{Version: v.Version, Capabilities: v.Capabilities}, got)
	require.Equal(t, []byte(v.Body), tsync.AppendManifest(nil, got))
}

func checkClockEncode(t *testing.T, v clockVector) {
	b, err := tsync.AppendClock([]byte{9}, v.clock())
	if !v.OK {
		require.True(t, errorIs(err, v.Error), "%v is not %s", err, v.Error)
		require.Equal(t, []byte{9}, b)
		return
	}
	require.NoError(t, err)
	require.Equal(t, []byte(v.Hex), b[1:])
}

func checkClockDecode(t *testing.T, v clockVector) {
	c, rest, err := tsync.ParseClock(v.Hex)
	if !v.OK {
		require.True(t, errorIs(err, v.Error), "%v is not %s", err, v.Error)
		return
	}
	require.NoError(t, err)
	require.Equal(t, v.clock(), c)
	require.Equal(t, []byte(v.Rest), rest)
}

func checkSnapshotV2(t *testing.T, c *tsync.Codec, v snapshotV2Vector) {
	snapshot, err := v.snapshot(c)
	require.NoError(t, err)
	want := tsync.SnapshotV2{
		Clock:    tsync.Clock{Epoch: uint64(v.Epoch), Tick: uint64(v.ClockTick), Rate: v.Rate},
		Snapshot: *snapshot,
	}
	body, err := c.AppendSnapshotV2(nil, &want)
	require.NoError(t, err)
	require.Equal(t, []byte(v.Body), body)

	var got tsync.SnapshotV2
	require.NoError(t, c.ParseSnapshotV2(v.Body, &got))
	require.Equal(t, want.Clock, got.Clock)
	v.requireDecoded(t, c, snapshot, &got.Snapshot)
}

func checkInputV2(t *testing.T, v inputV2Vector) {
	want := tsync.InputV2{
		Epoch: uint64(v.Epoch), LastObservedTick: uint64(v.LastObservedTick), Flags: v.Flags, Input: v.input(),
	}
	body, err := tsync.AppendInputV2(nil, &want)
	require.NoError(t, err)
	require.Equal(t, []byte(v.Body), body)

	var got tsync.InputV2
	require.NoError(t, tsync.ParseInputV2(v.Body, &got))
	requireSameInput(t, want.Input, got.Input)
	want.Input, got.Input = tsync.Input{}, tsync.Input{}
	require.Equal(t, want, got)
}

func checkInputV2Error(t *testing.T, v inputV2ErrorVector) {
	b, err := tsync.AppendInputV2([]byte{9}, &tsync.InputV2{Epoch: uint64(v.Epoch), Flags: v.Flags})
	require.True(t, errorIs(err, v.EncodeError), "%v is not %s", err, v.EncodeError)
	require.Equal(t, []byte{9}, b)
	var got tsync.InputV2
	err = tsync.ParseInputV2(v.Body, &got)
	require.True(t, errorIs(err, v.DecodeError), "%v is not %s", err, v.DecodeError)
	require.Zero(t, got)
}

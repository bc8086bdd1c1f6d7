package wire_test

import (
	"bytes"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// source is what every file says about itself.
type source struct {
	Family string `json:"family"`
	Set    string `json:"set"`
	Seed   string `json:"seed"`
	Source string `json:"source"`
}

type envelopeFile struct {
	source
	MaxFrameBody      int              `json:"max_frame_body_bytes"`
	LengthPrefixBytes int              `json:"length_prefix_bytes"`
	Frames            []frameVector    `json:"frames"`
	Streams           []streamVector   `json:"streams"`
	Datagrams         []datagramVector `json:"datagrams"`
}

type frameVector struct {
	ID          string      `json:"id"`
	Kind        wire.Kind   `json:"kind"`
	Body        vectors.Hex `json:"body_hex"`
	Framed      vectors.Hex `json:"framed_hex"`
	Datagram    vectors.Hex `json:"datagram_hex"`
	FramedLen   int         `json:"framed_len"`
	DatagramLen int         `json:"datagram_len"`
}

type streamVector struct {
	ID     string      `json:"id"`
	Note   string      `json:"note"`
	Buffer vectors.Hex `json:"buffer_hex"`
	Steps  []struct {
		Result    string      `json:"result"`
		Error     string      `json:"error"`
		Kind      wire.Kind   `json:"kind"`
		Body      vectors.Hex `json:"body_hex"`
		Remaining int         `json:"remaining"`
	} `json:"steps"`
}

type datagramVector struct {
	ID       string      `json:"id"`
	Datagram vectors.Hex `json:"datagram_hex"`
	OK       bool        `json:"ok"`
	Error    string      `json:"error"`
	Kind     wire.Kind   `json:"kind"`
	Body     vectors.Hex `json:"body_hex"`
}

var errorClasses = map[string]error{
	"frame_too_large":    wire.ErrFrameTooLarge,
	"frame_too_small":    wire.ErrFrameTooSmall,
	"datagram_too_small": wire.ErrDatagramTooSmall,
	"too_short":          wire.ErrTooShort,
	"out_of_range":       wire.ErrOutOfRange,
}

func TestConformanceEnvelope(t *testing.T) {
	vectors.EachFile(t, "citadel", "envelope.json", func(t *testing.T, f envelopeFile) {
		require.Equal(t, f.MaxFrameBody, wire.MaxFrameBody)
		require.Equal(t, f.LengthPrefixBytes, wire.LengthPrefixBytes)
		for _, v := range f.Frames {
			t.Run(v.ID, func(t *testing.T) { checkFrame(t, v) })
		}
		for _, v := range f.Streams {
			t.Run(v.ID, func(t *testing.T) { checkStream(t, v) })
		}
		for _, v := range f.Datagrams {
			t.Run(v.ID, func(t *testing.T) { checkDatagram(t, v) })
		}
	})
}

func checkFrame(t *testing.T, v frameVector) {
	framed, err := wire.AppendFramed([]byte("before"), v.Kind, v.Body)
	require.NoError(t, err)
	require.Equal(t, "before"+string(v.Framed), string(framed))
	require.Len(t, v.Framed, v.FramedLen)
	e, n, err := wire.ParseFramed(v.Framed)
	require.NoError(t, err)
	require.Equal(t, v.FramedLen, n)
	require.Equal(t, wire.Envelope{Kind: v.Kind, Body: v.Body}, e)

	datagram := wire.AppendDatagram([]byte("before"), v.Kind, v.Body)
	require.Equal(t, "before"+string(v.Datagram), string(datagram))
	require.Len(t, v.Datagram, v.DatagramLen)
	e, err = wire.ParseDatagram(v.Datagram)
	require.NoError(t, err)
	require.Equal(t, wire.Envelope{Kind: v.Kind, Body: v.Body}, e)
}

// checkStream replays the steps whole, and with the bytes coming one by one.
func checkStream(t *testing.T, v streamVector) {
	var dec wire.Decoder
	_, err := dec.Write(v.Buffer)
	require.NoError(t, err)
	for i, step := range v.Steps {
		e, ok, err := dec.Next()
		require.Equal(t, step.Remaining, dec.Buffered(), "step %d", i)
		switch step.Result {
		case "frame":
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, wire.Envelope{Kind: step.Kind, Body: step.Body}, e)
		case "need_more":
			require.NoError(t, err)
			require.False(t, ok)
		case "error":
			require.ErrorIs(t, err, errorClasses[step.Error])
			require.False(t, ok)
			_, _, again := dec.Next()
			require.Equal(t, err, again)
		default:
			t.Fatalf("unknown result %q", step.Result)
		}
	}

	var slow wire.Decoder
	next := 0
	for _, b := range v.Buffer {
		_, _ = slow.Write([]byte{b})
		e, ok, err := slow.Next()
		if err != nil {
			require.Equal(t, "error", v.Steps[next].Result)
			require.ErrorIs(t, err, errorClasses[v.Steps[next].Error])
			return
		}
		if ok {
			require.Equal(t, wire.Envelope{Kind: v.Steps[next].Kind, Body: v.Steps[next].Body}, e)
			next++
		}
	}
	if next < len(v.Steps) {
		require.Equal(t, "need_more", v.Steps[next].Result)
	}
}

func checkDatagram(t *testing.T, v datagramVector) {
	e, err := wire.ParseDatagram(v.Datagram)
	if !v.OK {
		require.ErrorIs(t, err, errorClasses[v.Error])
		return
	}
	require.NoError(t, err)
	require.Equal(t, wire.Envelope{Kind: v.Kind, Body: v.Body}, e)
}

// requireVerdict checks an error against a file's verdict: of its class where the file names one, and otherwise of
// any class.
func requireVerdict(t *testing.T, ok bool, class string, err error) {
	t.Helper()
	switch {
	case ok:
		require.NoError(t, err)
	case class == "":
		require.Error(t, err)
	default:
		require.Contains(t, errorClasses, class)
		require.ErrorIs(t, err, errorClasses[class])
	}
}

// float is a number by its bits: as a number it could change on the way, if it is a NaN.
type float float32

func (f *float) UnmarshalJSON(b []byte) error {
	n, err := strconv.ParseUint(string(bytes.Trim(b, `"`)), 16, 32)
	*f = float(math.Float32frombits(uint32(n)))
	return err
}

// bits makes a value with floats in it comparable: by it NaNs are equal if their bits are.
func bits[T ~float32](fs ...T) []uint32 {
	out := make([]uint32, len(fs))
	for i, f := range fs {
		out[i] = math.Float32bits(float32(f))
	}
	return out
}

package wire_test

import (
	"encoding/json"
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

// protocolFile holds much that is not the transport's.
type protocolFile struct {
	source
	Kinds            map[string]wire.Kind `json:"kinds"`
	AuthResultEncode []authVector         `json:"auth_result_encode"`
	AuthResultDecode []authVector         `json:"auth_result_decode"`

	RPCRequestEncode  json.RawMessage `json:"rpc_request_encode"`
	RPCRequestDecode  json.RawMessage `json:"rpc_request_decode"`
	RPCResponseEncode json.RawMessage `json:"rpc_response_encode"`
	RPCResponseDecode json.RawMessage `json:"rpc_response_decode"`
	SenderEncode      json.RawMessage `json:"sender_encode"`
	SenderDecode      json.RawMessage `json:"sender_decode"`
	Position          json.RawMessage `json:"position"`
	PositionDecode    json.RawMessage `json:"position_decode"`
}

type authVector struct {
	ID     string          `json:"id"`
	Kind   string          `json:"kind"`
	OK     bool            `json:"ok"`
	Status wire.AuthStatus `json:"status"`
	User   string          `json:"user_id"`
	UserID vectors.Hex     `json:"user_id_utf8_hex"`
	Reason wire.AuthReason `json:"reason_class"`
	Body   vectors.Hex     `json:"body_hex"`
}

func TestConformanceAuthResult(t *testing.T) {
	vectors.EachFile(t, "citadel", "protocol.json", func(t *testing.T, f protocolFile) {
		require.Equal(t, f.Kinds["auth"], wire.KindAuth)
		require.Equal(t, f.Kinds["auth_result"], wire.KindAuthResult)
		for name, kind := range f.Kinds {
			require.Less(t, kind, wire.FirstApplicationKind, name)
		}
		for _, v := range f.AuthResultEncode {
			t.Run(v.ID, func(t *testing.T) {
				status, ok := map[string]wire.AuthStatus{
					"authenticated": wire.AuthAuthenticated, "guest": wire.AuthGuest, "rejected": wire.AuthRejected,
				}[v.Kind]
				require.True(t, ok, v.Kind)
				require.Equal(t, v.Kind, status.String())
				got := wire.AppendAuthResult(nil, wire.AuthResult{Status: status, UserID: v.UserID, Reason: v.Reason})
				require.Equal(t, []byte(v.Body), got)
			})
		}
		for _, v := range f.AuthResultDecode {
			t.Run(v.ID, func(t *testing.T) {
				r, err := wire.ParseAuthResult(v.Body)
				if !v.OK {
					require.ErrorIs(t, err, wire.ErrAuthResult)
					return
				}
				require.NoError(t, err)
				require.Equal(t, v.Status, r.Status)
				require.Equal(t, v.User, string(r.UserID))
				require.Equal(t, v.Reason, r.Reason)
			})
		}
	})
}

// malformedFile is the corpus of all decoders.
type malformedFile struct {
	source
	Counts        json.RawMessage   `json:"counts"`
	DefaultBudget int               `json:"default_budget"`
	Hellos        json.RawMessage   `json:"hellos"`
	Schemas       json.RawMessage   `json:"schemas"`
	Large         json.RawMessage   `json:"large"`
	Cases         []malformedVector `json:"cases"`
}

type malformedVector struct {
	ID        string          `json:"id"`
	Decoder   string          `json:"decoder"`
	Mutation  string          `json:"mutation"`
	Hex       vectors.Hex     `json:"hex"`
	Accepted  bool            `json:"accepted"`
	Error     string          `json:"error"`
	Reencoded json.RawMessage `json:"reencoded"`
	Hello     *int            `json:"hello"`
	Schema    *int            `json:"schema"`
	Budget    *int            `json:"budget"`
}

// reencoded returns what encoding the decoded value gives, or nil if there is no encoder for it.
func (v malformedVector) reencoded(t *testing.T) []byte {
	var s *string
	require.NoError(t, json.Unmarshal(v.Reencoded, &s))
	switch {
	case s == nil:
		return nil
	case *s == "same":
		return v.Hex
	}
	var h vectors.Hex
	require.NoError(t, json.Unmarshal(v.Reencoded, &h))
	return h
}

func TestConformanceMalformed(t *testing.T) {
	vectors.EachFile(t, "citadel", "malformed.json", func(t *testing.T, f malformedFile) {
		count := map[string]int{}
		for _, v := range f.Cases {
			check := map[string]func(*testing.T, malformedVector){
				"framed": malformedFramed, "datagram": malformedDatagram, "auth_result": malformedAuthResult,
			}[v.Decoder]
			if check == nil {
				continue
			}
			count[v.Decoder]++
			t.Run(v.ID, func(t *testing.T) { check(t, v) })
		}
		require.Len(t, count, 3, "every decoder of this package has cases: %v", count)
	})
}

func malformedFramed(t *testing.T, v malformedVector) {
	e, n, err := wire.ParseFramed(v.Hex)
	switch {
	case v.Accepted:
		require.NoError(t, err)
		require.Positive(t, n)
		again, err := wire.AppendFramed(nil, e.Kind, e.Body)
		require.NoError(t, err)
		require.Equal(t, v.reencoded(t), again)
	case v.Error == "need_more":
		require.NoError(t, err)
		require.Zero(t, n)
	default:
		require.ErrorIs(t, err, errorClasses[v.Error])
	}
}

func malformedDatagram(t *testing.T, v malformedVector) {
	e, err := wire.ParseDatagram(v.Hex)
	if !v.Accepted {
		require.ErrorIs(t, err, errorClasses[v.Error])
		return
	}
	require.NoError(t, err)
	require.Equal(t, v.reencoded(t), wire.AppendDatagram(nil, e.Kind, e.Body))
}

func malformedAuthResult(t *testing.T, v malformedVector) {
	r, err := wire.ParseAuthResult(v.Hex)
	if !v.Accepted {
		require.ErrorIs(t, err, wire.ErrAuthResult)
		return
	}
	require.NoError(t, err)
	if want := v.reencoded(t); want != nil {
		require.Equal(t, want, wire.AppendAuthResult(nil, r))
	} else {
		require.Greater(t, r.Status, wire.AuthRejected)
	}
}

package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

type protocolFile struct {
	source
	Kinds             map[string]wire.Kind `json:"kinds"`
	RPCRequestEncode  []rpcRequestVector   `json:"rpc_request_encode"`
	RPCRequestDecode  []rpcRequestVector   `json:"rpc_request_decode"`
	RPCResponseEncode []rpcResponseVector  `json:"rpc_response_encode"`
	RPCResponseDecode []rpcResponseVector  `json:"rpc_response_decode"`
	AuthResultEncode  []authVector         `json:"auth_result_encode"`
	AuthResultDecode  []authVector         `json:"auth_result_decode"`
	SenderEncode      []senderVector       `json:"sender_encode"`
	SenderDecode      []senderVector       `json:"sender_decode"`
	Position          []positionVector     `json:"position"`
	PositionDecode    []positionVector     `json:"position_decode"`
}

type repeated struct {
	Lead  string `json:"lead"`
	Unit  string `json:"unit"`
	Count int    `json:"count"`
}

// text returns the string that a vector gives, by its bytes or by what it repeats.
func (r *repeated) text(b []byte) []byte {
	if r == nil {
		return b
	}
	return []byte(r.Lead + strings.Repeat(r.Unit, r.Count))
}

type rpcRequestVector struct {
	ID           string      `json:"id"`
	Note         string      `json:"note"`
	OK           bool        `json:"ok"`
	RequestID    vectors.U64 `json:"request_id"`
	Method       string      `json:"method"`
	MethodUTF8   vectors.Hex `json:"method_utf8_hex"`
	MethodRepeat *repeated   `json:"method_repeat"`
	MethodLen    *int        `json:"method_len_on_wire"`
	Payload      vectors.Hex `json:"payload_hex"`
	BodyLen      *int        `json:"body_len"`
	Body         vectors.Hex `json:"body_hex"`
}

type rpcResponseVector struct {
	ID        string         `json:"id"`
	OK        bool           `json:"ok"`
	RequestID vectors.U64    `json:"request_id"`
	Status    wire.RPCStatus `json:"status"`
	Payload   vectors.Hex    `json:"payload_hex"`
	Body      vectors.Hex    `json:"body_hex"`
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

type senderVector struct {
	ID       string      `json:"id"`
	OK       bool        `json:"ok"`
	SenderID vectors.U64 `json:"sender_id"`
	Payload  vectors.Hex `json:"payload_hex"`
	Body     vectors.Hex `json:"body_hex"`
}

type positionVector struct {
	ID       string          `json:"id"`
	OK       bool            `json:"ok"`
	X        json.RawMessage `json:"x"` // by their bits instead
	Y        json.RawMessage `json:"y"`
	XBits    float           `json:"x_bits"`
	YBits    float           `json:"y_bits"`
	Body     vectors.Hex     `json:"body_hex"`
	SenderID vectors.U64     `json:"sender_id"`
	PeerBody vectors.Hex     `json:"peer_body_hex"`
}

// eachOf runs a check as a subtest for each element of one section of a file.
func eachOf[T any](t *testing.T, section []T, id func(T) string, check func(t *testing.T, v T)) {
	for _, v := range section {
		t.Run(id(v), func(t *testing.T) { check(t, v) })
	}
}

func TestConformanceProtocol(t *testing.T) {
	vectors.EachFile(t, "citadel", "protocol.json", func(t *testing.T, f protocolFile) {
		for name, check := range map[string]func(*testing.T, protocolFile){
			"Kinds":      checkKinds,
			"RPC":        checkRPC,
			"AuthResult": checkAuthResult,
			"Sender":     checkSender,
			"Position":   checkPosition,
		} {
			t.Run(name, func(t *testing.T) { check(t, f) })
		}
	})
}

func checkKinds(t *testing.T, f protocolFile) {
	for name, kind := range f.Kinds {
		info, ok := kind.Info()
		require.True(t, ok, name)
		require.Equal(t, name, info.Name)
		require.Equal(t, name, kind.String())
		require.Less(t, kind, wire.FirstApplicationKind, name)
	}
}

func checkRPC(t *testing.T, f protocolFile) {
	requestID := func(v rpcRequestVector) string { return v.ID }
	eachOf(t, f.RPCRequestEncode, requestID, func(t *testing.T, v rpcRequestVector) {
		r := wire.RPCRequest{ID: uint64(v.RequestID), Method: v.MethodRepeat.text(v.MethodUTF8), Payload: v.Payload}
		got := wire.AppendRPCRequest(nil, r)
		require.Equal(t, []byte(v.Body), got)
		if v.BodyLen != nil {
			require.Len(t, got, *v.BodyLen)
		}
		if v.MethodLen != nil {
			back, err := wire.ParseRPCRequest(got)
			require.NoError(t, err)
			require.Len(t, back.Method, *v.MethodLen)
		}
	})
	eachOf(t, f.RPCRequestDecode, requestID, func(t *testing.T, v rpcRequestVector) {
		r, err := wire.ParseRPCRequest(v.Body)
		requireVerdict(t, v.OK, "", err)
		require.Equal(t, uint64(v.RequestID), r.ID)
		require.Equal(t, v.Method, string(r.Method))
		require.Equal(t, string(v.MethodUTF8), string(r.Method))
		require.Equal(t, string(v.Payload), string(r.Payload))
	})
	responseID := func(v rpcResponseVector) string { return v.ID }
	eachOf(t, f.RPCResponseEncode, responseID, func(t *testing.T, v rpcResponseVector) {
		r := wire.RPCResponse{ID: uint64(v.RequestID), Status: v.Status, Payload: v.Payload}
		require.Equal(t, []byte(v.Body), wire.AppendRPCResponse(nil, r))
	})
	eachOf(t, f.RPCResponseDecode, responseID, func(t *testing.T, v rpcResponseVector) {
		r, err := wire.ParseRPCResponse(v.Body)
		requireVerdict(t, v.OK, "", err)
		require.Equal(t, uint64(v.RequestID), r.ID)
		require.Equal(t, v.Status, r.Status)
		require.Equal(t, string(v.Payload), string(r.Payload))
	})
}

func checkAuthResult(t *testing.T, f protocolFile) {
	id := func(v authVector) string { return v.ID }
	eachOf(t, f.AuthResultEncode, id, func(t *testing.T, v authVector) {
		status, ok := map[string]wire.AuthStatus{
			"authenticated": wire.AuthAuthenticated, "guest": wire.AuthGuest, "rejected": wire.AuthRejected,
		}[v.Kind]
		require.True(t, ok, v.Kind)
		require.Equal(t, v.Kind, status.String())
		got := wire.AppendAuthResult(nil, wire.AuthResult{Status: status, UserID: v.UserID, Reason: v.Reason})
		require.Equal(t, []byte(v.Body), got)
	})
	eachOf(t, f.AuthResultDecode, id, func(t *testing.T, v authVector) {
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

func checkSender(t *testing.T, f protocolFile) {
	id := func(v senderVector) string { return v.ID }
	eachOf(t, f.SenderEncode, id, func(t *testing.T, v senderVector) {
		got := wire.AppendTagged(nil, wire.Tagged{Sender: uint64(v.SenderID), Payload: v.Payload})
		require.Equal(t, []byte(v.Body), got)
	})
	eachOf(t, f.SenderDecode, id, func(t *testing.T, v senderVector) {
		tagged, err := wire.ParseTagged(v.Body)
		requireVerdict(t, v.OK, "", err)
		require.Equal(t, uint64(v.SenderID), tagged.Sender)
		require.Equal(t, string(v.Payload), string(tagged.Payload))
	})
}

func checkPosition(t *testing.T, f protocolFile) {
	id := func(v positionVector) string { return v.ID }
	eachOf(t, f.Position, id, func(t *testing.T, v positionVector) {
		body := wire.AppendPosition(nil, wire.Position{X: float32(v.XBits), Y: float32(v.YBits)})
		require.Equal(t, []byte(v.Body), body)
		peer := wire.AppendTagged(nil, wire.Tagged{Sender: uint64(v.SenderID), Payload: body})
		require.Equal(t, []byte(v.PeerBody), peer)

		tagged, err := wire.ParseTagged(peer)
		require.NoError(t, err)
		require.Equal(t, uint64(v.SenderID), tagged.Sender)
		p, err := wire.ParsePosition(tagged.Payload)
		require.NoError(t, err)
		require.Equal(t, bits(v.XBits, v.YBits), bits(p.X, p.Y))
	})
	eachOf(t, f.PositionDecode, id, func(t *testing.T, v positionVector) {
		p, err := wire.ParsePosition(v.Body)
		requireVerdict(t, v.OK, "", err)
		require.Equal(t, bits(v.XBits, v.YBits), bits(p.X, p.Y))
	})
}

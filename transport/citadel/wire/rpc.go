package wire

import (
	"encoding/binary"
	"strconv"
)

// Sizes of an RPC's fixed fields, in bytes.
const (
	RPCRequestIDBytes      = 8
	RPCRequestHeaderBytes  = RPCRequestIDBytes + 2 // and the method's length
	RPCResponseHeaderBytes = RPCRequestIDBytes + 1 // and the status
)

// RPCRequest is the body of a [KindRPCRequest]: a method of the server is to be called.
//
//	id u64 | method length u16 | method, UTF-8 | payload
type RPCRequest struct {
	ID      uint64 // chosen by the client, repeated in the response
	Method  []byte
	Payload []byte
}

// AppendRPCRequest appends the encoding of r. A Method of more than [MaxString] bytes is cut behind the last
// whole character that fits. That Method is UTF-8 is not checked; a server drops a request whose is not.
func AppendRPCRequest(dst []byte, r RPCRequest) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.ID)
	dst = appendBytes(dst, cutText(r.Method))
	return append(dst, r.Payload...)
}

// ParseRPCRequest reads a whole body; Method and Payload borrow from it. It returns [ErrTooShort], or
// [ErrOutOfRange] for a method that is not UTF-8. There is no answering such a request: its id is not to be
// trusted.
func ParseRPCRequest(b []byte) (RPCRequest, error) {
	if len(b) < RPCRequestHeaderBytes {
		return RPCRequest{}, errShortRequest
	}
	method, payload, err := splitText(b[RPCRequestIDBytes:], errShortRequest, errTextMethod)
	if err != nil {
		return RPCRequest{}, err
	}
	return RPCRequest{ID: binary.BigEndian.Uint64(b), Method: method, Payload: payload}, nil
}

// RPCStatus is the outcome of a call. Other values than the two below may arrive.
type RPCStatus uint8

// The outcomes.
const (
	RPCOK    RPCStatus = 0
	RPCError RPCStatus = 1
)

// String returns the outcome's name.
func (s RPCStatus) String() string {
	switch s {
	case RPCOK:
		return "ok"
	case RPCError:
		return "error"
	}
	return "status(" + strconv.Itoa(int(s)) + ")"
}

// RPCResponse is the body of a [KindRPCResponse]: the one answer to a request, to its sender alone.
//
//	id u64 | status u8 | payload
type RPCResponse struct {
	ID      uint64 // the request's
	Status  RPCStatus
	Payload []byte // with [RPCError] a short message
}

// AppendRPCResponse appends the encoding of r.
func AppendRPCResponse(dst []byte, r RPCResponse) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.ID)
	dst = append(dst, byte(r.Status))
	return append(dst, r.Payload...)
}

// ParseRPCResponse reads a whole body; Payload borrows from it. The only error is [ErrTooShort]: an unknown
// status is none.
func ParseRPCResponse(b []byte) (RPCResponse, error) {
	if len(b) < RPCResponseHeaderBytes {
		return RPCResponse{}, errShortResponse
	}
	return RPCResponse{
		ID:      binary.BigEndian.Uint64(b),
		Status:  RPCStatus(b[RPCRequestIDBytes]),
		Payload: b[RPCResponseHeaderBytes:],
	}, nil
}

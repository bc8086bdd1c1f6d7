package ws

import (
	"fmt"
	"strings"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// The status codes with which a WebSocket is closed. Those from 4000 on are for applications, and the only ones
// beside statusNormal that a page may send.
const (
	statusNormal      = 1000
	statusGoingAway   = 1001
	statusProtocol    = 1002
	statusUnsupported = 1003
	statusNone        = 1005 // the peer gave none
	statusInvalid     = 1007
	statusPolicy      = 1008
	statusTooBig      = 1009
	statusRestart     = 1012
	statusTryLater    = 1013

	firstStatus = 4000 // CodeNone, if it were not statusNormal
	lastStatus  = 4999 // and all codes that are too large
)

// maxReason is how much of a reason fits the frame that closes a WebSocket, in bytes.
const maxReason = 123

// status returns what a peer is told for a code.
func status(code citadel.Code) int {
	switch {
	case code == citadel.CodeNone:
		return statusNormal
	case code > lastStatus-firstStatus:
		return lastStatus
	}
	return firstStatus + int(code)
}

// closeError explains why the peer has closed the WebSocket. server says that this end is one.
func closeError(status int, reason string, server bool) *citadel.CloseError {
	e := &citadel.CloseError{Remote: true, Reason: strings.ToValidUTF8(reason, "")}
	switch status {
	case statusNormal, statusNone:
	case statusGoingAway:
		// A server goes down, but a page goes on to another.
		if !server {
			e.Code = citadel.CodeShutdown
		}
	case statusRestart:
		e.Code = citadel.CodeShutdown
	case statusTryLater:
		e.Code = citadel.CodeServerFull
	case statusProtocol, statusUnsupported, statusInvalid, statusPolicy, statusTooBig:
		e.Code = citadel.CodeProtocol
	default:
		if status >= firstStatus && status <= lastStatus {
			e.Code = citadel.Code(status - firstStatus)
			break
		}
		e.Code = citadel.CodeTransport
		e.Cause = fmt.Errorf("ws: closed with status %d", status)
	}
	return e
}

// clip makes a reason fit.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	return strings.ToValidUTF8(reason, "")
}

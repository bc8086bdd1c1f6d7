//go:build !js

package ws_test

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
)

func TestNothingStays(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, ws.Options{})
	citadeltest.TestNothingStays(t, s.ln, func() (*citadel.Conn, error) {
		return ws.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{})
	}, "coder/websocket", "citadel/ws.(*", "citadel.(*Conn)", "net/http.(*conn)")
}

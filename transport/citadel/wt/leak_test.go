//go:build !js

package wt_test

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/internal/citadeltest"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

func TestNothingStays(t *testing.T) {
	s := serve(t, citadel.ListenConfig{}, wt.Options{})
	citadeltest.TestNothingStays(t, s.ln, func() (*citadel.Conn, error) {
		return wt.Dial(citadeltest.Within(t), s.url, citadel.DialConfig{Pin: pin()})
	}, "citadel/wt.(*", "citadel.(*Conn)", "webtransport-go.", "quic-go/http3.", "quic-go.(*Conn)")
}

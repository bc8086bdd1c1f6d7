package bridge_test

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// sum is a simulation that adds up what it is told.
type sum struct {
	total   int64
	version byte
	strict  bool // refuse states of another version
	ballast int  // bytes that make a state larger
}

func (s *sum) Tick(netcode.Step) {}

func (s *sum) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(append(dst, s.version), uint64(s.total))
	return append(dst, make([]byte, s.ballast)...), nil
}

func (s *sum) UnmarshalBinary(data []byte) error {
	if len(data) < 9 || s.strict && data[0] != s.version {
		return errors.New("not a sum")
	}
	s.version, s.total, s.ballast = data[0], int64(binary.LittleEndian.Uint64(data[1:])), len(data)-9
	return nil
}

// add is its only command.
type add struct{ N int64 }

func (a *add) AppendBinary(dst []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(dst, uint64(a.N)), nil
}

func (a *add) UnmarshalBinary(data []byte) error {
	if len(data) != 8 {
		return errors.New("not an add")
	}
	a.N = int64(binary.LittleEndian.Uint64(data))
	return nil
}

// peer is one side of a game of sums.
type peer struct {
	sum  *sum
	host *session.Host
	adds *session.Commands[add]
}

const (
	game     netcode.SessionID  = 9
	protocol netcode.ProtocolID = 1
)

func newPeer(mode netcode.Mode, author netcode.AuthorID, id netcode.SessionID, p netcode.ProtocolID) (*peer, error) {
	return newRun(mode, author, id, p, 1)
}

// newRun returns a peer of a particular epoch.
func newRun(mode netcode.Mode, author netcode.AuthorID, id netcode.SessionID, p netcode.ProtocolID, epoch uint64) (*peer, error) {
	table := registry.New()
	adds, err := registry.Register(table, 0xADD, registry.Options[add]{Predicted: true})
	if err != nil {
		return nil, err
	}
	s := new(sum)
	model, err := rollback.New(s, rollback.Config{Depth: 1000})
	if err != nil {
		return nil, err
	}
	host, err := session.NewHost(session.Config{
		Start: netcode.Start{Session: id, Protocol: p, Author: author},
		Mode:  mode, Registry: table, Model: model, Epoch: epoch,
	})
	if err != nil {
		return nil, err
	}
	c, err := session.Handle(host, adds, session.Handlers[add]{
		Execute: func(c netcode.Command[add]) { s.total += c.Payload.N },
	})
	return &peer{s, host, c}, err
}

// listen starts a server on the loopback interface in which everybody is who they say. Certificates can be
// shared, so that one server can take another's place.
//
// A session frame cannot be larger than outbound bytes.
func listen(addr string, cert tls.Certificate) (*citadel.Listener, error) {
	return citadel.Listen(addr, listenConfig(cert))
}

func listenConfig(cert tls.Certificate) citadel.ListenConfig {
	return citadel.ListenConfig{
		Config:        citadel.Config{OutboundBytes: outbound},
		TLS:           &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: citadel.Tokens(map[string]string{"a": "ann", "b": "bob", "c": "cut"}),
	}
}

const outbound = 100_000

func newCertificate(t *testing.T) (tls.Certificate, string) {
	cert, pin, err := citadel.DevCertificate()
	require.NoError(t, err)
	return cert, pin
}

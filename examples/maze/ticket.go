package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// ticket is what a client must know about a server: where it is, and how to recognise it. A server makes a
// new certificate whenever it starts, and leaves a ticket for it in a file.
type ticket struct {
	Addrs map[transport]string `json:"addrs"` // host and port
	Pin   string               `json:"pin"`   // SHA-256 of the certificate, in hex
}

// route returns the way to the server by some transport.
func (t ticket) route(by transport) (route, error) {
	addr, ok := t.Addrs[by]
	if !ok {
		return route{}, fmt.Errorf("the server cannot be reached by %s: its -transport is another", by)
	}
	return route{by: by, addr: addr, pin: t.Pin}, nil
}

// gameOf returns the id of the game that a server runs. It is derived from the certificate: a server that
// is started again has forgotten the old game, so it must not be mistaken for it.
func gameOf(pinText string) (netcode.SessionID, error) {
	pin, err := hex.DecodeString(pinText)
	if err != nil || len(pin) != 32 {
		return 0, errors.New("ticket: the pin is not a SHA-256 hash in hex")
	}
	return netcode.SessionID(binary.LittleEndian.Uint64(pin)), nil
}

// defaultDir is where server and clients on one machine find each other.
func defaultDir() string { return filepath.Join(os.TempDir(), "ariadne-maze") }

const ticketFile = "server.json"

// writeTicket leaves a ticket in a directory, which is made if need be. Readers see the old ticket or the new
// one, never half of one.
func writeTicket(dir string, t ticket) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("leave a ticket: %w", err)
	}
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("leave a ticket: %w", err)
	}
	f, err := os.CreateTemp(dir, ticketFile+".*")
	if err != nil {
		return fmt.Errorf("leave a ticket: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, ticketFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("leave a ticket: %w", err)
	}
	return nil
}

// errNoTicket says that no server has left a ticket yet.
var errNoTicket = errors.New("no server has been started there")

// readTicket reads the ticket in a directory.
func readTicket(dir string) (ticket, error) {
	var t ticket
	text, err := os.ReadFile(filepath.Join(dir, ticketFile))
	if errors.Is(err, fs.ErrNotExist) {
		return t, fmt.Errorf("%s: %w", dir, errNoTicket)
	}
	if err != nil {
		return t, fmt.Errorf("read the ticket: %w", err)
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("read the ticket in %s: %w", dir, err)
	}
	return t, nil
}

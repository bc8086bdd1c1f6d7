package executor

import (
	"testing"

	"github.com/ariadne-netcode/ariadne/session"
)

//netcode:command
type onlyInTests struct{}

func TestHandle(t *testing.T) {
	session.Handle(new(session.Host), types{}.move, session.Handlers[Move]{})
}

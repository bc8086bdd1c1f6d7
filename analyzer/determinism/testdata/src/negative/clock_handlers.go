package negative

import (
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

type chat struct{ Text string }

// Making the handlers takes a moment. Running them does not look at it.
func chatting(log *[]string) session.Handlers[chat] {
	started := time.Now().String()
	return session.Handlers[chat]{
		Execute: func(c netcode.Command[chat]) { *log = append(*log, c.Payload.Text) },
		Validate: func(c netcode.Command[chat], at netcode.Step) error {
			if len(c.Payload.Text) > len(started) {
				return session.ErrHandled
			}
			return nil
		},
	}
}

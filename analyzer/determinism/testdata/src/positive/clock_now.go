package positive

import (
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/session"
)

type shoot struct{ At int64 }

func shooting(last *int64) session.Handlers[shoot] {
	return session.Handlers[shoot]{
		Validate: func(c netcode.Command[shoot], _ netcode.Step) error {
			if time.Now().Unix() < c.Payload.At { // want `time.Now reads the clock`
				return errEarly
			}
			return nil
		},
		Execute: func(c netcode.Command[shoot]) { *last = c.Payload.At },
	}
}

type early struct{}

func (early) Error() string { return "early" }

var errEarly error = early{}

package positive

import (
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// refill is for those who drive a model themselves.
type refill struct{ at *int64 }

func (r *refill) Execute() { *r.at = time.Now().Unix() } // want `time.Now reads the clock`
func (r *refill) Release() {}

func entry(at *int64) netcode.Entry { return netcode.Entry{Action: &refill{at}} }

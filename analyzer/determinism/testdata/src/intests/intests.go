// Package intests has simulation code in its tests.
package intests

import "time"

//netcode:deterministic
func product() { _ = time.Now() } // want `time.Now reads the clock`

package positive

import "time"

var epoch = time.Now() // want `time.Now reads the clock, .*\(reached from age\)`

//netcode:deterministic
func age(t time.Time) time.Duration { return t.Sub(epoch) }

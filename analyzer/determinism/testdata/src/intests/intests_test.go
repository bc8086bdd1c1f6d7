package intests

import "time"

//netcode:deterministic
func fake() {
	_ = time.Now()
	//netcode:nondeterministic nothing here
}

package negative

import "time"

type profiler struct{ spent time.Duration }

//netcode:deterministic
func (p *profiler) measure(work func()) {
	start := time.Now() //netcode:nondeterministic profiling only, no part of the state
	work()
	//netcode:nondeterministic profiling only, no part of the state
	p.spent += time.Since(start)
}

// Package excused has excuses, needed and not.
package excused

import "time"

//netcode:deterministic
func needed() {
	println(time.Now().String()) //netcode:nondeterministic for the log

	//netcode:nondeterministic for the log
	println(time.Now().String())

	// The comment may have more to say.
	//netcode:nondeterministic for the log
	println(time.Now().String())

	println(time.Now().String()) // want `time.Now reads the clock`
}

// unreached is no simulation code, but importers may call it.
func unreached() {
	println(time.Now().String()) //netcode:nondeterministic for the log
}

//netcode:deterministic
func needless(x float64) float64 {
	x += 1 //netcode:nondeterministic just in case // want `nothing to excuse`
	//netcode:nondeterministic just in case // want `nothing to excuse`

	println(time.Now().String()) // want `time.Now reads the clock`
	return x
}

//netcode:deterministic
func withoutReason() {
	println(time.Now().String()) //netcode:nondeterministic // want `time.Now reads the clock`
}

//netcode:deterministic
func distant(x, y, z float64) (float64, float64) {
	p := x * y //netcode:nondeterministic the product is exact
	q := x * z
	return p + z, q + z //netcode:nondeterministic the product is exact
}

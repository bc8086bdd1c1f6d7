package positive

import "runtime"

//netcode:deterministic
func chunks(n int32) int32 {
	return n / int32(runtime.NumCPU()) // want `runtime.NumCPU depends on the state of the runtime`
}

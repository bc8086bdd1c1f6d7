package positive

import "os"

//netcode:deterministic
func difficulty() int32 {
	if os.Getenv("HARD") != "" { // want `os.Getenv depends on the machine`
		return 3
	}
	return 1
}

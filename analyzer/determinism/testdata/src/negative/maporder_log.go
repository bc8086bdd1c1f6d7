package negative

import "log"

//netcode:deterministic
func warn(low map[string]int32) {
	for name, n := range low {
		log.Printf("%s has only %d left", name, n)
	}
}

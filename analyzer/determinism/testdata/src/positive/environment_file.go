package positive

import "os"

type level struct{ path string }

func (l level) load() ([]byte, error) {
	return os.ReadFile(l.path) // want `os.ReadFile depends on the machine .*reached from reload`
}

//netcode:deterministic
func reload(levels []level, i uint8) ([]byte, error) {
	get := levels[i].load
	return get()
}

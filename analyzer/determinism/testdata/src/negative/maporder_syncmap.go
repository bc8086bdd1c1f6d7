package negative

import "sync"

//netcode:deterministic
func size(m *sync.Map) (n int32) {
	m.Range(func(_, _ any) bool {
		n++
		return true
	})
	return n
}

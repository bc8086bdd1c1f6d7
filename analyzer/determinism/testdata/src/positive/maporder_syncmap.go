package positive

import "sync"

//netcode:deterministic
func latest(m *sync.Map) (last any) {
	m.Range(func(_, v any) bool { // want `sync.Map.Range comes in map iteration order`
		last = v
		return true
	})
	return last
}

package negative

type set map[uint32]struct{}

func (s set) add(id uint32)      { s[id] = struct{}{} }
func (s set) has(id uint32) bool { _, ok := s[id]; return ok }

//netcode:deterministic
func union(a, b set) set {
	out := set{}
	for id := range a {
		out.add(id)
	}
	for id := range b {
		if !a.has(id) {
			out.add(id)
		}
	}
	return out
}

package negative

type timers map[uint32]int32

//netcode:deterministic
func (t timers) expire() {
	for id, left := range t {
		if left <= 0 {
			delete(t, id)
		}
	}
}

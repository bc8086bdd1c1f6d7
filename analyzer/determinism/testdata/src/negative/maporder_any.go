package negative

//netcode:deterministic
func anyAlive(health map[uint32]int32) bool {
	for _, h := range health {
		if h > 0 {
			return true
		}
	}
	return false
}

//netcode:deterministic
func allReady(ready map[uint32]bool) bool {
	ok := true
	for _, r := range ready {
		if !r {
			ok = false
			break
		}
	}
	return ok
}

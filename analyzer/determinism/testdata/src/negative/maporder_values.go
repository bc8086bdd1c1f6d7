package negative

type stack struct{ n, age int32 }

//netcode:deterministic
func ageing(stacks map[uint32]stack) {
	for id, s := range stacks {
		s.age++
		if s.age > 9 {
			s.n /= 2
		}
		stacks[id] = s
	}
}

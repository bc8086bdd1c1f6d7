package positive

//netcode:deterministic
func either(a, b chan int32) int32 {
	select { // want `select chooses among ready channels at random`
	case x := <-a:
		return x
	case x := <-b:
		return x
	}
}

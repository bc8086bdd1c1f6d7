package positive

//netcode:deterministic
func drain(c chan int32) (sum int32) {
	close(c)           // want `close of a channel`
	for x := range c { // want `range over a channel`
		sum += x
	}
	return sum
}

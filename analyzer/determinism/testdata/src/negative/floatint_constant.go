package negative

const rate = 59.94

//netcode:deterministic
func ticks() int64 { return int64(rate*100) / 100 * int64(60.0) }

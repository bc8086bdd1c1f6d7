package negative

type real interface{ ~float32 | ~float64 }

//netcode:deterministic
func mix[T real](a, b, t T) T { return a + T((b-a)*t) }

type any32 interface{ ~int32 | ~float32 }

//netcode:deterministic
func mixAny[T any32](a, b, t T) T { return a + T((b-a)*t) }

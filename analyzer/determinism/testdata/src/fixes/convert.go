package fixes

//netcode:deterministic
func convert(x float64, y float32) (int32, uint8, int64, int16, int32, int) {
	return int32(x), // want `int32 from float64`
		uint8(x + 1), // want `uint8 from float64`
		int64(x), // want `int64 from float64`
		int16(y), // want `int16 from float32`
		int32(y), // want `int32 from float32`
		int(x) // want `int from float64`
}

//netcode:deterministic
func needless(x int32) int32 {
	return x + 1 //netcode:nondeterministic for no reason // want `nothing to excuse`
}

package client

// newer reports whether a 32-bit number that counts up and wraps is after another one. They must not be half the
// range apart.
func newer(a, b uint32) bool { return int32(a-b) > 0 }

// newerGen is newer for the lives of an object id.
func newerGen(a, b uint16) bool { return int16(a-b) > 0 }

// distance is how many numbers a is after b if 0 is none of them and left out when they wrap.
func distance(a, b uint32) uint32 {
	if a < b {
		return a - b - 1
	}
	return a - b
}

package main

// far returns numbers of both signs and all magnitudes up to 2^70.
func far(s *source) float64 {
	x := s.number()
	for range s.next() % 71 {
		x *= 2
	}
	if s.next()%2 == 0 {
		return -x
	}
	return x
}

func floatToInt32() uint64 {
	var s source
	var d digest
	for range samples(10000) {
		x := far(&s)
		d.add(uint64(int64(int32(x))))
	}
	return uint64(d)
}

func floatToUint8() uint64 {
	var s source
	var d digest
	for range samples(10000) {
		x := float32(far(&s))
		d.add(uint64(uint8(x)))
	}
	return uint64(d)
}

func floatToUint64() uint64 {
	var s source
	var d digest
	for range samples(10000) {
		x := far(&s)
		d.add(uint64(x))
	}
	return uint64(d)
}

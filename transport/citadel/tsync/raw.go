package tsync

import (
	"encoding/binary"
	"math"
)

// Floats travel as their bits and are never computed with here, so that every NaN comes out as it went in.

func appendVec3(dst []byte, v [3]float32) []byte {
	for _, x := range v {
		dst = binary.BigEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func putVec3(b []byte, v *[3]float32) {
	_ = b[11]
	binary.BigEndian.PutUint32(b, math.Float32bits(v[0]))
	binary.BigEndian.PutUint32(b[4:], math.Float32bits(v[1]))
	binary.BigEndian.PutUint32(b[8:], math.Float32bits(v[2]))
}

func vec3(b []byte) [3]float32 {
	_ = b[11]
	return [3]float32{float(b), float(b[4:]), float(b[8:])}
}

func float(b []byte) float32 {
	return math.Float32frombits(binary.BigEndian.Uint32(b))
}

// resize returns a list of n elements, whatever they hold, with the memory of s if that is enough. It makes no more than
// was asked for: how much that is, a peer has a say in.
func resize[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	return s[:n]
}

package negative

import (
	"encoding/binary"
	"math"
	"math/bits"
)

//netcode:deterministic
func encode(dst []byte, x float64) []byte {
	u := math.Float64bits(x)
	return binary.LittleEndian.AppendUint64(dst, bits.RotateLeft64(u, 7))
}

package positive

import (
	"encoding/binary"
	"hash/fnv"
)

//netcode:deterministic
func checksum(inventory map[uint32]uint32) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for item, n := range inventory { // want `it calls binary.LittleEndian.PutUint32`
		binary.LittleEndian.PutUint32(b[:4], item)
		binary.LittleEndian.PutUint32(b[4:], n)
		h.Write(b[:])
	}
	return h.Sum64()
}

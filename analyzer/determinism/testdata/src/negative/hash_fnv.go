package negative

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"hash/fnv"
)

//netcode:deterministic
func digest(state []byte) string {
	h := fnv.New64a()
	h.Write(state)
	sum := sha256.Sum256(h.Sum(nil))
	return hex.EncodeToString(sum[:crc32.ChecksumIEEE(state)%8])
}

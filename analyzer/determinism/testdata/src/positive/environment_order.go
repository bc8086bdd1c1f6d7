package positive

import "encoding/binary"

//netcode:deterministic
func pack(dst []byte, x uint32) []byte {
	return binary.NativeEndian.AppendUint32(dst, x) // want `binary.NativeEndian differs between little-endian and big-endian`
}

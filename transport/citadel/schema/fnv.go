package schema

import "encoding/binary"

const (
	fnvOffset = 0xcbf29ce484222325
	fnvPrime  = 0x100000001b3
)

// NameKey returns the FNV-1a 64 hash of a name's bytes, as they are: two spellings of one text that differ in
// Unicode normalisation have two keys. It does not allocate.
func NameKey(name string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * fnvPrime
	}
	return h
}

// fnvBytes is NameKey for bytes.
func fnvBytes(p []byte) uint64 {
	h := uint64(fnvOffset)
	for _, b := range p {
		h = (h ^ uint64(b)) * fnvPrime
	}
	return h
}

// fold mixes a property's name into the shape of its bounds, so that swapping two properties that are alike but
// for their names changes the identity of the layout.
func fold(shape, nameKey uint64) uint64 {
	var p [16]byte
	binary.LittleEndian.PutUint64(p[:], shape)
	binary.LittleEndian.PutUint64(p[8:], nameKey)
	return fnvBytes(p[:])
}

package negative

import "hash/fnv"

func hash(id uint32, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte{byte(id), byte(id >> 8)})
	h.Write([]byte(name))
	return h.Sum64()
}

//netcode:deterministic
func fingerprint(names map[uint32]string) (sum uint64, longest int, letters map[uint32][]rune) {
	letters = map[uint32][]rune{}
	for id, name := range names {
		sum ^= hash(id, name)
		if n := len(name); n > longest {
			longest = n
		}
		for _, r := range name {
			letters[id] = append(letters[id], r)
		}
	}
	return sum, longest, letters
}

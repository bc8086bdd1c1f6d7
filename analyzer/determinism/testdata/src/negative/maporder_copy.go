package negative

import "maps"

type shelf map[string]uint32

//netcode:deterministic
func (s shelf) clone() shelf {
	out := make(shelf, len(s))
	for k, v := range s {
		out[k] = v * 2
	}
	maps.Copy(out, s)
	return maps.Clone(out)
}

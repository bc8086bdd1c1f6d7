package positive

import "sync"

var buffers = sync.Pool{New: func() any { return new([64]byte) }}

//netcode:deterministic
func scratch() *[64]byte {
	return buffers.Get().(*[64]byte) // want `sync.Pool.Get returns an object that is new or used`
}

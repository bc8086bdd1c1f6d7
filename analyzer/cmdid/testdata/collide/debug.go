//go:build debug

package collide

// Not part of the same build, so it collides with nothing.
//
//netcode:command id=0x2A
type Debug struct{}

//go:build kinds_debug || !linux

package kinds

// Cheat is built on request only.
//
//netcode:command
type Cheat struct{ Gold uint32 }

//go:build other

package ignored

//netcode:command id=0x0
type Other struct{}

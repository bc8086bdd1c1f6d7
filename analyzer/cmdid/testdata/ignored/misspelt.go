//go:build never

package ignored

//netcode:comand id=0x9
type Ignored struct{}

//go:build never

package ignored

//netcode:comand
type Broken struct

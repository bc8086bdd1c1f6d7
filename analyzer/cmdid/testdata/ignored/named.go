//go:build never

package another

//netcode:comand
type Another struct{}

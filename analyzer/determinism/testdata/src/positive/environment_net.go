package positive

import "net"

//netcode:deterministic
func resolve(host string) ([]string, error) {
	return net.LookupHost(host) // want `net.LookupHost depends on the machine`
}

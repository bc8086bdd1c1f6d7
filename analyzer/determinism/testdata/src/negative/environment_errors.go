package negative

import (
	"errors"
	"net/netip"
	"os"
	"path"
)

//netcode:deterministic
func lookup(addr netip.Addr, err error) (string, error) {
	if errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return path.Join("peers", addr.String()), nil
}

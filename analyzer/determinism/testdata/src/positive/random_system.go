package positive

import (
	"crypto/rand"
	"io"
)

//netcode:deterministic
func token() (b [8]byte, err error) {
	_, err = io.ReadFull(rand.Reader, b[:]) // want `rand.Reader draws from the operating system`
	return b, err
}

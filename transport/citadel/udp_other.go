//go:build !unix

package citadel

import "net"

// readBufferSize is not known here.
func readBufferSize(*net.UDPConn) (size int, ok bool) { return 0, false }

//go:build unix

package citadel

import (
	"net"
	"syscall"
)

// readBufferSize returns the size in bytes of a socket's receive buffer.
func readBufferSize(udp *net.UDPConn) (size int, ok bool) {
	raw, err := udp.SyscallConn()
	if err != nil {
		return 0, false
	}
	var optErr error
	err = raw.Control(func(fd uintptr) {
		size, optErr = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF)
	})
	return size, err == nil && optErr == nil
}

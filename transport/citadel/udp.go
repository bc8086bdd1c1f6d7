package citadel

import (
	"context"
	"log/slog"
	"net"
	"os"
	"sync"
)

// wantedBuffer is what QUIC would like the system to buffer, in bytes.
const wantedBuffer = 7 << 20

// quic-go complains about small buffers on the standard logger; here the caller's logger is the one to tell.
// Whoever has set the variable keeps their value.
var silenceBufferWarning = sync.OnceFunc(func() {
	const name = "QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING"
	if _, set := os.LookupEnv(name); !set {
		// It can only fail for names that are not names.
		_ = os.Setenv(name, "true")
	}
})

// listenUDP opens a socket with buffers as large as the system allows.
func listenUDP(addr *net.UDPAddr, log *slog.Logger) (*net.UDPConn, error) {
	silenceBufferWarning()
	udp, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, err
	}
	// QUIC works with what it gets.
	_ = udp.SetReadBuffer(wantedBuffer)
	_ = udp.SetWriteBuffer(wantedBuffer)
	if got, ok := readBufferSize(udp); ok && got < wantedBuffer && log.Enabled(context.Background(), slog.LevelWarn) {
		bufferWarning.Do(func() {
			log.Warn("the system limits UDP receive buffers: busy connections may lose packets (on Linux: sysctl net.core.rmem_max)",
				"got", got, "wanted", wantedBuffer)
		})
	}
	return udp, nil
}

// bufferWarning is given once: it is about the system, and the same for every socket.
var bufferWarning sync.Once

module github.com/ariadne-netcode/ariadne

go 1.26.0

require (
	github.com/coder/websocket v1.8.15 // WebSocket, in transport/citadel/ws
	github.com/quic-go/quic-go v0.64.1
	github.com/quic-go/webtransport-go v0.13.0 // WebTransport, in transport/citadel/wt
	github.com/stretchr/testify v1.12.1
	golang.org/x/tools v0.52.0
	lukechampine.com/blake3 v1.4.1
)

require (
	github.com/dunglas/httpsfv v1.1.1 // indirect
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	github.com/quic-go/qpack v0.6.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

tool (
	github.com/ariadne-netcode/ariadne/cmd/netcmdgen
	github.com/ariadne-netcode/ariadne/cmd/netcmdvet
)

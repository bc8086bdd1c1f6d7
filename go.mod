module github.com/ariadne-netcode/ariadne

go 1.26.0

require (
	github.com/quic-go/quic-go v0.64.1
	github.com/stretchr/testify v1.12.1
	lukechampine.com/blake3 v1.4.1
)

require (
	github.com/klauspost/cpuid/v2 v2.0.9 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.54.0 // indirect
	golang.org/x/net v0.56.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

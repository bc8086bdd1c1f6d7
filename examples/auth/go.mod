module github.com/ariadne-netcode/ariadne/examples/auth

go 1.26.0

require (
	github.com/ariadne-netcode/ariadne v0.0.0
	github.com/golang-jwt/jwt/v5 v5.3.1
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/quic-go/quic-go v0.64.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

// For work on both at once. Whoever copies this example requires a release instead.
replace github.com/ariadne-netcode/ariadne => ../..

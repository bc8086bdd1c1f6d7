module github.com/ariadne-netcode/ariadne/analyzer/golangci

go 1.26.0

require (
	github.com/ariadne-netcode/ariadne v0.0.0
	github.com/golangci/plugin-module-register v0.1.2
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/tools v0.52.0
)

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

// For work on both at once. Whoever depends on this module does not see it: a release of this module follows one of
// the other, and requires that.
replace github.com/ariadne-netcode/ariadne => ../..

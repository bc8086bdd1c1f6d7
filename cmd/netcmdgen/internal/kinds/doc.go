// Package kinds has a command for every kind of field that netcmdgen knows, so that the generated code can be tested
// in place: built for all platforms, fuzzed and measured. Its generated files are part of the repository, and a test
// holds them against what the generator writes today.
package kinds

//go:generate go run github.com/ariadne-netcode/ariadne/cmd/netcmdgen

// Package replicated has a replicated class for every kind of field that netcmdgen knows, so that the generated code can
// be tested in place: built for all platforms, compared with what it is made of, and measured. Its generated file is
// part of the repository, and a test holds it against what the generator writes today.
package replicated

//go:generate go run github.com/ariadne-netcode/ariadne/cmd/netcmdgen

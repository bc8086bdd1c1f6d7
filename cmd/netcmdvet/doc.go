// Netcmdvet reports mistakes in the use of Ariadne that the compiler does not see: commands whose ids are unstable,
// zero or double, generated code that is stale, handlers that keep borrowed memory, and simulation code that computes
// different things on different machines. It runs the analyzers of go vet as well, so it can take its place.
//
// # Usage
//
// Add it to the tools of your module once:
//
//	go get -tool github.com/ariadne-netcode/ariadne/cmd/netcmdvet
//
// There are two ways to run it. By way of go vet it gets the packages from the build cache and looks again only at
// what has changed; this is the way for continuous integration:
//
//	go vet -vettool=$(go tool -n netcmdvet) ./...
//
// By itself it loads the packages from their source. It takes the same flags and knows a few more, which help lists:
//
//	go tool netcmdvet [-flag ...] [package ...]
//	go tool netcmdvet help [analyzer]
//
// The flags of both:
//
//	-cmdid, -determinism, -handlers, -printf, ...
//		Run only these analyzers; -printf=false and so on runs all but these.
//	-cmdid.unpinned
//		Report ids that follow from the name of their type (DNET0001).
//	-fix
//		Apply the first fix of each finding instead of printing it.
//	-diff
//		With -fix, print what would be changed as a unified diff and leave the files alone.
//	-json
//		Print findings and fixes as JSON, by package and analyzer, to the standard output.
//	-c n
//		Print each finding with its line and n lines around it.
//
// By itself, netcmdvet also takes
//
//	-test=false
//		Leave out the test files.
//
// The exit code is 0 if nothing was found, and for -json and -fix also if something was. By itself, netcmdvet exits
// with 3 if there are findings, and with 1 if the packages do not load or do not compile, findings or not. It looks
// at commands even then: that a struct has changed since the code was generated is a compile error, too.
//
// # Analyzers
//
// Three look at the use of Ariadne; each is documented in its package, below
// github.com/ariadne-netcode/ariadne/analyzer, and by netcmdvet help:
//
//	cmdid        the directives, ids and generated code of command types: DNET0001 to DNET0006
//	determinism  simulation code whose results depend on the machine or the moment
//	handlers     handlers, validators, codecs and transports
//
// The others are the ones of go vet.
//
// # Pinning ids
//
// A command without id=0x... in its directive is known by the hash of its name. Before strangers play with each other,
// or recordings are kept, pin the ids, all of them at once:
//
//	go tool netcmdvet -cmdid -cmdid.unpinned -fix ./...
//
// From then on, -cmdid.unpinned in continuous integration keeps new commands from being forgotten:
//
//	go vet -vettool=$(go tool -n netcmdvet) -cmdid.unpinned ./...
//
// # Editors
//
// See docs/editors.md in the repository.
package main

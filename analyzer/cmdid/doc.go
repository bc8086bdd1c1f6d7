// Package cmdid defines an analyzer that looks after the identity of command types: what their directives say, which
// ids they have, and whether the generated code is that of the source beside it.
//
// # Analyzer cmdid
//
// cmdid: check the directives, ids and generated code of command types
//
// A command type is marked by a directive:
//
//	//netcode:command [id=0x...] [predicted] [name=CLR.Name+Nested]
//	type Move struct{ Dir Dir }
//
// The finding's code says what is wrong.
//
// # DNET0001
//
// The id follows from the name, so moving or renaming the type changes it, and peers, recordings and journals of
// before no longer know the command. The fix pins the id that the type has now. This is no mistake while a game is
// being made, so it is reported only with the flag -cmdid.unpinned:
//
//	netcmdvet -cmdid -cmdid.unpinned ./...       # which ids are not pinned
//	netcmdvet -cmdid -cmdid.unpinned -fix ./...  # pin them all
//
// # DNET0002
//
// The id is pinned to zero, which belongs to no type. The fix pins the one that follows from the name.
//
// # DNET0003
//
// Two command types have the same id. They may be in one package, or in packages that meet in an importing one; the
// finding is then at the type or the import that completes the pair, and is not repeated further up.
//
// # DNET0004
//
// Nothing can be generated for the type: it is generic, an interface, an alias or local, or it holds what cannot be
// sent, such as an int, a map or a pointer. The finding says what to use instead.
//
// # DNET0005
//
// A directive, or a comment that was probably meant as one, is malformed: a misspelt word, a space behind the
// slashes, an unknown option, a place where it has no effect. The other directives are checked as well, which are
// //netcode:replicated, //netcode:deterministic and //netcode:nondeterministic, as are files that build constraints
// exclude. There is a fix where there is one answer. What the tags of a replicated struct say is for netcmdgen to
// check.
//
// # DNET0006
//
// The file written by netcmdgen is not what it would write now: a command is missing from it or no longer marked,
// or an id, a name, a prediction flag or an encoding has changed. A file that was never written counts if a
// //go:generate line of the package names netcmdgen. Run go generate. The file with the code of replicated structs is
// left to the compiler and to netcmdgen -check.
package cmdid

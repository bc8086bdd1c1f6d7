// Package schema gives the layout of a replicated class its identity and says which layouts may talk to each
// other.
//
// A [Layout] is a class's property table: an ordered list of [Property] values, whose places are their field ids.
// Its [Identity], a hash and a version, travels with every full state, so that a receiver decodes with the layout
// that the sender had or not at all. Two peers agree on an identity exactly if they agree on everything that
// decides how bits are read and by whom fields may be written: order, names, types, codecs, conditions,
// authorities, bounds and the version. The class's number and the way its changes are noticed are not part of it.
//
// The hash is the first 16 bytes of BLAKE3 over a fixed little-endian image, which [AppendPreimage] gives for
// debugging; [HashFields] hashes bare tuples for callers that have no property table. Hashing takes any layout, a
// senseless one too, because it must agree with peers that do not look; [Layout.Validate] is the look.
//
// Layouts evolve by appending. A [History] holds the current layout and those older ones that are exact prefixes
// of it, and finds the one that belongs to an identity.
//
// Hashing is for set-up: 1.7 us for 8 properties and 7.3 ms for 65,536. [History.Index], which every full state
// goes through, takes 46 ns and does not allocate. This is from "go test -bench . ./transport/citadel/schema" on a
// 2 vCPU AMD EPYC VM with Go 1.26.8.
//
// Values are plain; nothing here is changed after it was made, so that all of it is safe for concurrent use.
package schema

// Package shape says how a command's payload looks on the wire, or why it cannot look like anything. The
// generator writes codecs from it, and the analyzers complain from it before the generator is run.
//
// The encoding is little-endian and has no tags, names or padding: the fields of a struct and the elements of an
// array follow each other. Integers and floats have the width of their type, floats as their bits; a bool is one
// byte, 0 or 1. Strings, byte slices, other slices and values with a codec of their own begin with their length,
// whose width follows from the cap that the field's tag declares: one byte up to 255, two up to 65,535, else four.
//
//	type Say struct {
//		Channel Channel `netcode:"enum"`          // one of the constants of type Channel
//		Volume  int8    `netcode:"range=0..10"`   // the ends may be constants, too
//		Text    string  `netcode:"max=64"`        // in bytes; for a slice, in elements
//		Marks   []uint8 `netcode:"max=4 range=Low..High"`
//	}
//
// An enum allows the exported constants of its type or, if none is exported, all of them.
package shape

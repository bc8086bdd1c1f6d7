// Package wire is the byte layer of the Citadel realtime protocol: how one message, an [Envelope], is laid out
// on a stream and in a datagram, and the few bodies that the transport itself must understand.
//
// On a stream, where envelopes follow each other, each is framed (big-endian):
//
//	length u32, counting kind and body | kind u16 | body
//
// In a datagram, whose end is known, the length is left out:
//
//	kind u16 | body
//
// Encoders append to the slice that they are given and do not retain their arguments. Parsers borrow: a body
// is a view into the bytes that were parsed. Nothing here allocates because of a length that a peer merely
// claimed. The package does no I/O; a [Decoder] is not safe for concurrent use, everything else is.
package wire

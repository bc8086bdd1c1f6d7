// Package wire is the byte layer of the Citadel realtime protocol: how one message, an [Envelope], is laid out
// on a stream and in a datagram, which kinds of messages there are, and the bodies that are not bit-packed.
//
// On a stream, where envelopes follow each other, each is framed (big-endian):
//
//	length u32, counting kind and body | kind u16 | body
//
// In a datagram, whose end is known, the length is left out:
//
//	kind u16 | body
//
// [Kind.Info] is the catalog of kinds. The bodies here are those of positions, RPC and authentication, of networked
// actors, of rooms and matches, the three that are JSON, and Ariadne's own for command sessions. Transform sync
// and property replication have packages of their own.
//
// # Guarantees
//
// Encoders append to the slice that they are given and do not retain their arguments. Where the protocol has a
// limit, a string or list beyond it is cut as the reference implementation cuts it; an encoder that can fail says
// so, and returns the slice as it got it.
//
// Parsers borrow: slices in what they return are views into the bytes that were parsed. With an error they return
// the zero value. Bodies of fixed fields ignore bytes behind them, as later versions may add some; only a
// [Position] does not. Errors of bodies wrap [ErrTooShort], [ErrOutOfRange] or [ErrCount].
//
// A length that a peer merely claims never costs memory: it is compared with what is there, before it is narrowed
// to an int. Floats are carried by their bits: what a NaN holds arrives. Except for JSON, nothing here allocates but
// the buffer of a [Decoder] and the errors of broken streams and handshakes. The package does no I/O; a Decoder is
// not safe for concurrent use, everything else is.
//
// # JSON
//
// Bodies that are JSON are read strictly: names are matched exactly, a name that occurs twice in an object
// is refused at any depth, numbers of 64 bits stay exact, and size and depth are bounded by [MaxJSON] and
// [MaxJSONDepth]. Parsing allocates in proportion to the text. Where the documents of the protocol do not say what
// is inside, there is a json.RawMessage; [ChatEvent] and [Notification] say what that is.
//
// # Figures
//
// On two virtual CPUs of an AMD EPYC, Go 1.26.8, the lowest of fifteen runs each of
//
//	go test -run xxx -bench . -benchtime 0.05s -count 15 ./transport/citadel/wire
//
// Framing a body of 8, 64 and 1024 bytes takes 7.3, 7.9 and 21 ns, which is 1.11, 1.05 and 1.04 times what code
// written by hand takes. An actor's state takes 17 ns to encode, 20 to decode and 6 to refuse; a batch of 100 spawns
// 1.6 and 1.3 µs; an RPC request there and back 53 ns. Sixteen whole frames leave [Decoder.Frames] in 0.15 to
// 0.3 µs whatever their size, and [Decoder.Next] behind Write in 0.2 µs for 64 bytes each and 0.6 µs for 1024. None
// of these allocates. A chat event of 116 bytes takes 4 µs and 10 allocations.
package wire

// Package tsync holds the frames of Citadel's transform sync: the bodies of kinds 7 to 12, and of version 2, kinds 29
// to 31. It turns values into bytes and back; who is told what, and when, is decided elsewhere.
//
//	 7 hello     [Hello]: bounds and precision; a client asks for it with an empty body
//	 8 snapshot  [Snapshot]: what changed around a client since a snapshot that it has
//	 9 input     [Input]: what a player did, several steps at a time
//	10 ack       [Ack]: the snapshots that a client has
//	11 role      [Role]: what an object is to a client
//	12 rewind    [Rewind]: what a shot hit
//	29 hello     [Manifest]: both sides speak version 2
//	30 snapshot  [SnapshotV2]: a clock, then a snapshot
//	31 input     [InputV2]: the clock that a player saw, then an input
//
// # Snapshots
//
// A [Codec], made from a hello, knows how wide everything in a snapshot is. Snapshots hold codes and not floats: a
// server calls [Codec.Quantize] once for an object and a step, finds out with [Codes.Changed] what a client does not
// have yet, and encodes the same codes for everybody; a client keeps codes, updates them with [Codes.Merge], and
// calls [Codec.Dequantize] for what it shows. What a server sends is thereby exactly what a client has.
//
// [Codec.AppendSnapshot] encodes a list, [SnapshotWriter] what fits; both give the same bytes, and
// [Codec.UpdateBits] says in advance how many. With the default hello an update of position and rotation has 150
// bits, and one of a whole state 207.
//
// # Guarantees
//
// Parsing never panics and never applies half a message: what is refused leaves the destination empty. A count is held
// against the bytes that are there before there is room made for it, so that memory is bounded by the length of a
// body. A snapshot is canonical: no two bodies decode to the same, and what was decoded encodes to the same bytes.
// The other bodies may be longer than they need to be, and have flags without a meaning; both are dropped.
// Floats outside snapshots pass unchanged, NaN and its payload included: whoever uses them checks them.
//
// Errors wrap those of packages wire, bitpack and quant, by which they are told apart. Refusing a snapshot, an input, an
// ack or anything of version 2 but a manifest allocates nothing.
//
// Parsers that take a destination reuse its lists; payloads borrow from the body, nothing else does. A codec is
// immutable. Nothing else here has a state, except for a SnapshotWriter, which is not safe for concurrent use.
//
// # Cost
//
// Measured on a 2 vCPU AMD EPYC VM with Go 1.26.8, the best of several hundred short runs on a busy machine:
//
//	go test -run '^$' -bench . -benchtime 200us -count 400 ./transport/citadel/tsync
//
//	 0.96 µs  encode 64 updates of 138 bits, 1,121 bytes, from codes      BenchmarkAppendSnapshot
//	 1.15 µs  the same one by one, asking each time if there is room     BenchmarkSnapshotWriter
//	 1.10 µs  decode them to codes                                       BenchmarkParseSnapshot
//	 4.0  µs  quantise and encode 64 states of 207 bits, 1,673 bytes     BenchmarkQuantizeAppend
//	 4.0  µs  decode and dequantise them                                 BenchmarkParseDequantize
//	 0.08 µs  encode an input of 8 frames, as long as packing it by hand  BenchmarkAppendInput
//	 0.07 µs  decode it                                                  BenchmarkParseInput
//
// None of these allocates.
package tsync

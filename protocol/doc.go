// Package protocol is the wire form of a command session: eight command frames, and the extension frames that
// Ariadne adds to them.
//
// A frame is one kind byte followed by fixed little-endian fields and, for some kinds, a tail that the frame's
// own length delimits. There is no magic number and no version; whatever carries frames keeps them whole and
// in order. The package knows nothing of what a payload means.
//
//	kind              size   sent by      says
//	0x01 Proposal     41+n   client       please admit this command
//	0x02 Cancel       21     client       please withdraw that command
//	0x03 Outcome      42+n   authority    this became of a command
//	0x04 Snapshot     49+n   authority    continue from this state
//	0x05 SyncRequest  42     client       I know this much, bring me up to date
//	0x06 SyncStatus   18     authority    how the request will be answered, or why it will not be
//	0x07 SyncComplete 26     authority    the answer ends here
//	0x08 StepUpdate   17     authority    the step that I am at
//	0x80 Offer        13     both         the extensions that I understand
//	0x81 ResumeInfo   18     authority    where your sequence numbers continue
//	0x82 Mark         25     authority    you have been sent everything up to this revision
//
// The extension frames, from 0x80 upward, are for peers that named the extension in an [Offer] of their own. A
// peer without extensions takes each of them, the offer too, for a malformed frame.
//
// # Encoding and decoding
//
// Every frame is a struct with three methods. Append appends the encoded frame to the caller's slice and does
// not retain it, Size says how many bytes that will be, and Parse decodes. All have pointer receivers: the
// structs are up to ten words long, and an owner that keeps one and parses into it again saves copying it.
//
// Parse accepts exactly the frames of its kind, checks every length and value before it stores anything, and
// leaves the receiver alone when it refuses. A refusal is a [*FrameError] that wraps one of this package's
// errors; no input makes Parse panic. The slices in a parsed frame borrow from the input: they are valid for
// as long as it is left unchanged, and whoever keeps them copies them. Neither direction allocates, apart
// from growing the slice given to Append and from reporting errors.
//
// A payload that is being encoded must not lie in the spare capacity of the slice that is appended to.
//
// A presence flag governs some fields. Where it is clear, the field is written as zero whatever the struct
// holds, is ignored when it is read, and is zero in the struct.
//
// The package holds no state. Distinct frame values may be used from different goroutines.
package protocol

package protocol

import "fmt"

// Kind is the first byte of a frame.
type Kind byte

// The command frames, which every peer understands.
const (
	KindProposal     Kind = 1
	KindCancel       Kind = 2
	KindOutcome      Kind = 3
	KindSnapshot     Kind = 4
	KindSyncRequest  Kind = 5
	KindSyncStatus   Kind = 6
	KindSyncComplete Kind = 7
	KindStepUpdate   Kind = 8
)

// The extension frames, which are only for peers that offered to understand them.
const (
	KindOffer      Kind = 0x80
	KindResumeInfo Kind = 0x81
	KindMark       Kind = 0x82
)

var (
	commandNames = [...]string{
		"proposal", "cancel", "outcome", "snapshot", "sync_request", "sync_status", "sync_complete", "step_update",
	}
	extensionNames = [...]string{"offer", "resume_info", "mark"}
)

// Valid reports whether k is one of the kinds above.
func (k Kind) Valid() bool {
	return k-KindProposal < Kind(len(commandNames)) || k-KindOffer < Kind(len(extensionNames))
}

// String returns the kind's name as it is written in traces and conformance data.
func (k Kind) String() string {
	switch {
	case k-KindProposal < Kind(len(commandNames)):
		return commandNames[k-KindProposal]
	case k-KindOffer < Kind(len(extensionNames)):
		return extensionNames[k-KindOffer]
	}
	return fmt.Sprintf("kind(0x%02x)", byte(k))
}

// PeekKind returns the kind of a frame without looking at the rest of it. It refuses, with a [*FrameError], an
// empty frame and one of no kind known here.
func PeekKind(frame []byte) (Kind, error) {
	if len(frame) == 0 {
		return 0, &FrameError{Err: ErrTruncated}
	}
	k := Kind(frame[0])
	if !k.Valid() {
		return 0, &FrameError{Kind: k, Err: ErrKind}
	}
	return k, nil
}

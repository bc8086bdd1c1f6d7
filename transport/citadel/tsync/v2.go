package tsync

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

const (
	// ManifestBytes is the size of an encoded [Manifest].
	ManifestBytes = 2
	// ClockBytes is the size of an encoded [Clock], and of what a [SnapshotV2] has in front of its snapshot.
	ClockBytes = 18
	// InputV2HeaderBytes is the size of what an [InputV2] has in front of its input.
	InputV2HeaderBytes = 17
)

// Version 2 adds a clock to snapshots and inputs; what follows the clock is unchanged.
const (
	ManifestVersion uint8 = 2
	CapabilityClock uint8 = 1 // the only capability, without which there is no version 2
)

// What is wrong with bodies of version 2, made once.
var (
	errClockShort   = fmt.Errorf("tsync: clock: %w", wire.ErrTooShort)
	errClock        = fmt.Errorf("tsync: clock without epoch or rate: %w", wire.ErrOutOfRange)
	errInputV2Short = fmt.Errorf("tsync: input v2: %w", wire.ErrTooShort)
	errInputV2      = fmt.Errorf("tsync: input v2 without epoch or with flags: %w", wire.ErrOutOfRange)
)

// Manifest is the body of a kind-29 frame, by which both sides say that they speak version 2. There is one valid
// value, [DefaultManifest].
//
//	version u8 | capabilities u8
type Manifest struct {
	Version      uint8
	Capabilities uint8
}

// DefaultManifest returns the manifest of this package.
func DefaultManifest() Manifest {
	return Manifest{Version: ManifestVersion, Capabilities: CapabilityClock}
}

// AppendManifest appends the encoding of m, which it does not check.
func AppendManifest(dst []byte, m Manifest) []byte {
	return append(dst, m.Version, m.Capabilities)
}

// ParseManifest reads a whole body. It returns [wire.ErrCount] unless there are exactly two bytes, and
// [wire.ErrVersion] for another version or set of capabilities.
func ParseManifest(b []byte) (Manifest, error) {
	if len(b) != ManifestBytes {
		return Manifest{}, fmt.Errorf("tsync: manifest of %d bytes: %w", len(b), wire.ErrCount)
	}
	m := Manifest{Version: b[0], Capabilities: b[1]}
	if m != DefaultManifest() {
		return Manifest{}, fmt.Errorf("tsync: manifest version %d, capabilities %#x: %w", m.Version, m.Capabilities, wire.ErrVersion)
	}
	return m, nil
}

// Clock says which step of which run of a simulation something belongs to.
//
//	epoch u64 | tick u64 | rate u16
type Clock struct {
	Epoch uint64 // names the run; not 0
	Tick  uint64
	Rate  uint16 // ticks a second; not 0
}

// AppendClock appends the encoding of c. It returns [wire.ErrOutOfRange], and dst as it was, if the epoch or the rate is
// zero.
func AppendClock(dst []byte, c Clock) ([]byte, error) {
	if c.Epoch == 0 || c.Rate == 0 {
		return dst, errClock
	}
	dst = binary.BigEndian.AppendUint64(dst, c.Epoch)
	dst = binary.BigEndian.AppendUint64(dst, c.Tick)
	return binary.BigEndian.AppendUint16(dst, c.Rate), nil
}

// ParseClock reads a clock and returns what follows it, which borrows from b: in a kind-30 frame that is a snapshot,
// which can be peeked at with [ParseSnapshotHeader]. It returns [wire.ErrTooShort], or [wire.ErrOutOfRange] for an epoch or
// a rate of zero.
func ParseClock(b []byte) (c Clock, rest []byte, err error) {
	if len(b) < ClockBytes {
		return Clock{}, nil, errClockShort
	}
	c = Clock{Epoch: binary.BigEndian.Uint64(b), Tick: binary.BigEndian.Uint64(b[8:]), Rate: binary.BigEndian.Uint16(b[16:])}
	if c.Epoch == 0 || c.Rate == 0 {
		return Clock{}, nil, errClock
	}
	return c, b[ClockBytes:], nil
}

// SnapshotV2 is the body of a kind-30 frame: a clock, then a [Snapshot].
type SnapshotV2 struct {
	Clock    Clock
	Snapshot Snapshot
}

// AppendSnapshotV2 appends the encoding of s and retains nothing of it. Its errors are those of [AppendClock] and
// [Codec.AppendSnapshot]; the slice then comes back as long as it was. A [SnapshotWriter] can begin behind a clock in the
// same way.
func (c *Codec) AppendSnapshotV2(dst []byte, s *SnapshotV2) ([]byte, error) {
	start := len(dst)
	dst, err := AppendClock(dst, s.Clock)
	if err != nil {
		return dst, err
	}
	dst, err = c.AppendSnapshot(dst, &s.Snapshot)
	if err != nil {
		return dst[:start], err
	}
	return dst, nil
}

// ParseSnapshotV2 reads a whole body into the lists of into, which it reuses, and retains nothing of b. Its errors are
// those of [ParseClock] and [Codec.ParseSnapshot]; into is then empty.
func (c *Codec) ParseSnapshotV2(b []byte, into *SnapshotV2) error {
	clock, rest, err := ParseClock(b)
	if err != nil {
		*into = SnapshotV2{Snapshot: Snapshot{Removed: into.Snapshot.Removed[:0], Updates: into.Snapshot.Updates[:0]}}
		return err
	}
	into.Clock = clock
	if err := c.ParseSnapshot(rest, &into.Snapshot); err != nil {
		into.Clock = Clock{}
		return err
	}
	return nil
}

// InputV2 is the body of a kind-31 frame: which clock the player saw last, then an [Input].
//
//	epoch u64 | last observed tick u64 | flags u8 | input
type InputV2 struct {
	Epoch            uint64 // not 0
	LastObservedTick uint64
	Flags            uint8 // 0: there are none yet
	Input            Input
}

// AppendInputV2 appends the encoding of in and retains nothing of it, cutting as [AppendInput] does. It returns
// [wire.ErrOutOfRange], and dst as it was, for an epoch of zero or any flag.
func AppendInputV2(dst []byte, in *InputV2) ([]byte, error) {
	if in.Epoch == 0 || in.Flags != 0 {
		return dst, errInputV2
	}
	dst = binary.BigEndian.AppendUint64(dst, in.Epoch)
	dst = binary.BigEndian.AppendUint64(dst, in.LastObservedTick)
	dst = append(dst, in.Flags)
	return AppendInput(dst, &in.Input), nil
}

// ParseInputV2 reads a body into the frames of into, which it reuses; the payloads borrow from b. It returns
// [wire.ErrTooShort], [wire.ErrOutOfRange] for an epoch of zero or any flag, or an error of [ParseInput]; into is then
// empty.
func ParseInputV2(b []byte, into *InputV2) error {
	if err := parseInputV2(b, into); err != nil {
		*into = InputV2{Input: Input{Frames: into.Input.Frames[:0]}}
		return err
	}
	return nil
}

func parseInputV2(b []byte, into *InputV2) error {
	if len(b) < InputV2HeaderBytes {
		return errInputV2Short
	}
	into.Epoch = binary.BigEndian.Uint64(b)
	into.LastObservedTick = binary.BigEndian.Uint64(b[8:])
	into.Flags = b[16]
	if into.Epoch == 0 || into.Flags != 0 {
		return errInputV2
	}
	return ParseInput(b[InputV2HeaderBytes:], &into.Input)
}

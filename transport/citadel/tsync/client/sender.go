package client

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

const (
	// DefaultRedundancy is how many inputs a bundle carries by default.
	DefaultRedundancy = 8

	// DefaultPayload is how many bytes of the game's own an input may have by default, as for package server.
	DefaultPayload = motion.DefaultPayload
)

// SenderConfig is how a [Sender] differs from the default. The zero value is the default.
type SenderConfig struct {
	// Redundancy is how many of the newest inputs a bundle carries, at least as many as are new and at most
	// [tsync.MaxInputFrames]: that many bundles in a row have to be lost before a server waits for one. Zero means
	// [DefaultRedundancy].
	Redundancy int

	// MaxPayload is how many bytes of its own a game may put into an input, no more than the server takes: it would
	// refuse the input, and wait for it for ever. Zero means [DefaultPayload].
	MaxPayload int

	// MaxBytes is how long a bundle may be. Zero means [tsync.MaxSnapshotBytes], which with its kind is a datagram of 1,200
	// bytes.
	MaxBytes int
}

func (cfg SenderConfig) withDefaults() (SenderConfig, error) {
	if cfg.Redundancy == 0 {
		cfg.Redundancy = DefaultRedundancy
	}
	if cfg.MaxPayload == 0 {
		cfg.MaxPayload = DefaultPayload
	}
	if cfg.MaxBytes == 0 {
		cfg.MaxBytes = tsync.MaxSnapshotBytes
	}
	if cfg.Redundancy < 1 || cfg.Redundancy > tsync.MaxInputFrames {
		return cfg, fmt.Errorf("%w: Redundancy is %d", ErrConfig, cfg.Redundancy)
	}
	if cfg.MaxPayload < 0 || cfg.MaxPayload > tsync.MaxInputPayload {
		return cfg, fmt.Errorf("%w: MaxPayload is %d", ErrConfig, cfg.MaxPayload)
	}
	if least := bundleHeadBytes + frameBytes(0, true); cfg.MaxBytes < least {
		return cfg, fmt.Errorf("%w: MaxBytes is %d, less than the %d of one shot", ErrConfig, cfg.MaxBytes, least)
	}
	return cfg, nil
}

// leastHealing is how many of the oldest inputs a bundle carries at least if it carries any.
const leastHealing = 8

// bundleHeadBytes is the size of a bundle without frames, of version 2 so that the same inputs fit both.
const bundleHeadBytes = tsync.InputV2HeaderBytes + 9

// The sizes of a frame without a payload, and of what a shot adds to it.
const (
	frameHeadBytes = 35
	shotBytes      = 24
)

// frameBytes is the size of a frame.
func frameBytes(payload int, fire bool) int {
	n := frameHeadBytes + payload
	if fire {
		n += shotBytes
	}
	return n
}

// Input is what a player wants in one step.
type Input struct {
	Move    [3]float32 // the velocity that is wanted, centimetres a second
	DT      float32    // seconds; what is not positive and finite counts as 0
	Payload []byte     // the game's own; copied

	Fire      bool
	Origin    [3]float32 // of the shot, centimetres
	Direction [3]float32 // of the shot; of any length
}

// Sender bundles the inputs for one object: the newest ones, again and again until they are acknowledged, together with
// the newest snapshot as a piggybacked acknowledgement. A bundle carries
//
//   - what was not sent before, oldest first;
//   - shots that are not acknowledged, however old;
//   - the newest inputs, up to the configured redundancy.
//
// Servers apply inputs strictly in order. If nothing was acknowledged for as many bundles as the redundancy, or for two
// if that is 1, one bundle also carries as many of the oldest inputs as have room: they may be what the server waits for.
//
// A sender allocates nothing once its payloads have been as long as they get. It is not safe for concurrent use.
type Sender struct {
	cfg     SenderConfig
	object  uint32
	epoch   uint32
	frames  pending[tsync.InputFrame]
	unsent  int // of the newest frames
	silence int // bundles since the last acknowledgement
	chosen  [MaxPending]bool
	bundle  tsync.InputV2
}

// NewSender returns a sender of inputs for an object in an ownership epoch. Its error is [ErrConfig].
func NewSender(cfg SenderConfig, object, ownershipEpoch uint32) (*Sender, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Sender{cfg: cfg, object: object, epoch: ownershipEpoch, frames: newPending[tsync.InputFrame](MaxPending)}
	s.bundle.Input.Frames = make([]tsync.InputFrame, 0, tsync.MaxInputFrames)
	return s, nil
}

// Reset forgets all inputs and numbers from 1 again, for an object in another ownership epoch.
func (s *Sender) Reset(object, ownershipEpoch uint32) {
	s.object, s.epoch = object, ownershipEpoch
	s.frames.reset()
	s.unsent, s.silence = 0, 0
}

// Check returns why an input cannot be sent: [ErrNotFinite] for a NaN or an infinity in a vector, [ErrPayload] if its
// payload is too long for the server or a bundle, [ErrPending] if there are too many that are not acknowledged.
func (s *Sender) Check(in *Input) error {
	if !finite3(in.Move) || in.Fire && !(finite3(in.Origin) && finite3(in.Direction)) {
		return ErrNotFinite
	}
	if len(in.Payload) > s.cfg.MaxPayload || bundleHeadBytes+frameBytes(len(in.Payload), in.Fire) > s.cfg.MaxBytes {
		return ErrPayload
	}
	if s.frames.full() {
		return ErrPending
	}
	return nil
}

// Push adds an input and returns its number; the first is 1. The tick says which one the player saw, as a hint. It
// returns the error of [Sender.Check], and then nothing has changed. It retains nothing of the input.
func (s *Sender) Push(in *Input, tick uint32) (seq uint32, err error) {
	if err := s.Check(in); err != nil {
		return 0, err
	}
	seq, f := s.frames.push()
	*f = tsync.InputFrame{
		Seq: seq, SimTick: tick, DT: sanitiseDT(in.DT), Object: s.object, OwnershipEpoch: s.epoch,
		Move: in.Move, Payload: append(f.Payload[:0], in.Payload...), Fire: in.Fire,
	}
	if in.Fire {
		f.Origin, f.Direction = in.Origin, in.Direction
	}
	s.unsent++
	return seq, nil
}

// Ack drops the inputs up to a number, because the server has applied them. One that was not given out, or was dropped
// before, changes nothing.
func (s *Sender) Ack(seq uint32) {
	if !s.frames.given(seq) || s.frames.confirmed(seq) == 0 {
		return
	}
	s.frames.ack(seq)
	s.unsent = min(s.unsent, s.frames.count)
	s.silence = 0
}

// Pending returns how many inputs are not acknowledged.
func (s *Sender) Pending() int { return s.frames.count }

// Unsent returns how many inputs no bundle has carried yet.
func (s *Sender) Unsent() int { return s.unsent }

// AppendInput appends the body of a kind-9 frame. It acknowledges the newest snapshot that was applied, and says which
// one arrived last. Without pending inputs there is nothing to send, and the slice comes back as it was. If there is
// more that was never sent than has room, [Sender.Unsent] says so, and another call appends a bundle with the rest.
func (s *Sender) AppendInput(dst []byte, acked, lastSeen uint32) []byte {
	if s.frames.count == 0 {
		return dst
	}
	return tsync.AppendInput(dst, s.fill(acked, lastSeen))
}

// AppendInputV2 is [Sender.AppendInput] for a kind-31 frame, with the clock of the newest snapshot. It returns
// [wire.ErrOutOfRange], and the slice as it was, if the clock has no epoch; nothing then counts as sent.
func (s *Sender) AppendInputV2(dst []byte, clock tsync.Clock, acked, lastSeen uint32) ([]byte, error) {
	if s.frames.count == 0 {
		return dst, nil
	}
	if clock.Epoch != 0 {
		s.fill(acked, lastSeen)
	}
	s.bundle.Epoch, s.bundle.LastObservedTick = clock.Epoch, clock.Tick
	return tsync.AppendInputV2(dst, &s.bundle)
}

// fill makes the next bundle.
func (s *Sender) fill(acked, lastSeen uint32) *tsync.Input {
	b := &s.bundle.Input
	b.Acked, b.LastSeen, b.Frames = acked, lastSeen, b.Frames[:0]
	s.choose()
	for n := range s.frames.count {
		if s.chosen[n] {
			b.Frames = append(b.Frames, *s.frames.slot(n))
		}
	}
	s.silence++
	return b
}

// choose decides which frames go into the next bundle.
func (s *Sender) choose() {
	s.chosen = [MaxPending]bool{}
	count := s.frames.count
	room, bytes := tsync.MaxInputFrames, s.cfg.MaxBytes-bundleHeadBytes
	take := func(n int) bool {
		f := s.frames.slot(n)
		size := frameBytes(len(f.Payload), f.Fire)
		if s.chosen[n] {
			return true
		}
		if room == 0 || size > bytes {
			return false
		}
		s.chosen[n] = true
		room, bytes = room-1, bytes-size
		return true
	}

	// Not in every bundle, even without redundancy: the oldest may leave no room for what was not sent before.
	if every := max(s.cfg.Redundancy, 2); s.silence > 0 && s.silence%every == 0 {
		most := max(leastHealing, tsync.MaxInputFrames-s.cfg.Redundancy)
		for n := 0; n < min(most, count-s.unsent) && take(n); n++ {
		}
	}
	for s.unsent > 0 && take(count-s.unsent) {
		s.unsent--
	}
	for n := range count - s.unsent {
		if s.frames.slot(n).Fire {
			take(n)
		}
	}
	for n := count - s.unsent - 1; n >= max(0, count-s.cfg.Redundancy) && take(n); n-- {
	}
}

package tsync

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

const (
	// MaxInputFrames is how many frames an [Input] carries.
	MaxInputFrames = 32
	// MaxInputPayload is how many bytes of its own a game can put into an [InputFrame].
	MaxInputPayload = 65535
)

const (
	inputHeadBytes = 9
	frameHeadBytes = 35 // with the payload's length
	fireBytes      = 24

	frameFire = 1 // the flag of a frame that fires
)

// What is wrong with an input, made once: a server may get many.
var (
	errInputShort = fmt.Errorf("tsync: input: %w", wire.ErrTooShort)
	errInputCount = fmt.Errorf("tsync: input: more than 32 frames: %w", wire.ErrCount)
)

// Input is the body of a kind-9 frame: the last inputs of a player, those of earlier bundles again in case these were
// lost, and an acknowledgement.
//
//	acked u32 | last seen u32 | count u8 | frames
type Input struct {
	Acked    uint32 // newest snapshot that was applied
	LastSeen uint32 // newest snapshot that arrived
	Frames   []InputFrame
}

// InputFrame is what a player wants in one step. Floats travel as they are: NaN and infinities pass.
//
//	sequence u32 | tick u32 | dt f32 | object u32 | ownership epoch u32 | move 3 x f32 | flags u8, bit 0 for fire |
//	length u16 | payload | with fire: origin 3 x f32 | direction 3 x f32
type InputFrame struct {
	Seq            uint32
	SimTick        uint32
	DT             float32 // seconds
	Object         uint32
	OwnershipEpoch uint32
	Move           [3]float32 // the velocity that is wanted, centimetres a second
	Payload        []byte     // the game's own
	Fire           bool
	Origin         [3]float32 // of the shot, centimetres
	Direction      [3]float32
}

// InputBytes returns the size of an encoded input.
func InputBytes(in *Input) int {
	n := inputHeadBytes
	for i := range in.frames() {
		n += in.Frames[i].size()
	}
	return n
}

// frames returns the frames that are encoded.
func (in *Input) frames() []InputFrame {
	return in.Frames[:min(len(in.Frames), MaxInputFrames)]
}

func (f *InputFrame) size() int {
	n := frameHeadBytes + min(len(f.Payload), MaxInputPayload)
	if f.Fire {
		n += fireBytes
	}
	return n
}

// AppendInput appends the encoding of in and retains nothing of it. Frames after the 32nd are left out, and payloads
// are cut after 65535 bytes. Origin and direction are encoded only with Fire.
func AppendInput(dst []byte, in *Input) []byte {
	at, n := len(dst), InputBytes(in)
	dst = slices.Grow(dst, n)[:at+n]
	b := dst[at:]
	frames := in.frames()
	binary.BigEndian.PutUint32(b, in.Acked)
	binary.BigEndian.PutUint32(b[4:], in.LastSeen)
	b[8] = byte(len(frames))
	b = b[inputHeadBytes:]
	for i := range frames {
		f := &frames[i]
		_ = b[frameHeadBytes-1]
		binary.BigEndian.PutUint32(b, f.Seq)
		binary.BigEndian.PutUint32(b[4:], f.SimTick)
		binary.BigEndian.PutUint32(b[8:], math.Float32bits(f.DT))
		binary.BigEndian.PutUint32(b[12:], f.Object)
		binary.BigEndian.PutUint32(b[16:], f.OwnershipEpoch)
		putVec3(b[20:], &f.Move)
		b[32] = 0
		n := min(len(f.Payload), MaxInputPayload)
		binary.BigEndian.PutUint16(b[33:], uint16(n))
		copy(b[frameHeadBytes:], f.Payload[:n])
		end := frameHeadBytes + n
		if f.Fire {
			b[32] = frameFire
			putVec3(b[end:], &f.Origin)
			putVec3(b[end+12:], &f.Direction)
			end += fireBytes
		}
		b = b[end:]
	}
	return dst
}

// ParseInput reads a body into the frames of into, which it reuses; the payloads borrow from b. Bytes after the last
// frame and unknown flags are ignored. It returns [wire.ErrCount] for more than 32 frames, or [wire.ErrTooShort]; into is
// then empty. It allocates room for as many frames as there can be in b.
func ParseInput(b []byte, into *Input) error {
	if err := parseInput(b, into); err != nil {
		*into = Input{Frames: into.Frames[:0]}
		return err
	}
	return nil
}

func parseInput(b []byte, into *Input) error {
	if len(b) < inputHeadBytes {
		return errInputShort
	}
	into.Acked = binary.BigEndian.Uint32(b)
	into.LastSeen = binary.BigEndian.Uint32(b[4:])
	n := int(b[8])
	b = b[inputHeadBytes:]
	if n > MaxInputFrames {
		return errInputCount
	}
	if n*frameHeadBytes > len(b) {
		return errInputShort
	}
	into.Frames = resize(into.Frames, n)
	for i := range into.Frames {
		rest, ok := parseInputFrame(b, &into.Frames[i])
		if !ok {
			return errInputShort
		}
		b = rest
	}
	return nil
}

// parseInputFrame reads a frame over what f was, and returns what follows it.
func parseInputFrame(b []byte, f *InputFrame) (rest []byte, ok bool) {
	if len(b) < frameHeadBytes {
		return nil, false
	}
	fire := b[32]&frameFire != 0
	end := frameHeadBytes + int(binary.BigEndian.Uint16(b[33:]))
	need := end
	if fire {
		need += fireBytes
	}
	if len(b) < need {
		return nil, false
	}
	f.Seq = binary.BigEndian.Uint32(b)
	f.SimTick = binary.BigEndian.Uint32(b[4:])
	f.DT = float(b[8:])
	f.Object = binary.BigEndian.Uint32(b[12:])
	f.OwnershipEpoch = binary.BigEndian.Uint32(b[16:])
	f.Move = vec3(b[20:])
	f.Payload = b[frameHeadBytes:end:end]
	f.Fire = fire
	f.Origin, f.Direction = [3]float32{}, [3]float32{}
	if fire {
		f.Origin = vec3(b[end:])
		f.Direction = vec3(b[end+12:])
	}
	return b[need:], true
}

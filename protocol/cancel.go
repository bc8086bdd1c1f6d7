package protocol

import "github.com/ariadne-netcode/ariadne/netcode"

const cancelSize = 1 + keySize

// Cancel asks the authority to withdraw a command. The authority answers with an [Outcome].
//
// On the wire: kind, key (session u64, author u32, sequence u64).
type Cancel struct {
	Key netcode.Key
}

// Size returns the length of the encoded frame in bytes.
func (c *Cancel) Size() int { return cancelSize }

// Append appends the encoded frame to dst and returns the extended slice.
func (c *Cancel) Append(dst []byte) []byte {
	dst, frame := extend(dst, cancelSize, 0)
	b := (*[cancelSize]byte)(frame)
	b[0] = byte(KindCancel)
	putKey((*[keySize]byte)(b[1:]), &c.Key)
	return dst
}

// Parse decodes frame into c. If it returns an error, a [*FrameError], c is unchanged.
func (c *Cancel) Parse(frame []byte) error {
	if len(frame) != cancelSize || frame[0] != byte(KindCancel) {
		return misfit(KindCancel, cancelSize, frame)
	}
	readKey(&c.Key, (*[keySize]byte)(frame[1:]))
	return nil
}

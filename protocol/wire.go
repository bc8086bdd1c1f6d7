package protocol

import (
	"encoding/binary"
	"slices"

	"github.com/ariadne-netcode/ariadne/netcode"
)

var le = binary.LittleEndian

// Sizes in bytes of what several frames share.
const (
	keySize    = 20
	headerSize = keySize + 20
)

// extend makes dst longer by fixed bytes, which it also returns by themselves, with room for tail more.
func extend(dst []byte, fixed, tail int) (longer, added []byte) {
	n := len(dst)
	longer = slices.Grow(dst, fixed+tail)[:n+fixed]
	return longer, longer[n:]
}

func putKey(b *[keySize]byte, k *netcode.Key) {
	le.PutUint64(b[0:], uint64(k.Session))
	le.PutUint32(b[8:], uint32(k.Author))
	le.PutUint64(b[12:], uint64(k.Sequence))
}

func readKey(k *netcode.Key, b *[keySize]byte) {
	k.Session = netcode.SessionID(le.Uint64(b[0:]))
	k.Author = netcode.AuthorID(le.Uint32(b[8:]))
	k.Sequence = netcode.Sequence(le.Uint64(b[12:]))
}

func putHeader(b *[headerSize]byte, h *netcode.Header) {
	putKey((*[keySize]byte)(b[:]), &h.Key)
	le.PutUint64(b[20:], uint64(h.Type))
	le.PutUint64(b[28:], uint64(h.Step))
	le.PutUint32(b[36:], uint32(h.Order))
}

func readHeader(h *netcode.Header, b *[headerSize]byte) {
	readKey(&h.Key, (*[keySize]byte)(b[:]))
	h.Type = netcode.TypeID(le.Uint64(b[20:]))
	h.Step = netcode.Step(le.Uint64(b[28:]))
	h.Order = netcode.Order(le.Uint32(b[36:]))
}

// putOptional writes v, or zero if it is absent.
func putOptional(b []byte, v uint64, present bool) {
	if !present {
		v = 0
	}
	le.PutUint64(b, v)
}

// optional reads what putOptional wrote. What an absent value left in the frame is ignored.
func optional(b []byte, present bool) uint64 {
	if !present {
		return 0
	}
	return le.Uint64(b)
}

// flag is the byte of a lone presence flag.
func flag(present bool) byte {
	if present {
		return 1
	}
	return 0
}

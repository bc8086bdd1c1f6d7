package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrGoodbyeTooSmall is returned for a goodbye that ends inside its code.
var ErrGoodbyeTooSmall = errors.New("wire: goodbye too small")

// Goodbye is the body of a [KindGoodbye]. It follows everything else that its sender had to say, so whoever
// receives it has received all of it and may close the connection. A peer that does not know the kind ignores
// it and sees the connection close a little later.
//
//	code u32 | reason, UTF-8
type Goodbye struct {
	Code   uint32
	Reason []byte
}

// AppendGoodbye appends the encoding of g.
func AppendGoodbye(dst []byte, g Goodbye) []byte {
	dst = binary.BigEndian.AppendUint32(dst, g.Code)
	return append(dst, g.Reason...)
}

// ParseGoodbye reads a whole body; Reason borrows from it and may be any bytes. The only error is
// [ErrGoodbyeTooSmall].
func ParseGoodbye(b []byte) (Goodbye, error) {
	if len(b) < 4 {
		return Goodbye{}, fmt.Errorf("%w: %d bytes", ErrGoodbyeTooSmall, len(b))
	}
	return Goodbye{Code: binary.BigEndian.Uint32(b), Reason: b[4:]}, nil
}

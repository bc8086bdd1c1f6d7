package netpeer

import (
	"errors"
	"iter"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// AppendBunches appends a coalesced list of bunches that were encoded before. It returns dst and
// [ErrTooManyBunches] if there are more than [MaxBunches].
//
// A list is not the body of a [wire.KindRepDelta] envelope, which is one bare bunch, and nothing in the bytes
// tells one from the other: only peers that have agreed on lists may send them.
func AppendBunches(dst []byte, bunches [][]byte) ([]byte, error) {
	if len(bunches) > MaxBunches {
		return dst, ErrTooManyBunches
	}
	dst = bitpack.AppendVarint(dst, uint64(len(bunches)))
	for _, b := range bunches {
		dst = bitpack.AppendVarint(dst, uint64(len(b)))
		dst = append(dst, b...)
	}
	return dst, nil
}

// Bunches iterates over the bunches of a coalesced list, which borrow b. Each is sound or not on its own, and a
// length that is a lie is an error: of the bunch, which does not fill its length, or of the list. After an error,
// which comes with no bunch, the iteration ends. The errors are [ErrTooManyBunches], [wire.ErrTooShort] for a list
// that ends too early or too late, and those of [bitpack.Varint].
//
// While a bunch is at hand nothing is known about those behind it. A receiver that wants all of a list or nothing
// goes through it twice, first only to parse.
func Bunches(b []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		count, rest, err := byteVarint(b)
		if err == nil && count > MaxBunches {
			err = ErrTooManyBunches
		}
		for ; err == nil && count > 0; count-- {
			var n uint64
			if n, rest, err = byteVarint(rest); err != nil {
				break
			}
			if n > uint64(len(rest)) {
				err = wire.ErrTooShort
				break
			}
			if !yield(rest[:n:n], nil) {
				return
			}
			rest = rest[n:]
		}
		if err == nil && len(rest) > 0 {
			err = wire.ErrTooShort
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// byteVarint takes a varint off b.
func byteVarint(b []byte) (v uint64, rest []byte, err error) {
	v, n, err := bitpack.Varint(b)
	if errors.Is(err, bitpack.ErrOverrun) {
		err = wire.ErrTooShort // this is a stream of bytes
	}
	return v, b[n:], err
}

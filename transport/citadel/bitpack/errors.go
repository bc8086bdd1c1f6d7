package bitpack

import "errors"

// What a reader refuses, and what a writer does.
var (
	ErrOverrun     = errors.New("bitpack: bit stream ends early")
	ErrPadding     = errors.New("bitpack: padding is not canonical") // a one in the padding, or a whole byte of it
	ErrTooManyBits = errors.New("bitpack: more than 64 bits at once")
	ErrShortRun    = errors.New("bitpack: run is longer than its bytes")

	ErrVarintLong     = errors.New("bitpack: varint has more than 10 groups")
	ErrVarintOverflow = errors.New("bitpack: varint overflows") // 64 bits, or 32 where that is asked for
	ErrVarintOverlong = errors.New("bitpack: varint is not in its shortest form")
)

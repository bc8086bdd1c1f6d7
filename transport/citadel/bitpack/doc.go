// Package bitpack writes and reads the bit streams of Citadel frames: most significant bit first, in each byte and
// in each value, and the last byte filled with zero bits.
//
// A [Writer] appends to a byte slice and a [Reader] borrows one. Both are plain values that a caller keeps on its
// stack or reuses with Reset; neither allocates, apart from the growth of the written slice.
//
// The encoding is canonical. [Reader.Finish] refuses a stream whose padding holds a one or which goes on for a whole
// byte, and varints are refused unless they are as short as they can be. A read that asks for more than there is
// is refused and consumes nothing.
//
// Neither type is safe for concurrent use.
package bitpack

// Package bitpack writes and reads the bit streams of Citadel frames: most significant bit first, in each byte and
// in each value, and the last byte filled with zero bits.
//
// A [Writer] appends to a byte slice and a [Reader] borrows one. Both are plain values that a caller keeps on its
// stack or reuses with Reset. Neither allocates, apart from the growth of the written slice and a rare case of
// [Reader.ResetBits]; a refusal does not either.
//
// The encoding is canonical. [Reader.Finish] refuses a stream whose padding holds a one or which goes on for a whole
// byte, and varints are refused unless they are as short as they can be. A read that asks for more than there is
// is refused and consumes nothing, and so does a varint that is refused. Lengths and widths may be any number at all:
// none makes a method panic.
//
// Neither type is safe for concurrent use.
//
// # Cost
//
// On a 2 vCPU AMD EPYC VM with Go 1.26.8, GOAMD64=v1, in nanoseconds for a field, beside
// [github.com/icza/bitio] 1.1.0 in the same run:
//
//	                            bitpack   bitio
//	write 1 to 32 bits, mixed       2.0    10.6   5.3 times
//	read 1 to 32 bits, mixed        2.3     9.6   4.2 times
//
// The VM shares its cores, and in bad hours all of it takes up to twice as long; the ratios were between 5.2 and 8.4,
// and between 3.7 and 4.8. The module below bench has the comparison:
//
//	cd bench && go test -bench Bit
//
// [github.com/icza/bitio]: https://pkg.go.dev/github.com/icza/bitio
package bitpack

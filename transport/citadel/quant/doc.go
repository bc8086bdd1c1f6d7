// Package quant turns numbers into the codes of Citadel frames and back: bounded scalars, vectors of three of them,
// and unit quaternions by their smallest three components. The unit of length is the centimetre.
//
// A code is an unsigned number; the type says how many bits it has on the wire. Encoders saturate what is out of
// bounds and refuse NaN; decoders never saturate: a code above the largest valid one is [ErrInvalidCode].
//
// The format's arithmetic is float64, rounds by floor(x + 0.5), and gives the same bits on every machine: products
// are kept from being fused with the sums they go into, and no float that may be NaN or out of range is converted to
// an integer. The format's expressions are evaluated as they are written. Where a shorter way is taken, it is one that
// provably ends at the same code, and the tests compare it with the long one.
//
// A scalar is off by at most half a step, and by what float32 cannot hold of the result. A rotation is off by at most
// 0.55 degrees with [Quat9], 0.275 with [Quat10] and 0.0087 with [Quat15].
//
// Nothing here allocates, except for the errors of the constructors. Codecs are immutable and may be used from
// several goroutines.
//
// # Cost
//
// On a 2 vCPU AMD EPYC VM with Go 1.26.8, GOAMD64=v1, random inputs, in nanoseconds:
//
//	scalar   encode  3.8   decode  4.0   BenchmarkScalarEncode, BenchmarkScalarDecode
//	quat     encode 15.2   decode 18.6   BenchmarkQuatEncode, BenchmarkQuatDecode: 10 bits
//
// Word for word, the format's expressions take 20 to encode a quaternion and 24 to decode one, most of it divisions.
// Nearly all quaternions of 10 bits are encoded with a single short one, and nearly all codes decoded with none. The
// figures are the least of many short runs, because the machine was shared; on a busy one they double:
//
//	go test -run xxx -bench . -benchtime 200us -count 400 ./transport/citadel/quant
package quant

// Command cabi is the C library of the Citadel codecs, for engines and tools that are not written in Go:
//
//	go build -buildmode=c-shared -o libcitadel.so github.com/ariadne-netcode/ariadne/transport/citadel/cabi
//
// citadel.h, in this folder, is its header and its documentation. The library quantises scalars and quaternions, hashes
// layouts and encodes a DeltaBunch field by field; it makes bytes only and knows no network.
//
// The exported functions translate between C and Go and do nothing else; what is behind them is in the packages
// quant, schema and netpeer. Building needs a C compiler. Without one only this program is left, which says so.
package main

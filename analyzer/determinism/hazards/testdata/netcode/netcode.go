// Package netcode is as much of the real one as the program needs. It keeps the program small on six targets.
package netcode

import "encoding"

type Step int64

type Simulation interface {
	Tick(step Step)
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

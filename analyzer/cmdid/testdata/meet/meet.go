package meet // want package:`below \[example.com/game/left example.com/game/right\]`

import (
	"example.com/game/left"
	_ "example.com/game/right" // want `DNET0003: commands of two packages meet here under the id 0x0000000000000100: Move of example.com/game/left \(left.go:4\) and Drop of example.com/game/right \(right.go:4\)`
)

var _ left.Move

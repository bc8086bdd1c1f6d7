package kinds

import "github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"

// Dir is an enum without gaps. The number of directions is not one of them.
type Dir uint8

// The directions.
const (
	North Dir = iota
	East
	South
	West
	directions
)

// Tool is an enum with gaps and with two names for one value.
type Tool int16

// The tools.
const (
	Hammer Tool = -300
	Saw    Tool = 5
	Blade  Tool = Saw
	Drill  Tool = 6
)

// mood is an enum that nobody else knows.
type mood uint8

const (
	calm mood = iota + 3
	cross
)

const (
	lowest  = -5
	highest = 40000
)

// Limited has integers of which not all values are allowed.
//
//netcode:command
type Limited struct {
	Dir    Dir        `netcode:"enum"`
	Tool   Tool       `netcode:"enum"`
	mood   mood       `netcode:"enum"`
	Turn   geom.Turn  `netcode:"enum" json:"turn"`
	Below  uint8      `netcode:"range=0..9"`
	Above  uint8      `netcode:"range=10..255"`
	Within int32      `netcode:"range=lowest..highest"`
	Least  int64      `netcode:"range=-9223372036854775808..0"`
	Most   uint64     `netcode:"range=0x8000000000000000..18446744073709551615"`
	All    int8       `netcode:"range=-128..127"`
	One    Dir        `netcode:"range=South..South"`
	Dirs   [3]Dir     `netcode:"enum"`
	Rows   [2][2]int8 `netcode:"range=-1..1"`
}

// Step has nothing but an enum, as many commands do.
//
//netcode:command predicted
type Step struct {
	Dir Dir `netcode:"enum"`
}

// count keeps the constants in use.
const count = int(directions) + int(calm) + int(cross)

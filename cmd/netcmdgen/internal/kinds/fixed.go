package kinds

import "github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"

// Flag, and the types below it, are defined types of all sorts.
type Flag bool

type (
	Tiny   int8
	Small  int16
	Middle int32
	Large  int64
	Octet  uint8
	Word   uint16
	Quad   uint32
	Long   uint64
	Speed  float32
	Exact  float64
)

// Hash is an array of bytes.
type Hash [6]byte

// Octets is an array that only looks like one of bytes.
type Octets [3]Octet

// Cell is a plain struct.
type Cell struct {
	X, Y uint8
	Open bool
}

// Pair is generic. Its instances are plain structs.
type Pair[T any] struct{ First, Second T }

// Basics has all numbers, as they are and by other names.
//
//netcode:command predicted
type Basics struct {
	B   bool
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	U8  uint8
	U16 uint16
	U32 uint32
	U64 uint64
	F32 float32
	F64 float64

	Flag   Flag
	Tiny   Tiny
	Small  Small
	Middle Middle
	Large  Large
	Octet  Octet
	Word   Word
	Quad   Quad
	Long   Long
	Speed  Speed
	Exact  Exact
}

// Numbers cannot fail to decode once the size is right, so nothing has to be checked twice.
//
//netcode:command
type Numbers struct {
	ID   uint64
	Pos  geom.Vec
	Cost [4]uint16
	_    [3]byte // not sent
	Turn geom.Turn
}

// Nested has arrays and structs in each other.
//
//netcode:command id=0xA5
type Nested struct {
	geom.Vec            // embedded
	geom.Place          // embedded by an alias
	Cell                // embedded from here
	Hash       Hash     // copied
	Plain      [5]uint8 // copied
	Octets     Octets   // not copied
	Flags      [3]bool
	Matrix     [2][3]int32
	Cells      [2][2]Cell
	Lines      [2]struct {
		From, To geom.Vec
		Mask     [2]Hash
	}
	None  [0]int64
	Empty struct{}
	Pair  Pair[Small]
	Pairs [2]Pair[Pair[geom.Vec]]
	Deep  [2][2][2][2]struct{ A [2]int8 }
	Names struct{ c, b, p, v, n, i, j, e, q uint8 }
}

// Ping is empty.
//
//netcode:command predicted
type Ping struct{}

// Score, and the types below it, are commands without fields.
//
//netcode:command name=Game.Commands+Score
type Score int32

type (
	//netcode:command
	Ready bool
	//netcode:command
	Zoom float64
	//netcode:command
	Letter byte
	//netcode:command
	Board [9]uint8
	//netcode:command
	Grid [2][3]Cell

	//netcode:command id=0xB6 predicted
	secret struct{ Number uint32 }
)

// Package geom has types that the commands and the replicated classes of other packages are made of.
package geom

// Vec is a plain struct.
type Vec struct {
	X, Y float32
}

// Vec3 is a point in space.
type Vec3 struct {
	X, Y, Z float32
}

// Label is a plain struct of varying size.
type Label struct {
	Text string `netcode:"max=8"`
	Turn Turn   `netcode:"range=Left..Right"`
}

// Turn has constants.
type Turn int8

// The turns.
const (
	Left  Turn = -1
	Ahead Turn = 0
	Right Turn = 1
)

// Place is an alias.
type Place = Vec

// Package record is what the demo of the arena leaves for the program that draws plots: a file of JSON.
package record

import (
	"encoding/json"
	"fmt"
	"os"
)

// FileName is what the file is called.
const FileName = "arena.json"

// Demo is what was measured in a demo. Seconds count from its beginning.
type Demo struct {
	Title   string // the network, in words
	Paths   []Path
	Players []Player
	Volleys []Volley
}

// Path is where an object was, and where a player saw it.
type Path struct {
	Object      uint32
	Seen        string // name of the player
	True, Shown []Point
}

// Point is a place at a moment, in centimetres.
type Point struct{ Seconds, X, Y float64 }

// Player is what a player has received.
type Player struct {
	Name      string
	Delay     []Delay
	Snapshots []Snapshot
}

// Delay is how far behind the newest snapshot a player's screen was.
type Delay struct {
	Seconds float64
	Wanted  float64 // milliseconds, what the jitter buffer asks for
	Shown   float64 // milliseconds, what it was
}

// Snapshot is a snapshot that has arrived.
type Snapshot struct {
	Seconds float64
	Bytes   int // with its kind
	Full    bool
}

// Volley is what became of a player's shots over a network with some lag.
type Volley struct {
	Lag         float64 // round-trip time that was added, milliseconds
	Compensated bool    // the server put the world back to what the player saw
	Shots       int     // that hit something on the player's screen
	Confirmed   int     // of them, those that hit the same on the server
}

// Write writes a demo to a file.
func Write(file string, d *Demo) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("record: %w", err) // a number that is not finite
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Read reads what Write has written.
func Read(file string) (*Demo, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := new(Demo)
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("record: %s: %w", file, err)
	}
	return d, nil
}

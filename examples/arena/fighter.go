package main

import "github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"

// What everybody sees of everybody, besides where they are. The structs are marked; what it takes to send and to receive
// them is generated from that into netcode_replicated.go.

//go:generate go tool netcmdgen

const fullHealth = 100

// Fighter is a player as all see it. It has the id of the object that the player moves.
//
//netcode:replicated class=1 version=1
type Fighter struct {
	// What its player says of itself, and the server may veto.
	Name  string `rep:"bytes,max=16,owner=client"`
	Emote Emote  `rep:"enum,owner=client"`

	// What the server says.
	Health uint8  `rep:"uint,max=fullHealth"`
	Hits   uint16 `rep:"uint,max=65535"` // confirmed shots of its own
	Deaths uint16 `rep:"uint,max=65535"`
}

// Emote is how a fighter looks.
type Emote uint8

// The emotes.
const (
	Calm Emote = iota
	Weeps
	Cheers
)

// String returns a word for it.
func (e Emote) String() string {
	return [...]string{Calm: "calm", Weeps: "weeps", Cheers: "cheers"}[min(e, Cheers)]
}

// Scoreboard has a line for every fighter, of whom there are maxPlayers at most. It belongs to the server.
//
//netcode:replicated class=2 version=1
type Scoreboard struct {
	Lines replica.Items[Line] `rep:"collection,of=uint,items=64,max=maxLine"`
}

// boardObject is the object id of the scoreboard.
const boardObject = 1000

// Line is a fighter's line on the scoreboard: its object, and below it how many others it has brought down.
type Line uint32

const (
	scoreBits = 16
	maxScore  = 1<<scoreBits - 1
	maxLine   = maxPlayers<<scoreBits | maxScore
)

func line(object uint32, score uint16) Line { return Line(object<<scoreBits | uint32(score)) }

func (l Line) object() uint32 { return uint32(l >> scoreBits) }

func (l Line) score() uint16 { return uint16(l & maxScore) }

package rooms

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The defaults.
const (
	DefaultMaxRooms      = 1024
	DefaultMaxMembers    = 64
	DefaultMaxParams     = 256
	DefaultMaxActors     = 4
	DefaultMaxRoomActors = 1024
	DefaultMaxRelay      = 1024
	DefaultRequestRate   = 4
	DefaultRequestBurst  = 16
	DefaultPositionRate  = 120
	DefaultPositionBurst = 40
)

// mostRoomActors keeps the despawns of a whole room within the outbound queue of a connection.
const mostRoomActors = 8192

// Settings is what a room is like.
type Settings struct {
	// Map and Mode are told to everybody who joins: the level to load and what to play in it. UTF-8, at most
	// wire.MaxString bytes each.
	Map, Mode string

	// MaxMembers bounds the members. Zero means Config.MaxMembers, which is also the most.
	MaxMembers int

	// Keep lets the room stay when its last member leaves.
	Keep bool
}

// Config configures [Rooms]. The zero value is useful: a zero field means its default.
//
// The functions that decide, Create, Admit and Spawn, are called before anything is changed. They may look at the
// Rooms, broadcast and send, but not change them: a call that would do so panics. A nil function agrees.
type Config struct {
	// Settings are those of rooms that clients create, if there is no Create.
	Settings Settings

	// Create chooses the settings of a room that a client wants to create. The parameters are borrowed. An
	// error rejects the request: with the words of a [*Denial], or else with [ReasonDenied].
	Create func(p Peer, params []byte) (Settings, error)

	// Admit decides whether a client may become a member of a room, which has no members yet if the client is
	// creating it. An error rejects the request, like one of Create.
	Admit func(p Peer, room Room) error

	// Spawn decides whether a member's actor may appear. Its transform has been checked. The protocol has no
	// answer to a refusal; the actor does not appear, and that is counted.
	Spawn func(p Peer, room Room, actor wire.Presence) error

	// Predicted lists the archetypes that the server itself moves, from the input of their owners: the states
	// that owners send for them are refused.
	Predicted []uint16

	// WaitForMap keeps from a member whatever is fanned out in its room (positions, actors, broadcasts) until
	// it has said that the map is ready.
	WaitForMap bool

	// MaxRooms bounds the rooms, MaxMembers the members of each.
	MaxRooms, MaxMembers int

	// MaxParams bounds the parameters of a room, in bytes.
	MaxParams int

	// MaxActors bounds the actors of a member, MaxRoomActors those of a room together with the server's own. At
	// most 8192 in a room, and MaxActors of each of MaxMembers need not fit.
	MaxActors, MaxRoomActors int

	// MaxRelay bounds the body of a position, in bytes. At most 1024: with its sender's id in front, that fits a
	// datagram of any path.
	MaxRelay int

	// RequestRate and RequestBurst bound how often a client may ask for something that costs others: to create
	// or join a room, to let an actor appear. The rate is per second, the burst what is possible at once after a
	// pause. A room's request beyond is rejected with [ReasonBusy], an actor's is dropped.
	RequestRate, RequestBurst int

	// PositionRate and PositionBurst bound the positions that are relayed for a client. Those beyond are
	// dropped.
	PositionRate, PositionBurst int

	// Now is the clock of the rates. Nil means time.Now. With a clock that does not depend on anything else, the
	// Rooms are deterministic.
	Now func() time.Time

	Hooks
}

// Hooks are told what has happened, when it has: they may do with the Rooms whatever they like. What that changes is
// reported afterwards. A nil hook is skipped.
type Hooks struct {
	// Opened and Closed tell of a room that has come into being, and of one that is no more: because its last
	// member has left, or by [Rooms.Close].
	Opened, Closed func(room Room)

	// Joined, Ready and Left tell of a member: that it is one, that it has loaded the map, that it is one no
	// longer. Left comes after the Despawned of its actors. When the member's connection has closed, p can be
	// sent nothing any more.
	Joined, Ready, Left func(room Room, p Peer)

	// Spawned, Moved and Despawned tell of an actor of a member or, unless Moved, of the server; Moved that its
	// owner has reported a new transform, which is sanitised. It is not passed on to anybody: do that with
	// transform snapshots, or as you like. Moved is called at once, the others in the order of events.
	Spawned, Moved, Despawned func(room wire.RoomID, actor wire.Spawn)
}

// fill gives a field its default. The first bad one is an error.
func fill(errp *error, field string, v *int, def, most int) {
	if *v == 0 {
		*v = def
	}
	if (*v < 0 || *v > most) && *errp == nil {
		*errp = &ConfigError{Field: field, Problem: fmt.Sprintf("%d is not between 0 and %d", *v, most)}
	}
}

// validate returns c with its defaults filled in. Errors name the field.
func (c Config) validate() (Config, error) {
	const any, often = 1 << 30, 1_000_000
	var err error
	fill(&err, "Config.MaxRooms", &c.MaxRooms, DefaultMaxRooms, any)
	fill(&err, "Config.MaxMembers", &c.MaxMembers, DefaultMaxMembers, any)
	fill(&err, "Config.MaxParams", &c.MaxParams, DefaultMaxParams, wire.MaxString)
	fill(&err, "Config.MaxActors", &c.MaxActors, DefaultMaxActors, mostRoomActors)
	fill(&err, "Config.MaxRoomActors", &c.MaxRoomActors, DefaultMaxRoomActors, mostRoomActors)
	fill(&err, "Config.MaxRelay", &c.MaxRelay, DefaultMaxRelay, DefaultMaxRelay)
	fill(&err, "Config.RequestRate", &c.RequestRate, DefaultRequestRate, often)
	fill(&err, "Config.RequestBurst", &c.RequestBurst, DefaultRequestBurst, often)
	fill(&err, "Config.PositionRate", &c.PositionRate, DefaultPositionRate, often)
	fill(&err, "Config.PositionBurst", &c.PositionBurst, DefaultPositionBurst, often)
	if err != nil {
		return c, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Settings, err = c.settings(c.Settings)
	return c, err
}

// settings returns s with its defaults filled in. Errors name the field.
func (c *Config) settings(s Settings) (Settings, error) {
	var err error
	fill(&err, "Settings.MaxMembers", &s.MaxMembers, c.MaxMembers, c.MaxMembers)
	switch {
	case err != nil:
	case len(s.Map) > wire.MaxString || !utf8.ValidString(s.Map):
		err = &ConfigError{"Settings.Map", "is no text of at most 65535 bytes"}
	case len(s.Mode) > wire.MaxString || !utf8.ValidString(s.Mode):
		err = &ConfigError{"Settings.Mode", "is no text of at most 65535 bytes"}
	}
	return s, err
}

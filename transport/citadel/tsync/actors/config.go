package actors

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The defaults of a [Config].
const (
	DefaultFirstObject  = 1 << 20
	DefaultMaxPerClient = 4
	DefaultMaxActors    = 1024
)

// mostActors keeps the despawns of all actors within the outbound queue of a connection.
const mostActors = 8192

// What is refused.
var (
	ErrConfig    = errors.New("actors: unusable configuration") // the error names the field
	ErrStranger  = errors.New("actors: client has not joined")
	ErrJoined    = errors.New("actors: participant is 0 or has joined already")
	ErrTransform = errors.New("actors: transform not finite, or without rotation")
	ErrTooMany   = errors.New("actors: no more actors")
	ErrDenied    = errors.New("actors: not admitted")
	ErrNotOwner  = errors.New("actors: no such actor, or somebody else's")
	ErrPredicted = errors.New("actors: the server moves this actor")
)

// Archetype is what the server makes of a kind of actors. The zero value is a relayed actor without a velocity in
// snapshots, which shots do not hit.
type Archetype struct {
	// Predicted makes the server move the actor, from its owner's input.
	Predicted bool

	// ReplicateVelocity, Priority and Shape are those of the object in the world.
	ReplicateVelocity bool
	Priority          float32
	Shape             rewind.Shape
}

// Config configures [Actors]. A zero field means its default; Send is needed.
type Config struct {
	// Send takes a body for a participant, which has to arrive, and in the order of the calls. It borrows the body
	// and must not call the Actors.
	Send func(to uint64, kind wire.Kind, body []byte)

	// Archetypes says what is made of those listed, Other what of all others. The map is copied.
	Archetypes map[uint16]Archetype
	Other      Archetype

	// Admit decides whether a client's actor may appear. Its transform is sanitised. An error refuses it; the protocol
	// has no answer for that. Nil admits all.
	Admit func(participant uint64, p wire.Presence) error

	// FirstObject is where object ids of actors begin. From there on they are for actors alone; those that the world
	// uses already are skipped.
	FirstObject uint32

	// MaxPerClient bounds the actors of a client, MaxActors those of all together with the server's own. At most 8192
	// each.
	MaxPerClient, MaxActors int
}

// filled returns the configuration with defaults, if it can work.
func (c Config) filled() (Config, error) {
	for _, f := range [...]struct {
		name      string
		value     *int
		otherwise int
		atMost    int
	}{
		{"MaxPerClient", &c.MaxPerClient, DefaultMaxPerClient, mostActors},
		{"MaxActors", &c.MaxActors, DefaultMaxActors, mostActors},
	} {
		if *f.value == 0 {
			*f.value = f.otherwise
		}
		if *f.value < 0 || *f.value > f.atMost {
			return c, fmt.Errorf("%w: %s is %d", ErrConfig, f.name, *f.value)
		}
	}
	if c.FirstObject == 0 {
		c.FirstObject = DefaultFirstObject
	}
	if c.Send == nil {
		return c, fmt.Errorf("%w: Send is missing", ErrConfig)
	}
	if err := c.Other.check(); err != nil {
		return c, fmt.Errorf("%w: Other: %w", ErrConfig, err)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Archetypes)) {
		a := c.Archetypes[id]
		if err := a.check(); err != nil {
			return c, fmt.Errorf("%w: Archetypes[%d]: %w", ErrConfig, id, err)
		}
	}
	c.Archetypes = maps.Clone(c.Archetypes)
	return c, nil
}

// check refuses what the world would refuse with every actor.
func (a *Archetype) check() error {
	switch {
	case a.Priority-a.Priority != 0:
		return fmt.Errorf("Priority is %v", a.Priority)
	case !(a.Shape.Radius >= 0) || a.Shape.Radius-a.Shape.Radius != 0:
		return fmt.Errorf("Shape.Radius is %v", a.Shape.Radius)
	case !(a.Shape.HalfLength >= 0) || a.Shape.HalfLength-a.Shape.HalfLength != 0:
		return fmt.Errorf("Shape.HalfLength is %v", a.Shape.HalfLength)
	}
	return nil
}

// archetype returns what is made of one.
func (c *Config) archetype(id uint16) Archetype {
	if a, listed := c.Archetypes[id]; listed {
		return a
	}
	return c.Other
}

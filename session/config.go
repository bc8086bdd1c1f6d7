package session

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// Config describes one peer's side of a session. It is copied by [NewHost].
type Config struct {
	// Start is what all peers agree on, and who this one is. Required.
	Start netcode.Start

	// Mode is the part this peer plays. Required.
	Mode netcode.Mode

	// Registry knows the command types. Required, and complete before [NewHost]: its table decides what a
	// peer understands.
	Registry *registry.Registry

	// Model owns the simulation. Required. Its last completed step must be Start.Step-1.
	Model Model

	// Journal keeps the record of commands; nil means a [journal.Memory].
	Journal Journal

	// Validators are asked about every proposal, in this order, before the validator of its type.
	Validators []Validator

	// Cancel says who may cancel a command; the default is its author and the authority.
	Cancel CancelPolicy

	// NoResync turns off the client's own recovery. By default a client that cannot follow the authority
	// (a correction behind its window, an outcome that does not decode, a synchronisation that ends behind
	// its own step) joins again by snapshot at once; with NoResync it only reports the event.
	NoResync bool

	// NoExtensions makes the peer speak exactly the eight frames of the base protocol. By default a client
	// offers the extensions when it joins, and an authority uses them towards clients that offered them.
	NoExtensions bool

	// Epoch tells runs of an authority apart that do not share a journal: a process that starts the session
	// from scratch, or from a save, chooses another one. A client that finds another epoch when it resumes
	// starts over by snapshot. It travels in an extension frame. The clock at start-up is a good epoch.
	Epoch uint64

	// Limits bounds what others can make this peer store.
	Limits Limits

	// Trace receives what happens, as it happens; nil traces nothing. Give the model the same trace.
	Trace *netcode.Trace
}

// Validator looks at a proposal before its type's own validator does. A non-nil error refuses it. The header
// carries the requested step and the proposer's order; payload is borrowed for the call; at is the last
// step that the authority has completed.
type Validator func(h netcode.Header, payload []byte, at netcode.Step) error

// CancelPolicy says whose commands a participant may cancel.
type CancelPolicy uint8

const (
	CancelOwn CancelPolicy = iota // an author its own, the authority any
	CancelAny                     // everybody any
)

// Limits are bounds on memory and work. A zero field means the default in its comment.
type Limits struct {
	Lead      int64 // steps that a command may lie ahead of the authority; 65,536
	Payload   int   // bytes of one encoded payload; 65,536
	PerAuthor int   // commands of one author in the authority's model; 4,096
	Pending   int   // messages a client keeps unanswered; 4,096
	Retain    int   // journal records kept behind the replay anchor; 65,536
	Events    int   // events kept until they are read, the oldest dropped first; 65,536
	Gaps      int   // separate runs in each set of numbers already seen; 1,024
}

func (l Limits) withDefaults() (Limits, error) {
	if l.Lead < 0 {
		return l, errors.New("session: Limits.Lead is negative")
	}
	if l.Lead == 0 {
		l.Lead = 1 << 16
	}
	for _, f := range []struct {
		name string
		v    *int
		def  int
	}{
		{"Payload", &l.Payload, 1 << 16},
		{"PerAuthor", &l.PerAuthor, 1 << 12},
		{"Pending", &l.Pending, 1 << 12},
		{"Retain", &l.Retain, 1 << 16},
		{"Events", &l.Events, 1 << 16},
		{"Gaps", &l.Gaps, 1 << 10},
	} {
		if *f.v < 0 {
			return l, fmt.Errorf("session: Limits.%s is negative", f.name)
		}
		if *f.v == 0 {
			*f.v = f.def
		}
	}
	return l, nil
}

func (c Config) withDefaults() (Config, error) {
	if c.Mode < netcode.Local || c.Mode > netcode.Client {
		return c, fmt.Errorf("session: Config.Mode is %v", c.Mode)
	}
	if c.Registry == nil {
		return c, errors.New("session: Config.Registry is nil")
	}
	if c.Model == nil {
		return c, errors.New("session: Config.Model is nil")
	}
	if before, ok := c.Start.Step.Add(-1); !ok || c.Model.Step() != before {
		return c, fmt.Errorf("session: Config.Model has completed step %d, not the one before Start.Step %d",
			c.Model.Step(), c.Start.Step)
	}
	limits, err := c.Limits.withDefaults()
	if err != nil {
		return c, err
	}
	c.Limits = limits
	if c.Journal == nil {
		c.Journal = journal.NewMemory(journal.Config{})
	}
	if c.Trace == nil {
		c.Trace = new(netcode.Trace)
	}
	return c, nil
}

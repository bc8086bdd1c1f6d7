package session

import (
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// Handlers is what a game does with one command type. Each may be nil: without a validator every command is
// accepted, without a mutator the payload stays, without an executor the command does nothing.
//
// Handlers run on the host's goroutine and must not call back into the host. All but Validate must be
// deterministic.
type Handlers[T any] struct {
	// Validate is asked by the authority about the command as it was submitted: Header has the requested
	// step and the proposer's order. at is the last step that the authority has completed. A non-nil error
	// refuses the command and stays with the authority.
	Validate func(c netcode.Command[T], at netcode.Step) error

	// Mutate lets the authority settle what the author could not know: ids, seeds, clamped values. Header is
	// final and must not be changed. What it takes from prep is kept only if the command is accepted. An
	// error refuses the command.
	Mutate func(c *netcode.Command[T], prep *netcode.Preparation) error

	// Execute applies the command to the simulation, on every peer, again on every replay. Header.Order is
	// zero: a prediction only guesses it, and state that depended on it would differ between peers. What the
	// payload points to must not be kept or changed unless the type is decoded afresh each time (see
	// [registry.Options]).
	Execute func(c netcode.Command[T])
}

// Commands issues commands of one type; see [Handle].
type Commands[T any] struct {
	host     *Host
	typ      registry.Type[T]
	handlers Handlers[T]

	// scratch is the command under admission.
	scratch netcode.Command[T]
	free    []*action[T]
}

// Handle tells a host what to do with commands of type t, which must be in the host's registry, and returns
// the means to issue them. Each type is handled once per host, at set-up: [ErrHandled].
func Handle[T any](h *Host, t registry.Type[T], handlers Handlers[T]) (*Commands[T], error) {
	if known, ok := registry.Of[T](h.cfg.Registry); !ok || known != t {
		return nil, ErrNotRegistered
	}
	if _, ok := h.handlers[t.ID()]; ok {
		return nil, ErrHandled
	}
	c := &Commands[T]{host: h, typ: t, handlers: handlers}
	h.handlers[t.ID()] = c
	return c, nil
}

// Send issues a command for a step. The payload is encoded before Send returns; changing what it points to
// afterwards changes nothing.
//
// On an authority the command is decided at once, and refused with a [*RefusedError]. On a client it is
// proposed, and predicted if its type is; a prediction for a step behind the client's own window is refused
// with a RefusedError too. In these cases the key is valid and its sequence used up. Any other error leaves
// everything as it was.
func (c *Commands[T]) Send(payload T, step netcode.Step) (netcode.Key, error) {
	h := c.host
	if err := h.enter(); err != nil {
		return netcode.Key{}, err
	}
	defer h.leave()
	c.scratch.Payload = payload
	return h.issue(c, step)
}

// Payload returns the final payload of a recorded command of this type.
func (c *Commands[T]) Payload(key netcode.Key) (payload T, ok bool) {
	r, ok := c.host.cfg.Journal.Lookup(key)
	if !ok || r.Header.Type != c.typ.ID() || r.Result != netcode.Accepted {
		return payload, false
	}
	return payload, c.typ.DecodePayload(&payload, r.FinalPayload) == nil
}

// handler is a Commands[T] without its T.
type handler interface {
	typeID() netcode.TypeID
	predicted() bool

	// The command under admission: decode or a Send fills it, the others work on it.
	decode(payload []byte) error
	validate(h netcode.Header, at netcode.Step) error
	mutate(h netcode.Header, prep *netcode.Preparation) (mutated bool, err error)
	encode(dst []byte) ([]byte, error)

	// entry binds a payload, which it copies, to an action.
	entry(h netcode.Header, payload []byte, a *author) (netcode.Entry, error)
}

func (c *Commands[T]) typeID() netcode.TypeID { return c.typ.ID() }
func (c *Commands[T]) predicted() bool        { return c.typ.Predicted() }

func (c *Commands[T]) decode(payload []byte) (err error) {
	defer contain(c.typ.ID(), "decode", &err)
	var fresh T
	c.scratch.Payload = fresh
	return c.typ.DecodePayload(&c.scratch.Payload, payload)
}

func (c *Commands[T]) validate(h netcode.Header, at netcode.Step) (err error) {
	if c.handlers.Validate == nil {
		return nil
	}
	defer contain(c.typ.ID(), "validate", &err)
	c.scratch.Header = h
	return c.handlers.Validate(c.scratch, at)
}

func (c *Commands[T]) mutate(h netcode.Header, prep *netcode.Preparation) (mutated bool, err error) {
	if c.handlers.Mutate == nil {
		return false, nil
	}
	defer contain(c.typ.ID(), "mutate", &err)
	c.scratch.Header = h
	if err := c.handlers.Mutate(&c.scratch, prep); err != nil {
		return true, &HandlerError{Type: c.typ.ID(), Doing: "mutate", Cause: err}
	}
	return true, nil
}

func (c *Commands[T]) encode(dst []byte) (out []byte, err error) {
	defer contain(c.typ.ID(), "encode", &err)
	out, err = c.typ.AppendPayload(dst, &c.scratch.Payload)
	if err != nil {
		return dst, &HandlerError{Type: c.typ.ID(), Doing: "encode", Cause: err}
	}
	return out, nil
}

func (c *Commands[T]) entry(h netcode.Header, payload []byte, owner *author) (netcode.Entry, error) {
	a := c.take()
	a.payload = append(a.payload[:0], payload...)
	a.cmd.Header = h
	a.cmd.Header.Order = 0
	if err := a.decode(); err != nil {
		c.give(a)
		return netcode.Entry{}, err
	}
	a.owner = owner
	owner.open++
	return netcode.Entry{Header: h, Payload: a.payload, Action: a}, nil
}

func (c *Commands[T]) take() *action[T] {
	if n := len(c.free); n > 0 {
		a := c.free[n-1]
		c.free = c.free[:n-1]
		return a
	}
	return &action[T]{commands: c}
}

func (c *Commands[T]) give(a *action[T]) {
	var none T
	a.cmd.Payload = none
	c.free = append(c.free, a)
}

// author counts what one author has in the model.
type author struct{ open int }

// action is a command in the model. It is recycled through its Commands' free list.
type action[T any] struct {
	commands *Commands[T]
	owner    *author
	cmd      netcode.Command[T]
	payload  []byte
}

func (a *action[T]) decode() (err error) {
	defer contain(a.commands.typ.ID(), "decode", &err)
	var fresh T
	a.cmd.Payload = fresh
	return a.commands.typ.DecodePayload(&a.cmd.Payload, a.payload)
}

// Execute implements netcode.Action.
func (a *action[T]) Execute() {
	if a.commands.handlers.Execute == nil {
		return
	}
	if !a.commands.typ.DecodeOnce() {
		if err := a.decode(); err != nil {
			panic(err) // these bytes decoded before: the codec is not a function
		}
	}
	a.commands.handlers.Execute(a.cmd)
}

// Release implements netcode.Action.
func (a *action[T]) Release() {
	a.owner.open--
	a.owner = nil
	a.commands.give(a)
}

package registry

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Dispatcher calls typed functions for commands whose type is known only by its id: it decodes the payload and
// calls the function that [On] has set for the type. R is what the functions return; struct{} will do where
// there is nothing to return.
//
// The zero Dispatcher is ready to use and knows no type. A Dispatcher is not safe for concurrent use. A function
// may dispatch again.
type Dispatcher[R any] struct {
	ids   []netcode.TypeID
	calls []func(netcode.Header, []byte) (R, error) // parallel to ids
	byID  table                                     // positions in both
}

// On makes d call fn for commands of type t. It refuses the zero handle ([ErrUnregistered]), a nil fn
// ([ErrNoFunction]), and a type that has a function already ([ErrHandled]).
func On[T, R any](d *Dispatcher[R], t Type[T], fn func(netcode.Command[T]) R) error {
	if t.entry == nil {
		return ErrUnregistered
	}
	if fn == nil {
		return fmt.Errorf("%w: %s", ErrNoFunction, t.Name())
	}
	if _, ok := d.byID.find(t.ID()); ok {
		return fmt.Errorf("%w: %s", ErrHandled, t.Name())
	}
	scratch := new(T) // decoded into and copied from, so that a command costs no memory
	d.ids = append(d.ids, t.ID())
	d.calls = append(d.calls, func(h netcode.Header, payload []byte) (R, error) {
		// Not decoded over the last payload: a codec that writes into what it finds would change a command that
		// fn has kept.
		var zero T
		*scratch = zero
		if err := t.DecodePayload(scratch, payload); err != nil {
			var none R
			return none, err
		}
		return fn(netcode.Command[T]{Header: h, Payload: *scratch}), nil
	})
	d.byID = newTable(d.ids)
	return nil
}

// Dispatch decodes payload as the type that h names and returns what that type's function returns. It does not
// retain payload. If no function was called, the error matches [ErrUnknownType] or is a [*PayloadError].
func (d *Dispatcher[R]) Dispatch(h netcode.Header, payload []byte) (R, error) {
	i, ok := d.byID.find(h.Type)
	if !ok {
		var none R
		return none, fmt.Errorf("%w %v", ErrUnknownType, h.Type)
	}
	return d.calls[i](h, payload)
}

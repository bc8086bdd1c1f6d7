package registry

import "github.com/ariadne-netcode/ariadne/netcode"

// Info is what can be said about a registered type without knowing it.
type Info struct {
	ID        netcode.TypeID
	Name      string // for people; see [Options]
	Predicted bool   // clients execute such a command before the authority has answered
}

// Type is the typed handle of a registered type. It is small, comparable and immutable: copy it freely. Two
// handles are equal if they stand for the same registration.
//
// The zero Type stands for none: its id is 0, and encoding or decoding returns [ErrUnregistered].
type Type[T any] struct {
	entry *entry[T]
}

// entry is what a handle points to. It is not changed once it is registered.
type entry[T any] struct {
	info       Info
	codec      Codec[T]
	decodeOnce bool
}

// Info returns the type's id, name and prediction flag.
func (t Type[T]) Info() Info {
	if t.entry == nil {
		return Info{}
	}
	return t.entry.info
}

// ID returns the type's id.
func (t Type[T]) ID() netcode.TypeID { return t.Info().ID }

// Name returns the type's name, which is for people.
func (t Type[T]) Name() string { return t.Info().Name }

// Predicted reports whether clients execute such a command before the authority has answered.
func (t Type[T]) Predicted() bool { return t.Info().Predicted }

// DecodeOnce reports whether a payload that was decoded once may be executed any number of times, because
// executions get copies that share nothing or have promised to change nothing that they share. See
// [Options.Shared].
func (t Type[T]) DecodeOnce() bool { return t.entry != nil && t.entry.decodeOnce }

// AppendPayload appends the encoding of *v to dst and returns the extended slice. It retains neither. If the
// codec fails, the error is a [*PayloadError] and dst is returned with its length as it was.
func (t Type[T]) AppendPayload(dst []byte, v *T) ([]byte, error) {
	if t.entry == nil {
		return dst, ErrUnregistered
	}
	out, err := t.entry.codec.Append(dst, v)
	if err != nil {
		return dst, &PayloadError{Type: t.entry.info, Doing: "encode", Err: err}
	}
	return out, nil
}

// DecodePayload replaces *v by what payload encodes. It does not retain payload. If the codec fails, the error
// is a [*PayloadError] and *v is unspecified.
//
// A codec may write into the memory that *v already points to. Whoever keeps decoded values of a type that
// holds pointers passes a zero value each time.
func (t Type[T]) DecodePayload(v *T, payload []byte) error {
	if t.entry == nil {
		return ErrUnregistered
	}
	if err := t.entry.codec.Decode(v, payload); err != nil {
		return &PayloadError{Type: t.entry.info, Doing: "decode", Err: err}
	}
	return nil
}

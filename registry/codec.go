package registry

import (
	"encoding"
	"fmt"
	"reflect"
)

// Codec turns values of T into payload bytes and back. Generated code provides one, or T has the standard
// interfaces (see [Options]). Both functions must be deterministic and are called for every command, so they
// should not allocate more than the decoded value needs.
type Codec[T any] struct {
	// Append appends the encoding of *v to dst and returns the extended slice. It does not retain dst, does not
	// change what is in it, and does not change *v.
	Append func(dst []byte, v *T) ([]byte, error)

	// Decode replaces *v by what payload encodes. It copies what it keeps of payload, and refuses every payload
	// that Append would not have written, one with trailing bytes among them. After an error *v is unspecified.
	Decode func(v *T, payload []byte) error
}

// complete returns c, or if it is zero the codec made of T's own methods.
func (c Codec[T]) complete() (Codec[T], error) {
	switch {
	case c.Append != nil && c.Decode != nil:
		return c, nil
	case c.Append != nil:
		return c, fmt.Errorf("%w: Codec.Decode is nil", ErrNoCodec)
	case c.Decode != nil:
		return c, fmt.Errorf("%w: Codec.Append is nil", ErrNoCodec)
	}
	if _, ok := any((*T)(nil)).(encoding.BinaryAppender); !ok {
		return c, fmt.Errorf("%w: *%v is no encoding.BinaryAppender", ErrNoCodec, reflect.TypeFor[T]())
	}
	if _, ok := any((*T)(nil)).(encoding.BinaryUnmarshaler); !ok {
		return c, fmt.Errorf("%w: *%v is no encoding.BinaryUnmarshaler", ErrNoCodec, reflect.TypeFor[T]())
	}
	return Codec[T]{Append: appendBinary[T], Decode: unmarshalBinary[T]}, nil
}

// A pointer in an interface takes no memory, so neither of these allocates.

func appendBinary[T any](dst []byte, v *T) ([]byte, error) {
	return any(v).(encoding.BinaryAppender).AppendBinary(dst)
}

func unmarshalBinary[T any](v *T, payload []byte) error {
	return any(v).(encoding.BinaryUnmarshaler).UnmarshalBinary(payload)
}

// holdsPointers reports whether a copy of a value of t may share memory with the original. Strings do, but
// nobody can change what they share.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Uintptr,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return t.Len() > 0 && holdsPointers(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if holdsPointers(f.Type) {
				return true
			}
		}
		return false
	}
	return true
}

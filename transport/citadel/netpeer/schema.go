package netpeer

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// Schema is the fields of a class of objects, in the order of their numbers, and the identity that both ends know
// them by. It does not change; goroutines may share it.
type Schema struct {
	identity schema.Identity
	hash     [2]uint64 // of the identity
	fields   []Field
}

// NewSchema returns the schema of some fields, which it does not retain. It returns [ErrInvalidSchema] if a field
// cannot be or there are more than [MaxFields]. Whether the identity is that of the fields is for the caller to
// know.
func NewSchema(id schema.Identity, fields ...Field) (*Schema, error) {
	if len(fields) > MaxFields {
		return nil, fmt.Errorf("%w: %d fields", ErrInvalidSchema, len(fields))
	}
	for i := range fields {
		switch f := &fields[i]; {
		case f.err != nil:
			return nil, fmt.Errorf("field %d: %w", i, f.err)
		case f.kind == KindNone:
			return nil, fmt.Errorf("%w: field %d has no kind", ErrInvalidSchema, i)
		}
	}
	return &Schema{
		identity: id,
		hash:     [2]uint64{binary.BigEndian.Uint64(id.Hash[:8]), binary.BigEndian.Uint64(id.Hash[8:])},
		fields:   append([]Field(nil), fields...),
	}, nil
}

// Identity returns the identity that full bunches carry.
func (s *Schema) Identity() schema.Identity { return s.identity }

// Len returns the number of fields.
func (s *Schema) Len() int { return len(s.fields) }

// Field returns what describes field i. It panics if there is no such field.
func (s *Schema) Field(i int) *Field { return &s.fields[i] }

// field returns what describes field i, or nil.
func (s *Schema) field(i int) *Field {
	if uint(i) >= uint(len(s.fields)) {
		return nil
	}
	return &s.fields[i]
}

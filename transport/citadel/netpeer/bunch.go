package netpeer

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// Change is a field and the value that it has now.
type Change struct {
	Field int
	Value Value
}

// Bunch is the changes of one object, in ascending order of the fields: the body of a [wire.KindRepDelta] envelope.
//
// Parsing reuses the memory of a bunch. The byte strings and collections of its values are part of that memory and
// therefore valid until the next parse; see [Value.Clone]. The memory is what the largest bunches needed, and goes
// with the bunch.
type Bunch struct {
	Header
	Changes []Change

	bytes  []byte
	deltas []*CollectionDelta
}

// Reset makes b the zero value, except that it keeps its memory.
func (b *Bunch) Reset() {
	b.Header, b.Changes, b.bytes = Header{}, b.Changes[:0], b.bytes[:0]
}

// AppendBunch appends the encoding of b. If that is impossible it returns dst and one of [ErrZeroToken],
// [ErrField], [ErrFieldOrder], [ErrKind], [ErrInvalidSchema] for an element of the wrong kind, [ErrBytesTooLong],
// [ErrTooManyItems], [ErrDuplicateID], and [quant.ErrInvalidCode] for the value of another field.
func (s *Schema) AppendBunch(dst []byte, b *Bunch) ([]byte, error) {
	var w bitpack.Writer
	w.Reset(dst)
	if err := writeHeader(&w, s, &b.Header); err != nil {
		return dst, err
	}
	var mask maskWriter
	last := -1
	for i := range b.Changes {
		field := b.Changes[i].Field
		if err := follows(s.fields, last, field); err != nil {
			return dst, err
		}
		mask.set(&w, field)
		last = field
	}
	mask.finish(&w, len(s.fields))
	for i := range b.Changes {
		c := &b.Changes[i]
		if err := writeValue(&w, &s.fields[c.Field], &c.Value); err != nil {
			return dst, inField(c.Field, err)
		}
	}
	return w.Bytes(), nil
}

// follows returns an error unless a field exists and is behind the last one.
func follows(fields []Field, last, field int) error {
	switch {
	case uint(field) >= uint(len(fields)):
		return inField(field, ErrField)
	case field <= last:
		return inField(field, ErrFieldOrder)
	}
	return nil
}

func inField(i int, err error) error { return fmt.Errorf("field %d: %w", i, err) }

// ParseBunch reads a whole body, which it does not retain, into a bunch. A full bunch must be of the schema; for
// another the caller must know the schema of the object's earlier bunches. A nil budget is a fresh one.
//
// It returns [ErrZeroToken], [ErrSchemaMismatch], [ErrBytesTooLong], [ErrTooManyItems], [ErrBudget],
// [ErrDuplicateID], [quant.ErrInvalidCode] or an error of [bitpack.Reader], and then resets the bunch.
func ParseBunch(b []byte, s *Schema, budget *Budget, into *Bunch) error {
	into.Reset()
	var r bitpack.Reader
	r.Reset(b)
	if budget == nil {
		budget = new(Budget)
	}
	err := into.Header.read(&r)
	if err == nil {
		err = into.Header.gate(s)
	}
	if err == nil {
		err = readChanges(&r, s, budget, into)
	}
	if err != nil {
		into.Reset()
	}
	return err
}

// readChanges reads everything behind the header.
func readChanges(r *bitpack.Reader, s *Schema, budget *Budget, into *Bunch) error {
	var mask maskReader
	if err := mask.reset(r, len(s.fields)); err != nil {
		return err
	}
	deltas := 0
	for mask.word != 0 || mask.load() {
		i := mask.take()
		into.Changes = append(into.Changes, Change{Field: i})
		f, v := &s.fields[i], &into.Changes[len(into.Changes)-1].Value
		if f.kind != KindCollection {
			if err := readPlain(r, f, budget, v, &into.bytes); err != nil {
				return err
			}
			continue
		}
		if deltas == len(into.deltas) {
			into.deltas = append(into.deltas, new(CollectionDelta))
		}
		v.kind, v.delta = KindCollection, into.deltas[deltas]
		deltas++
		if err := readCollection(r, f, budget, v.delta); err != nil {
			return err
		}
	}
	return r.Finish()
}

// PeekFields reads the header and the mask of a bunch and nothing behind them, and appends the numbers of the fields
// to dst, which takes no more than the schema has. Its errors are those of [ParseBunch] that concern this part; then
// it returns dst as it was and the zero header.
func PeekFields(dst []int, b []byte, s *Schema) (Header, []int, error) {
	var r bitpack.Reader
	r.Reset(b)
	var h Header
	err := h.read(&r)
	if err == nil {
		err = h.gate(s)
	}
	var mask maskReader
	if err == nil {
		err = mask.reset(&r, len(s.fields))
	}
	if err != nil {
		return Header{}, dst, err
	}
	for mask.word != 0 || mask.load() {
		dst = append(dst, mask.take())
	}
	return h, dst, nil
}

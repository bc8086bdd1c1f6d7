package netpeer

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// Decoder reads one bunch field by field, for code that knows the fields of a class and needs no [Value] of them:
//
//	err := d.Begin(body)
//	... // by d.Header: is it for us, and of which schema?
//	err = d.Open(s)
//	for field, ok := d.Next(); ok; field, ok = d.Next() {
//		switch field {
//		case 1:
//			health = d.Int()
//		case 3:
//			position = d.Vector()
//		}
//	}
//	err = d.End()
//
// Values that are not read are checked and skipped. The first error sticks: Next reports the end, readers return
// zero values, and End returns it. What was read before an error must not be used: assign to a copy, and keep that
// if End returns nil. Between bunches a Decoder may be reused, which saves memory; the zero value is ready.
type Decoder struct {
	// Budget is charged for what is decoded, from one bunch to the next: for a new body, set it. The zero value is
	// the whole allowance.
	Budget Budget

	// Header is that of the bunch, or zero if it could not be read. Begin sets it.
	Header Header

	r      bitpack.Reader
	schema *Schema
	fields []Field // of the schema
	mask   maskReader
	value  *Field // the field whose value comes next, nil if there is none
	err    error

	skipped CollectionDelta
	bytes   []byte
}

// Begin starts with a body and reads its header; nothing else is looked at yet. The Decoder borrows b until End.
func (d *Decoder) Begin(b []byte) error {
	d.r.Reset(b)
	d.schema, d.value = nil, nil
	d.mask.clear()
	d.err = d.Header.read(&d.r)
	return d.err
}

// Open says by which schema the values are to be read. It must be that of a full bunch, else [ErrSchemaMismatch];
// for another it is the one of the object's earlier bunches. The error is also returned by End.
func (d *Decoder) Open(s *Schema) error {
	if d.err == nil {
		d.err = d.Header.gate(s)
	}
	if d.err == nil {
		d.schema, d.fields = s, s.fields
		d.err = d.mask.reset(&d.r, len(s.fields))
	}
	return d.err
}

// Next moves on to the next field of the bunch and returns its number, or false after the last and after an error.
func (d *Decoder) Next() (field int, ok bool) {
	if d.value != nil {
		d.skip()
	}
	if d.mask.word == 0 && (d.mask.rest == 0 || !d.mask.load()) {
		return 0, false
	}
	field = d.mask.take()
	d.value = &d.fields[field]
	return field, true
}

// End reads what is left, values that are skipped and the padding, and returns the first error there was. Without
// [Decoder.Open] that is [ErrSchemaMismatch].
func (d *Decoder) End() error {
	for d.value != nil || d.mask.word != 0 || d.mask.rest > 0 {
		d.Next()
	}
	switch {
	case d.err != nil:
	case d.schema == nil:
		d.err = ErrSchemaMismatch
	default:
		d.err = d.r.Finish()
	}
	return d.err
}

// fail remembers an error, if it is the first, and lets no field come any more.
func (d *Decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.value = nil
	d.mask.clear()
}

// has reports whether the value that comes next is of a kind.
func (d *Decoder) has(kind Kind) bool { return d.value != nil && d.value.kind == kind }

// take returns what describes the value that comes next, which the caller reads.
func (d *Decoder) take() *Field {
	f := d.value
	d.value = nil
	return f
}

// misread remembers that a value was read which is of another kind, or which there is not.
func (d *Decoder) misread() {
	if d.value == nil {
		d.fail(ErrField) // or there was an error before
	} else {
		d.fail(ErrKind)
	}
}

// misfit remembers why a code was not accepted.
func (d *Decoder) misfit(err error) {
	if err == nil {
		err = quant.ErrInvalidCode
	}
	d.fail(err)
}

// skip reads the value that comes next and forgets it.
func (d *Decoder) skip() {
	f := d.take()
	var err error
	if f.kind == KindCollection {
		err = readCollection(&d.r, f, &d.Budget, &d.skipped)
	} else {
		var v Value
		d.bytes = d.bytes[:0]
		err = readPlain(&d.r, f, &d.Budget, &v, &d.bytes)
	}
	if err != nil {
		d.fail(err)
	}
}

// Bool reads a value of that kind.
func (d *Decoder) Bool() bool {
	if !d.has(KindBool) {
		d.misread()
		return false
	}
	d.take()
	code, err := d.r.ReadBits(1)
	if err != nil {
		d.fail(err)
		return false
	}
	return code != 0
}

// Int reads an integer, which is in the field's range.
func (d *Decoder) Int() int64 {
	if !d.has(KindInt) {
		d.misread()
		return 0
	}
	f := d.take()
	code, err := d.r.ReadBits(uint(f.whole))
	if err != nil || code > f.top[0] {
		d.misfit(err)
		return 0
	}
	return int64(uint64(f.least) + code)
}

// Scalar reads a number.
func (d *Decoder) Scalar() float32 {
	if !d.has(KindScalar) {
		d.misread()
		return 0
	}
	f := d.take()
	code, err := d.r.ReadBits(uint(f.whole))
	if err != nil || code > f.top[0] {
		d.misfit(err)
		return 0
	}
	v, _ := f.axes[0].Decode(code) // the code is valid
	return v
}

// Vector reads a point.
func (d *Decoder) Vector() [3]float32 {
	if !d.has(KindVector) {
		d.misread()
		return [3]float32{}
	}
	f := d.take()
	var codes [3]uint64
	if err := readVector(&d.r, f, &codes); err != nil {
		d.fail(err)
		return [3]float32{}
	}
	// The codes are valid. One by one is faster than what quant.Vector does.
	x, _ := f.axes[0].Decode(codes[0])
	y, _ := f.axes[1].Decode(codes[1])
	z, _ := f.axes[2].Decode(codes[2])
	return [3]float32{x, y, z}
}

// Quat reads a rotation x, y, z, w of length one.
func (d *Decoder) Quat() [4]float32 {
	if !d.has(KindQuat) {
		d.misread()
		return [4]float32{}
	}
	f := d.take()
	code, err := d.r.ReadBits(uint(f.whole)) // any code is valid
	if err != nil {
		d.fail(err)
		return [4]float32{}
	}
	return f.mode().Decode(code)
}

// AppendBytes reads a byte string and appends it to dst, which it returns unchanged if there is an error.
func (d *Decoder) AppendBytes(dst []byte) []byte {
	if !d.has(KindBytes) {
		d.misread()
		return dst
	}
	dst, err := readBytes(&d.r, d.take(), &d.Budget, dst)
	if err != nil {
		d.fail(err)
	}
	return dst
}

// Collection reads the changes of a collection into delta, whose memory it reuses. If there is an error it empties
// it.
func (d *Decoder) Collection(into *CollectionDelta) {
	if !d.has(KindCollection) {
		d.misread()
		into.Reset()
		return
	}
	if err := readCollection(&d.r, d.take(), &d.Budget, into); err != nil {
		d.fail(err)
		into.Reset()
	}
}

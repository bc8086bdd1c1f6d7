package netpeer

import "github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"

// The parts of a bunch, for code that was generated for one class and writes the mask and the values in between with
// package bitpack itself. Whoever uses them sees to it that the mask is that of the values, that these come in the
// order of the fields and that nothing is left over: [Encoder] and [Decoder] do.

// Write writes the header of a bunch of s. It returns [ErrZeroToken], and then has written nothing.
func (h *Header) Write(w *bitpack.Writer, s *Schema) error { return writeHeader(w, s, h) }

// Read reads the header at the start of a body. Its errors are those of [PeekHeader], and leave the header zero.
// Whether a full bunch is of the schema at hand is for the caller to see.
func (h *Header) Read(r *bitpack.Reader) error { return h.read(r) }

// WriteBytes writes a byte string of a field of that kind. It returns [ErrKind] or [ErrBytesTooLong], and then has
// written nothing.
func (f *Field) WriteBytes(w *bitpack.Writer, p []byte) error {
	if err := f.is(KindBytes); err != nil {
		return err
	}
	return writeBytes(w, f, p)
}

// ReadBytes reads a byte string of a field of that kind and appends it to dst. Its errors are [ErrKind] and those of
// [ParseBunch] that concern byte strings.
func (f *Field) ReadBytes(r *bitpack.Reader, b *Budget, dst []byte) ([]byte, error) {
	if err := f.is(KindBytes); err != nil {
		return dst, err
	}
	return readBytes(r, f, b, dst)
}

// WriteCollection writes the changes of a collection; nil is no changes. Its errors are [ErrKind] and those of
// [Schema.AppendBunch] that concern collections, after which what was written is of no use.
func (f *Field) WriteCollection(w *bitpack.Writer, d *CollectionDelta) error {
	if err := f.is(KindCollection); err != nil {
		return err
	}
	return writeCollection(w, f, d)
}

// ReadCollection reads the changes of a collection into d, whose memory it reuses. Its errors are [ErrKind] and
// those of [ParseBunch] that concern collections, after which d is empty.
func (f *Field) ReadCollection(r *bitpack.Reader, b *Budget, d *CollectionDelta) error {
	if err := f.is(KindCollection); err != nil {
		return err
	}
	err := readCollection(r, f, b, d)
	if err != nil {
		d.Reset()
	}
	return err
}

package netpeer

import "github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"

// What acknowledgements and tables of schemas have in common: a length and as many entries, and nothing else.

// writeLength writes the length of a table, or returns [ErrTooManyItems].
func writeLength(w *bitpack.Writer, n int) error {
	if n > MaxEntries {
		return ErrTooManyItems
	}
	w.WriteVarint(uint64(n))
	return nil
}

// readLength reads the length of a table, and returns as room how many entries of so many bits there can be, if
// that is less.
func readLength(r *bitpack.Reader, entryBits uint64) (n uint64, room int, err error) {
	n, err = r.ReadVarint()
	switch {
	case err != nil:
		return 0, 0, err
	case n > MaxEntries:
		return 0, 0, ErrTooManyItems
	}
	return n, roomFor(n, entryBits, r), nil
}

// conclude ends the parsing of a table: it hands out the entries that were read, or, if that failed or the body goes
// on behind them, none and the error.
func conclude[E any](r *bitpack.Reader, list []E, err error, into *[]E) error {
	if err == nil {
		err = r.Finish()
	}
	if err != nil {
		list = list[:0]
	}
	*into = list
	return err
}

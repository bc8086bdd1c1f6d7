package vectors

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// Hex is a byte string, written as lower-case hex. Decoding the empty string gives an empty slice that is not
// nil, so that in a field that may be absent nil means absent.
type Hex []byte

// UnmarshalJSON implements [json.Unmarshaler]. It refuses upper-case digits, an odd length and null.
func (h *Hex) UnmarshalJSON(b []byte) error {
	s, err := unquote(b)
	if err != nil {
		return err
	}
	out := make([]byte, hex.DecodedLen(len(s)))
	if _, err := hex.Decode(out, s); err != nil {
		return fmt.Errorf("vectors: %q: %w", s, err)
	}
	if hex.EncodeToString(out) != string(s) {
		return fmt.Errorf("vectors: %q is not lower-case hex", s)
	}
	*h = out
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (h Hex) MarshalJSON() ([]byte, error) { return json.Marshal(hex.EncodeToString(h)) }

// U64 is an unsigned 64-bit integer, written as a decimal string because JSON numbers lose precision.
type U64 uint64

// UnmarshalJSON implements [json.Unmarshaler]. Only the canonical spelling is accepted: no sign, no leading
// zeros, not a number, not null.
func (u *U64) UnmarshalJSON(b []byte) error {
	s, err := unquote(b)
	if err != nil {
		return err
	}
	v, err := strconv.ParseUint(string(s), 10, 64)
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	if strconv.FormatUint(v, 10) != string(s) {
		return fmt.Errorf("vectors: %q is not a canonical decimal", s)
	}
	*u = U64(v)
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (u U64) MarshalJSON() ([]byte, error) { return json.Marshal(strconv.FormatUint(uint64(u), 10)) }

// I64 is a signed 64-bit integer, written as a decimal string.
type I64 int64

// UnmarshalJSON implements [json.Unmarshaler]. Only the canonical spelling is accepted: no plus sign, no
// leading zeros, no negative zero, not a number, not null.
func (i *I64) UnmarshalJSON(b []byte) error {
	s, err := unquote(b)
	if err != nil {
		return err
	}
	v, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil {
		return fmt.Errorf("vectors: %w", err)
	}
	if strconv.FormatInt(v, 10) != string(s) {
		return fmt.Errorf("vectors: %q is not a canonical decimal", s)
	}
	*i = I64(v)
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (i I64) MarshalJSON() ([]byte, error) { return json.Marshal(strconv.FormatInt(int64(i), 10)) }

// unquote strips the quotes of a JSON string. Escapes stay as they are: no digit needs one, so the number
// parsers refuse them.
func unquote(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return nil, fmt.Errorf("vectors: %s is not a string", b)
	}
	return b[1 : len(b)-1], nil
}

package vectors

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
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

// F32 is the bits of a float32, written as 8 lower-case hex digits. As bits, NaNs and zeros compare as what they are.
type F32 uint32

// Bits32 returns the bits of a float32.
func Bits32(f float32) F32 { return F32(math.Float32bits(f)) }

// Float returns the number.
func (f F32) Float() float32 { return math.Float32frombits(uint32(f)) }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts 8 lower-case hex digits in quotes and nothing else.
func (f *F32) UnmarshalJSON(b []byte) error {
	var bits [4]byte
	if err := fill(bits[:], b); err != nil {
		return err
	}
	*f = F32(binary.BigEndian.Uint32(bits[:]))
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (f F32) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "\"%08x\"", uint32(f)), nil }

// F64 is the bits of a float64, written as 16 lower-case hex digits.
type F64 uint64

// Bits64 returns the bits of a float64.
func Bits64(f float64) F64 { return F64(math.Float64bits(f)) }

// Float returns the number.
func (f F64) Float() float64 { return math.Float64frombits(uint64(f)) }

// UnmarshalJSON implements [json.Unmarshaler]. It accepts 16 lower-case hex digits in quotes and nothing else.
func (f *F64) UnmarshalJSON(b []byte) error {
	var bits [8]byte
	if err := fill(bits[:], b); err != nil {
		return err
	}
	*f = F64(binary.BigEndian.Uint64(bits[:]))
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (f F64) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "\"%016x\"", uint64(f)), nil }

// Vec3 is the bits of a vector.
type Vec3 [3]F32

// Bits3 returns the bits of a vector.
func Bits3(v [3]float32) Vec3 { return Vec3{Bits32(v[0]), Bits32(v[1]), Bits32(v[2])} }

// Floats returns the numbers.
func (v Vec3) Floats() [3]float32 { return [3]float32{v[0].Float(), v[1].Float(), v[2].Float()} }

// Quat is the bits of a quaternion.
type Quat [4]F32

// Bits4 returns the bits of a quaternion.
func Bits4(q [4]float32) Quat { return Quat{Bits32(q[0]), Bits32(q[1]), Bits32(q[2]), Bits32(q[3])} }

// Floats returns the numbers.
func (q Quat) Floats() [4]float32 {
	return [4]float32{q[0].Float(), q[1].Float(), q[2].Float(), q[3].Float()}
}

// fill decodes as many bytes as dst has, and refuses more or fewer.
func fill(dst, text []byte) error {
	var h Hex
	if err := h.UnmarshalJSON(text); err != nil {
		return err
	}
	if copy(dst, h) != len(dst) || len(h) != len(dst) {
		return fmt.Errorf("vectors: %s has not %d digits", text, 2*len(dst))
	}
	return nil
}

// unquote strips the quotes of a JSON string. Escapes stay as they are: no digit needs one, so the number
// parsers refuse them.
func unquote(b []byte) ([]byte, error) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return nil, fmt.Errorf("vectors: %s is not a string", b)
	}
	return b[1 : len(b)-1], nil
}

package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of a body that is JSON text.
const (
	MaxJSON      = 1 << 20 // bytes
	MaxJSONDepth = 64      // of objects and arrays in each other
)

// What the decoders of JSON bodies refuse.
var (
	// ErrJSON is returned for text that is not JSON, or not unambiguous: not UTF-8 (half a surrogate pair
	// included), with anything but space behind the value, with the same name twice in one object, or beyond
	// [MaxJSON] or [MaxJSONDepth].
	ErrJSON = errors.New("wire: malformed JSON")

	// ErrMember is returned for JSON that is not what its kind of body should be: a member is missing, not
	// allowed, or has a value of the wrong type.
	ErrMember = errors.New("wire: JSON member missing, not allowed, or of the wrong type")
)

// member is one name and value of an object. Both borrow from the text, unless the name had to be unescaped.
type member struct {
	name  []byte
	value []byte
}

// parseObject checks text that must be one JSON object, and returns the object's members in their order.
func parseObject(b []byte) ([]member, error) {
	value, s, err := checkJSON(b)
	if err != nil {
		return nil, err
	}
	if value[0] != '{' {
		return nil, fmt.Errorf("%w: not an object", ErrMember)
	}
	return s.top, nil
}

// checkJSON checks text that must be one JSON value, and returns it without the space around it. The grammar is
// the standard library's; what that would let pass is refused by the jsonScanner.
func checkJSON(b []byte) (value []byte, s jsonScanner, err error) {
	if len(b) > MaxJSON {
		return nil, s, fmt.Errorf("%w: %d bytes, at most %d", ErrJSON, len(b), MaxJSON)
	}
	if !utf8.Valid(b) {
		return nil, s, fmt.Errorf("%w: not UTF-8", ErrJSON)
	}
	if !json.Valid(b) {
		return nil, s, fmt.Errorf("%w: syntax", ErrJSON)
	}
	value = bytes.Trim(b, " \t\r\n")
	s.rest = value
	if err := s.value(1); err != nil {
		return nil, jsonScanner{}, err
	}
	return value, s, nil
}

// jsonScanner walks through text that is known to follow JSON's grammar.
type jsonScanner struct {
	rest  []byte
	names [][]byte // of the objects that are being read, innermost last
	top   []member // of the outermost object
}

// value steps over the next value, which lies at a depth counted from 1.
func (s *jsonScanner) value(depth int) error {
	switch c := s.peek(); c {
	case '{', '[':
		if depth > MaxJSONDepth {
			return fmt.Errorf("%w: more than %d values in each other", ErrJSON, MaxJSONDepth)
		}
		if c == '{' {
			return s.object(depth)
		}
		return s.array(depth)
	case '"':
		_, err := s.text()
		return err
	}
	// A number or a word ends where something else begins, or the text.
	n := bytes.IndexAny(s.rest, ",]} \t\r\n")
	if n < 0 {
		n = len(s.rest)
	}
	s.rest = s.rest[n:]
	return nil
}

func (s *jsonScanner) object(depth int) error {
	base := len(s.names)
	s.rest = s.rest[1:]
	for s.peek() != '}' {
		if s.rest[0] == ',' {
			s.rest = s.rest[1:]
			s.peek()
		}
		raw, err := s.text()
		if err != nil {
			return err
		}
		name := unquote(raw)
		s.names = append(s.names, name)
		s.peek()
		s.rest = s.rest[1:] // the colon
		s.peek()
		begin := s.rest
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if depth == 1 {
			n := len(begin) - len(s.rest)
			s.top = append(s.top, member{name, begin[:n:n]})
		}
	}
	s.rest = s.rest[1:]

	names := s.names[base:]
	slices.SortFunc(names, bytes.Compare)
	for i := 1; i < len(names); i++ {
		if bytes.Equal(names[i-1], names[i]) {
			return fmt.Errorf("%w: member %.40q twice", ErrJSON, names[i])
		}
	}
	s.names = s.names[:base]
	return nil
}

func (s *jsonScanner) array(depth int) error {
	s.rest = s.rest[1:]
	for s.peek() != ']' {
		if s.rest[0] == ',' {
			s.rest = s.rest[1:]
		}
		if err := s.value(depth + 1); err != nil {
			return err
		}
	}
	s.rest = s.rest[1:]
	return nil
}

// peek steps over space and returns the byte behind it.
func (s *jsonScanner) peek() byte {
	for s.rest[0] <= ' ' {
		s.rest = s.rest[1:]
	}
	return s.rest[0]
}

// text steps over a string and returns it with its quotes. A surrogate without its other half is an error: the
// standard library would quietly make another character of it.
func (s *jsonScanner) text() (raw []byte, err error) {
	b := s.rest
	for i := 1; ; {
		switch {
		case b[i] == '"':
			s.rest = b[i+1:]
			return b[: i+1 : i+1], nil
		case b[i] != '\\':
			i++
		case b[i+1] != 'u':
			i += 2
		default:
			r, n := hexRune(b[i:]), len(`\u0000`)
			if utf16.IsSurrogate(r) {
				pair := len(b) > i+2*n && b[i+n] == '\\' && b[i+n+1] == 'u'
				if !pair || utf16.DecodeRune(r, hexRune(b[i+n:])) == utf8.RuneError {
					return nil, fmt.Errorf("%w: half a surrogate pair", ErrJSON)
				}
				n *= 2
			}
			i += n
		}
	}
}

// hexRune returns what an escape of the form \u0000 stands for.
func hexRune(b []byte) (r rune) {
	for _, c := range b[2:6] {
		if c <= '9' {
			c -= '0'
		} else {
			c = (c | 0x20) - 'a' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unquote returns what a checked string with its quotes stands for: a view of it unless something is escaped.
func unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		panic("wire: a checked string does not decode: " + err.Error())
	}
	return []byte(s)
}

// text returns the value of a member that must be a string.
func (m member) text() (string, error) {
	if m.value[0] != '"' {
		return "", fmt.Errorf("%w: %q is not a string", ErrMember, m.name)
	}
	return string(unquote(m.value)), nil
}

// unsigned returns the value of a member that must be an unsigned integer of so many bits, written as one: without
// a sign, a fraction or an exponent.
func (m member) unsigned(bits int) (uint64, error) {
	u, err := strconv.ParseUint(string(m.value), 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is not an unsigned integer of %d bits", ErrMember, m.name, bits)
	}
	return u, nil
}

// boolean returns the value of a member that must be true or false.
func (m member) boolean() (bool, error) {
	switch string(m.value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%w: %q is neither true nor false", ErrMember, m.name)
}

// appendText appends s as a JSON string. Only what must be escaped is. That s is UTF-8 is not checked.
func appendText[S string | []byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// checked returns what an encoder has appended to dst if a decoder has accepted it, and otherwise dst as it was.
func checked(dst, encoded []byte, err error) ([]byte, error) {
	if err != nil {
		return dst, err
	}
	return encoded, nil
}

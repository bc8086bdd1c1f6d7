package wire

import (
	"fmt"
	"strconv"
)

// ID is an identifier in a JSON body of which the protocol's documents do not say whether it is text or a
// number. IDs can be compared, so that a map can tell what has been delivered before, and a number is kept exact.
// The zero value is no identifier.
type ID struct {
	text   string
	number uint64
	kind   idKind
}

type idKind uint8

const (
	noID idKind = iota
	textID
	numberID
)

// TextID returns the identifier that is a string.
func TextID(s string) ID { return ID{text: s, kind: textID} }

// NumberID returns the identifier that is a number.
func NumberID(n uint64) ID { return ID{number: n, kind: numberID} }

// ParseID reads an identifier from the JSON of a member. Anything but a string or an unsigned integer of 64 bits
// is [ErrMember]; what is not JSON is [ErrJSON].
func ParseID(b []byte) (ID, error) {
	value, _, err := checkJSON(b)
	if err != nil {
		return ID{}, err
	}
	return member{[]byte("id"), value}.id()
}

// id returns the value of a member that must be an identifier.
func (m member) id() (ID, error) {
	if m.value[0] == '"' {
		return TextID(string(unquote(m.value))), nil
	}
	n, err := m.unsigned(64)
	if err != nil {
		return ID{}, fmt.Errorf("%w: %q is neither a string nor an unsigned integer of 64 bits", ErrMember, m.name)
	}
	return NumberID(n), nil
}

// Text returns the string that the identifier is, and false if it is none.
func (id ID) Text() (string, bool) { return id.text, id.kind == textID }

// Number returns the number that the identifier is, and false if it is none.
func (id ID) Number() (uint64, bool) { return id.number, id.kind == numberID }

// String returns the identifier as JSON, and null if there is none.
func (id ID) String() string { return string(appendID(nil, id)) }

func appendID(dst []byte, id ID) []byte {
	switch id.kind {
	case textID:
		return appendText(dst, id.text)
	case numberID:
		return strconv.AppendUint(dst, id.number, 10)
	}
	return append(dst, "null"...)
}

package wire

import (
	"encoding/binary"
	"unicode/utf8"
)

// MaxString is the most bytes that a string with a length in front can have. What is longer is cut by encoders.
const MaxString = 1<<16 - 1

// appendBytes appends a length in two bytes, and s. A longer s is cut at byte [MaxString], in the middle of a
// character if need be: that is what the protocol does for all strings but method names.
func appendBytes(dst, s []byte) []byte {
	s = s[:min(len(s), MaxString)]
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(s)))
	return append(dst, s...)
}

// splitBytes takes a length and so many bytes from the start of b, and returns the given error if they are not
// there.
func splitBytes(b []byte, tooShort error) (s, rest []byte, err error) {
	if len(b) < 2 {
		return nil, nil, tooShort
	}
	n, b := int(binary.BigEndian.Uint16(b)), b[2:]
	if n > len(b) {
		return nil, nil, tooShort
	}
	return b[:n:n], b[n:], nil
}

// splitText is splitBytes for text.
func splitText(b []byte, tooShort, noText error) (s, rest []byte, err error) {
	s, rest, err = splitBytes(b, tooShort)
	if err != nil {
		return nil, nil, err
	}
	if !utf8.Valid(s) {
		return nil, nil, noText
	}
	return s, rest, nil
}

// cutText returns as much of s as fits [MaxString] without splitting a character.
func cutText(s []byte) []byte {
	if len(s) <= MaxString {
		return s
	}
	n := MaxString
	for n > MaxString-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

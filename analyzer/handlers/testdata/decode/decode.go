// Package decode has decoders that keep what they decode.
package decode

import (
	"bytes"
	"errors"

	"github.com/ariadne-netcode/ariadne/registry"
)

type Say struct {
	To   uint8
	Text []byte
}

func (s *Say) UnmarshalBinary(data []byte) error {
	if len(data) == 0 {
		return errors.New("short")
	}
	s.To = data[0]
	s.Text = data[1:] // want `UnmarshalBinary keeps its argument in s.Text, and it is part of a buffer that is used again: copy it`
	return nil
}

type Lines [][]byte

func (l *Lines) UnmarshalBinary(data []byte) error {
	*l = bytes.Split(data, []byte{'\n'}) // want `UnmarshalBinary keeps its argument in l`
	return nil
}

type Words []([]byte)

func (w *Words) UnmarshalBinary(data []byte) error {
	for len(data) > 0 {
		word, rest, _ := bytes.Cut(data, []byte{' '})
		*w = append(*w, word) // want `UnmarshalBinary keeps its argument in w`
		data = rest
	}
	return nil
}

type Read struct{ text []byte }

type reader struct{ rest []byte }

func (r *reader) take(n int) []byte {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) text(to *Read) { to.text = r.take(3) }

func (v *Read) UnmarshalBinary(data []byte) error {
	r := reader{data}
	r.text(v)          // want `UnmarshalBinary keeps its argument in to.text by calling text`
	v.text = r.take(2) // want `UnmarshalBinary keeps its argument in v.text`
	return nil
}

var codec = registry.Codec[Say]{
	Append: func(dst []byte, v *Say) ([]byte, error) { return append(dst, v.Text...), nil },
	Decode: func(v *Say, payload []byte) error {
		v.Text = payload // want `the codec keeps the encoded payload in v.Text`
		return nil
	},
}

package registry_test

import (
	"encoding/binary"
	"errors"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

// Move has a codec of its own and holds no pointers.
type Move struct{ X, Y int16 }

func (m *Move) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.X))
	return binary.LittleEndian.AppendUint16(dst, uint16(m.Y)), nil
}

func (m *Move) UnmarshalBinary(b []byte) error {
	if len(b) != 4 {
		return errLength
	}
	m.X = int16(binary.LittleEndian.Uint16(b))
	m.Y = int16(binary.LittleEndian.Uint16(b[2:]))
	return nil
}

// Path has a codec that reuses what it finds in its receiver, as codecs may.
type Path struct{ Cells []byte }

func (p *Path) AppendBinary(dst []byte) ([]byte, error) {
	if len(p.Cells) > 255 {
		return append(dst, "half a path"...), errLength
	}
	return append(append(dst, byte(len(p.Cells))), p.Cells...), nil
}

func (p *Path) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || len(b) != 1+int(b[0]) {
		return errLength
	}
	p.Cells = append(p.Cells[:0], b[1:]...)
	return nil
}

// Say has no methods and gets its codec from outside.
type Say struct{ Text string }

var sayCodec = registry.Codec[Say]{
	Append: func(dst []byte, v *Say) ([]byte, error) { return append(dst, v.Text...), nil },
	Decode: func(v *Say, payload []byte) error { v.Text = string(payload); return nil },
}

// Half can be encoded only.
type Half struct{}

func (*Half) AppendBinary(dst []byte) ([]byte, error) { return dst, nil }

// ByValue has its methods on the value, which its pointer has too.
type ByValue struct{}

func (ByValue) AppendBinary(dst []byte) ([]byte, error) { return dst, nil }
func (ByValue) UnmarshalBinary([]byte) error            { return nil }

// Pair is generic.
type Pair[T any] struct{ First, Second T }

var errLength = errors.New("wrong length")

// nop returns a codec for a type that is only registered.
func nop[T any]() registry.Codec[T] {
	return registry.Codec[T]{
		Append: func(dst []byte, _ *T) ([]byte, error) { return dst, nil },
		Decode: func(*T, []byte) error { return nil },
	}
}

// A registration registers one type.
type registration func(r *registry.Registry, id netcode.TypeID, predicted bool) error

func registers[T any](r *registry.Registry, id netcode.TypeID, predicted bool) error {
	_, err := registry.Register(r, id, registry.Options[T]{Predicted: predicted, Codec: nop[T]()})
	return err
}

// tag makes many types of one. Its argument is an array type, for its length.
type tag[N any] struct{}

var tags = []registration{
	registers[tag[[0]byte]], registers[tag[[1]byte]], registers[tag[[2]byte]], registers[tag[[3]byte]],
	registers[tag[[4]byte]], registers[tag[[5]byte]], registers[tag[[6]byte]], registers[tag[[7]byte]],
	registers[tag[[8]byte]], registers[tag[[9]byte]], registers[tag[[10]byte]], registers[tag[[11]byte]],
}

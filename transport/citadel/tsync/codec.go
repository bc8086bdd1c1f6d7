package tsync

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// What Quantize refuses, made once: a server may meet it in every step.
var (
	errPosition = fmt.Errorf("tsync: position: %w", quant.ErrNotANumber)
	errVelocity = fmt.Errorf("tsync: velocity: %w", quant.ErrNotANumber)
)

// Codec turns states into codes and snapshots into bytes, by the parameters of one [Hello]. It is immutable, and safe
// for concurrent use.
type Codec struct {
	hello    Hello
	position axes
	velocity axes
	quatBits uint
	quatMax  uint64
	bits     [allFields + 1]uint // of an update, by its fields
}

// NewCodec returns the codec of a hello. Its error is [quant.ErrInvalidSpec] if the bounds cannot be divided as the
// hello says, or if there is no such quaternion mode. An axis may have up to 64 bits.
func NewCodec(h Hello) (*Codec, error) {
	position, err := quant.NewVector(h.Position.Min, h.Position.Max, h.Position.PerUnit)
	if err != nil {
		return nil, fmt.Errorf("tsync: position: %w", err)
	}
	velocity, err := quant.NewVector(h.Velocity.Min, h.Velocity.Max, h.Velocity.PerUnit)
	if err != nil {
		return nil, fmt.Errorf("tsync: velocity: %w", err)
	}
	if err := h.Quat.Check(); err != nil {
		return nil, fmt.Errorf("tsync: rotation: %w", err)
	}
	c := &Codec{
		hello:    h,
		position: newAxes(position),
		velocity: newAxes(velocity),
		quatBits: h.Quat.Bits(),
		quatMax:  1<<h.Quat.Bits() - 1,
	}
	for f := range c.bits {
		c.bits[f] = c.updateBits(Fields(f))
	}
	return c, nil
}

func (c *Codec) updateBits(f Fields) uint {
	n := uint(updateHeadBits)
	if f&FieldPosition != 0 {
		n += c.position.total
	}
	if f&FieldRotation != 0 {
		n += c.quatBits
	}
	if f&FieldVelocity != 0 {
		n += c.velocity.total
	}
	if f&FieldInputSeq != 0 {
		n += inputSeqBits
	}
	return n
}

// Hello returns what the codec was made from.
func (c *Codec) Hello() Hello { return c.hello }

// Position returns the codec of positions alone, for its axes' widths and largest codes.
func (c *Codec) Position() quant.Vector { return c.position.of }

// Velocity returns the codec of velocities alone.
func (c *Codec) Velocity() quant.Vector { return c.velocity.of }

// PositionBits returns the width of a position.
func (c *Codec) PositionBits() uint { return c.position.total }

// RotationBits returns the width of a rotation.
func (c *Codec) RotationBits() uint { return c.quatBits }

// VelocityBits returns the width of a velocity.
func (c *Codec) VelocityBits() uint { return c.velocity.total }

// UpdateBits returns the width of an update with the given fields: 52 bits and the fields.
func (c *Codec) UpdateBits(f Fields) uint { return c.bits[f&allFields] }

// Quantize makes codes of the given fields of s, and zero of the others. What is out of bounds saturates, and a rotation
// that is none becomes the identity; a position or a velocity with a NaN is [quant.ErrNotANumber], and the codes are then
// all zero.
func (c *Codec) Quantize(s *State, f Fields, codes *Codes) error {
	*codes = Codes{}
	if f&FieldPosition != 0 && !c.position.encode(&s.Position, &codes.Position) {
		return errPosition
	}
	if f&FieldVelocity != 0 && !c.velocity.encode(&s.Velocity, &codes.Velocity) {
		*codes = Codes{}
		return errVelocity
	}
	if f&FieldRotation != 0 {
		codes.Rotation = c.hello.Quat.Encode(s.Rotation)
	}
	return nil
}

// Dequantize makes s the state that codes stand for, with the given fields, and zero for the others. A code above the
// largest counts as the largest; neither [Codec.Quantize] nor [Codec.ParseSnapshot] makes one.
func (c *Codec) Dequantize(codes *Codes, f Fields, s *State) {
	*s = State{}
	if f&FieldPosition != 0 {
		c.position.decode(&codes.Position, &s.Position)
	}
	if f&FieldRotation != 0 {
		s.Rotation = c.hello.Quat.Decode(min(codes.Rotation, c.quatMax))
	}
	if f&FieldVelocity != 0 {
		c.velocity.decode(&codes.Velocity, &s.Velocity)
	}
}

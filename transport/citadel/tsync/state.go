package tsync

// Fields says which fields of an object an update carries. Updates with none of them are valid. The wire has room
// for these four.
type Fields uint8

// The fields, by their bits on the wire. The wire has the values in another order: position, rotation, velocity,
// input sequence.
const (
	FieldInputSeq Fields = 8 // the last input of the owner that the server applied, for the owner alone
	FieldPosition Fields = 4
	FieldRotation Fields = 2
	FieldVelocity Fields = 1

	// StateFields are the fields that come from a [State].
	StateFields = FieldPosition | FieldRotation | FieldVelocity

	allFields = StateFields | FieldInputSeq
)

// State is where an object is and how it moves, before quantisation or after it.
type State struct {
	Position [3]float32 // centimetres
	Rotation [4]float32 // quaternion x, y, z, w
	Velocity [3]float32 // centimetres a second
}

// Codes is a [State] in the codes of a [Codec]. Codes of one codec can be compared, and an object is quantised once
// however many clients hear of it.
type Codes struct {
	Position [3]uint64
	Rotation uint64
	Velocity [3]uint64
}

// Changed returns the fields in which c and base differ.
func (c *Codes) Changed(base *Codes) (f Fields) {
	if c.Position != base.Position {
		f |= FieldPosition
	}
	if c.Rotation != base.Rotation {
		f |= FieldRotation
	}
	if c.Velocity != base.Velocity {
		f |= FieldVelocity
	}
	return f
}

// Merge overwrites the given fields of c with those of from, as a receiver does with the state that an update is
// based on.
func (c *Codes) Merge(from *Codes, f Fields) {
	if f&FieldPosition != 0 {
		c.Position = from.Position
	}
	if f&FieldRotation != 0 {
		c.Rotation = from.Rotation
	}
	if f&FieldVelocity != 0 {
		c.Velocity = from.Velocity
	}
}

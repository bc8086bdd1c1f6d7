package schema

import "fmt"

// Type is what a property holds. The numbers of this and the following types are part of a layout's identity.
type Type uint16

// The types. Zero is none.
const (
	Bool Type = iota + 1
	Int
	Uint
	Scalar
	Vector3
	Quat
	Bytes
	Enum
	Collection
)

// String returns the type's name in lower case.
func (t Type) String() string {
	return nameOf("type", t, "", "bool", "int", "uint", "scalar", "vector3", "quat", "bytes", "enum", "collection")
}

// CodecID is the number of the codec of a property's values. Other numbers than those below are for an application
// to give.
type CodecID uint16

// The codecs that have a number. A property whose codec has none, such as one of bytes, has zero.
const (
	CodecNone CodecID = iota
	CodecBool
	CodecScalar  // quantised number
	CodecVector3 // three quantised numbers
	CodecQuat9   // smallest three components of a quaternion, 9 bits each
	CodecQuat10  // 10 bits each
	CodecQuat15  // 15 bits each
)

// Condition says which receivers a property goes to.
type Condition uint8

// The conditions. The zero value makes no condition.
const (
	Always         Condition = iota
	OwnerOnly                // the owner of the object
	SkipOwner                // all but the owner
	InitialOnly              // the first state that a receiver gets
	SimulatedOnly            // those for whom the object is only simulated
	AutonomousOnly           // those who move the object themselves
	Custom                   // the application decides
	Never
)

// String returns the condition in snake case.
func (c Condition) String() string {
	return nameOf("condition", c, "none", "owner_only", "skip_owner", "initial_only", "simulated_only",
		"autonomous_only", "custom", "never")
}

// Authority says who may write a property.
type Authority uint8

// The authorities. The zero value is the server alone.
const (
	ServerOnly  Authority = iota
	ClientOwned           // the client that owns the object proposes
)

// String returns the authority in snake case.
func (a Authority) String() string { return nameOf("authority", a, "server_only", "client_owned") }

// Property is one entry of a layout.
type Property struct {
	Name      string
	Type      Type
	Codec     CodecID
	Condition Condition
	Authority Authority
	Bounds    Bounds

	// Push says that the owner of the value reports its changes; otherwise they are found by comparing it with a
	// copy. It is a matter of this side alone and no part of the identity.
	Push bool
}

// Shape returns the hash of the property's bounds and name, all 64 bits of it. It is not zero for a property
// without bounds. It does not allocate.
func (p Property) Shape() uint64 { return fold(p.Bounds.Shape(), NameKey(p.Name)) }

// Field returns the property as the hash sees it at a place in a layout.
func (p Property) Field(id uint16) Field {
	return Field{
		ID:        id,
		TypeTag:   uint16(p.Type),
		CodecID:   uint16(p.Codec),
		Cond:      uint8(p.Condition),
		Authority: uint8(p.Authority),
		Bounds:    p.Shape(),
	}
}

// alike reports whether two properties are the same to a peer.
func (p Property) alike(q Property) bool {
	p.Push, q.Push = false, false
	return p == q
}

// nameOf returns the name of v, or what it is and its number if it has none.
func nameOf[T ~uint8 | ~uint16](what string, v T, names ...string) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return fmt.Sprintf("%s %d", what, v)
}

package replicated

import (
	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// Flag, and the types below it, are defined types of all sorts.
type (
	Flag  bool
	Level int16
	Count uint64
	Heat  float32
	Vec   struct{ X, Y, Z float32 }
	Point [3]float32
	Turn  struct{ X, Y, Z, W float32 }
	Name  string
	Blob  []byte
)

// Team is an enum.
type Team uint8

// The teams.
const (
	Nobody Team = iota
	Red
	Blue
)

const (
	maxHealth = 100
	edge      = 512.5
)

// Avatar has one field of each kind. Package netpeer measures its own codecs with the same class.
//
//netcode:replicated class=1 version=3
type Avatar struct {
	Alive    bool                 `rep:"bool"`
	Health   int64                `rep:"int,min=-10,max=10"`
	Heat     float32              `rep:"scalar,min=-100,max=100,per=10"`
	Position [3]float32           `rep:"vector3,min=-100,max=100,per=10"`
	Rotation [4]float32           `rep:"quat"`
	Name     []byte               `rep:"bytes,max=32"`
	Slots    replica.Items[uint8] `rep:"collection,of=uint,items=4,max=100"`
}

// Everything has each kind of field in each Go type that it can be, and what else a tag can say.
//
//netcode:replicated class=0xFFFF_FFFF version=1
type Everything struct {
	Bool  bool   `rep:"bool,cond=owneronly"`
	Flag  Flag   `rep:"bool,owner=client,cond=skipowner"`
	I8    int8   `rep:"int,min=-128,max=127"`
	I16   Level  `rep:"int,min=-300,max=maxHealth,cond=initialonly"`
	I32   int32  `rep:"int,min=5,max=5"`
	I64   int64  `rep:"int,min=-9223372036854775808,max=9223372036854775807"`
	U8    uint8  `rep:"uint,max=200"`
	U16   uint16 `rep:"uint,min=7,max=65535,cond=simulatedonly"`
	U32   uint32 `rep:"uint,max=0xFFFFFFFF"`
	U64   Count  `rep:"uint,max=9223372036854775807,owner=server"`
	Team  Team   `rep:"enum,owner=client,cond=autonomousonly"`
	Other Team   `rep:"enum,min=Red,max=Blue"`

	Scalar float32    `rep:"scalar,min=0,max=1,per=1,cond=always"`
	Heat   Heat       `rep:"scalar,min=-edge,max=edge,per=0xFFFF,cond=custom"`
	Fine   float32    `rep:"scalar,min=-1e6,max=1e6,per=1000000"`
	Vector Vec        `rep:"vector3,min=-1,max=edge,per=100"`
	Point  Point      `rep:"vector3,min=0,max=10,per=1"`
	Wide   geom.Vec3  `rep:"vector3,min=-1e6,max=1e6,per=100"`
	Quat9  Turn       `rep:"quat,bits=9"`
	Quat10 [4]float32 `rep:"quat,bits=10"`
	Quat15 [4]float32 `rep:"quat,bits=15,cond=never"`
	String string     `rep:"bytes,max=40,name=text"`
	Name   Name       `rep:"bytes,max=1"`
	Bytes  []byte     `rep:"bytes,max=1048576"`
	Blob   Blob       `rep:"bytes,max=8"`

	Bools   replica.Items[bool]   `rep:"collection,of=bool,items=65536"`
	Ints    replica.Items[Level]  `rep:"collection,of=int,items=10,min=-5,max=5,owner=client"`
	Uints   replica.Items[Count]  `rep:"collection,of=uint,items=10,max=1000"`
	Teams   replica.Items[Team]   `rep:"collection,of=enum,items=10"`
	Scalars replica.Items[Heat]   `rep:"collection,of=scalar,items=10,min=0,max=1,per=10"`
	Vectors replica.Items[Vec]    `rep:"collection,of=vector3,items=10,min=0,max=1,per=10"`
	Quats   replica.Items[Turn]   `rep:"collection,of=quat,items=10,bits=15"`
	Names   replica.Items[string] `rep:"collection,of=bytes,items=10,max=5"`
	Blobs   replica.Items[Blob]   `rep:"collection,of=bytes,items=10,max=5"`

	hidden uint8             `rep:"uint,max=3,name=Hidden"`
	value  uint8             `rep:"uint,max=9"`
	local  map[string]func() // not replicated
}

// Grown has had new fields twice since its first version that is still out there.
//
//netcode:replicated class=7 version=4 minimum=2 pin=2:41311e844fe2019cf9dfd62cfd266e58
type Grown struct {
	A uint8 `rep:"uint,max=9"`
	B bool  `rep:"bool,since=2"`
	C Team  `rep:"enum,since=3"`
	D Vec   `rep:"vector3,min=0,max=1,per=10,since=4"`
	E bool  `rep:"bool,since=4"`
}

// Many has one field more than there are bits in a word, with a collection on either side of the border, and had as
// many as there are bits and fewer once.
//
//netcode:replicated class=9 version=3 minimum=1
type Many struct {
	F0  bool                `rep:"bool"`
	F1  bool                `rep:"bool"`
	F2  bool                `rep:"bool"`
	F3  bool                `rep:"bool"`
	F4  bool                `rep:"bool"`
	F5  bool                `rep:"bool"`
	F6  bool                `rep:"bool"`
	F7  bool                `rep:"bool"`
	F8  bool                `rep:"bool"`
	F9  bool                `rep:"bool"`
	F10 bool                `rep:"bool"`
	F11 bool                `rep:"bool"`
	F12 bool                `rep:"bool"`
	F13 bool                `rep:"bool"`
	F14 bool                `rep:"bool"`
	F15 bool                `rep:"bool"`
	F16 bool                `rep:"bool"`
	F17 bool                `rep:"bool"`
	F18 bool                `rep:"bool"`
	F19 bool                `rep:"bool"`
	F20 bool                `rep:"bool"`
	F21 bool                `rep:"bool"`
	F22 bool                `rep:"bool"`
	F23 bool                `rep:"bool"`
	F24 bool                `rep:"bool"`
	F25 bool                `rep:"bool"`
	F26 bool                `rep:"bool"`
	F27 bool                `rep:"bool"`
	F28 bool                `rep:"bool"`
	F29 bool                `rep:"bool"`
	F30 bool                `rep:"bool"`
	F31 bool                `rep:"bool"`
	F32 bool                `rep:"bool"`
	F33 bool                `rep:"bool"`
	F34 bool                `rep:"bool"`
	F35 bool                `rep:"bool"`
	F36 bool                `rep:"bool"`
	F37 bool                `rep:"bool"`
	F38 bool                `rep:"bool"`
	F39 bool                `rep:"bool"`
	F40 bool                `rep:"bool"`
	F41 bool                `rep:"bool"`
	F42 bool                `rep:"bool"`
	F43 bool                `rep:"bool"`
	F44 bool                `rep:"bool"`
	F45 bool                `rep:"bool"`
	F46 bool                `rep:"bool"`
	F47 bool                `rep:"bool"`
	F48 bool                `rep:"bool"`
	F49 bool                `rep:"bool"`
	F50 bool                `rep:"bool"`
	F51 bool                `rep:"bool"`
	F52 bool                `rep:"bool"`
	F53 bool                `rep:"bool"`
	F54 bool                `rep:"bool"`
	F55 bool                `rep:"bool"`
	F56 bool                `rep:"bool"`
	F57 bool                `rep:"bool"`
	F58 bool                `rep:"bool"`
	F59 bool                `rep:"bool"`
	F60 bool                `rep:"bool"`
	F61 bool                `rep:"bool"`
	F62 bool                `rep:"bool,since=2"`
	F63 replica.Items[bool] `rep:"collection,of=bool,items=2,since=2"`
	F64 replica.Items[bool] `rep:"collection,of=bool,items=2,since=3"`
}

// Shelf has no field whose code is read by itself.
//
//netcode:replicated class=10 version=1
type Shelf struct {
	Books replica.Items[uint8] `rep:"collection,of=uint,items=4,max=100"`
	Label string               `rep:"bytes,max=8"`
	Floor uint8                `rep:"uint,min=3,max=3"`
}

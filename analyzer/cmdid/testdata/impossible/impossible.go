package impossible

//netcode:command id=0x1
type Move struct {
	Dir   uint8
	Speed int            // want `DNET0004: Move.Speed is an int, which is 32 or 64 bits wide, depending on the machine: use int32 or int64`
	Tags  map[string]int // want `DNET0004: Move.Tags is a map`
	Next  *Move          // want `DNET0004: Move.Next is a pointer`
	Text  string         // want `DNET0004: Move.Text is a string of any length`
	Short string         `netcode:"max=10"`
}

//netcode:command id=0x2
type Generic[T any] struct{ t T } // want `DNET0004: Generic is generic`

//netcode:command id=0x3
type Any interface{ m() } // want `DNET0004: Any is an interface`

//netcode:command id=0x4
type Alias = Short // want `DNET0004: Alias is an alias`

type Short struct{}

func f() {
	//netcode:command id=0x5
	type local struct{} // want `DNET0004: local is declared inside a function`
}

// What the compiler says is not said again.
//
//netcode:command id=0x6
type Unknown struct {
	What what
	Wide uint // want `DNET0004: Unknown.Wide is a uint`
}

// Methods of its own make everything possible.
//
//netcode:command id=0x7
type Own struct{ m map[int]int }

func (o Own) AppendBinary(dst []byte) ([]byte, error) { return dst, nil }
func (o *Own) UnmarshalBinary(data []byte) error      { return nil }

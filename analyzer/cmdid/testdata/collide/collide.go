package collide // want package:`Move=0x7 Jump=0x7 Dig=0x2a Named=0x8289e123cc0f17e1 Pinned=0x8289e123cc0f17e1`

//netcode:command id=0x7
type Move struct{}

//netcode:command id=0x07 // want `DNET0003: Jump has the id 0x0000000000000007, which Move has already \(collide\.go:4\)`
type Jump struct{}

//netcode:command id=0x2A
type Dig struct{}

//netcode:command name=Maze.Named
type Named struct{}

//netcode:command id=0x8289E123CC0F17E1 // want `DNET0003: Pinned has the id 0x8289E123CC0F17E1, which Named has already`
type Pinned struct{}

package own // want package:`Toggle=0x101 Search=0x103 below \[example.com/game/left\]`

import _ "example.com/game/left"

//netcode:command id=0x101 // want `DNET0003: Toggle has the id 0x0000000000000101, which Jump of package example.com/game/left has already \(left.go:7\)`
type Toggle struct{}

//netcode:command id=0x103
type Search struct{}

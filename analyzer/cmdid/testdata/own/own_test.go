package own_test // want package:`Extra=0x103 below \[example.com/game/left example.com/game/own\]`

import _ "example.com/game/own"

//netcode:command id=0x103 // want `DNET0003: Extra has the id 0x0000000000000103, which Search of package example.com/game/own has already`
type Extra struct{}

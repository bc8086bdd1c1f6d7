package absent

//go:generate go tool netcmdgen

//netcode:command id=0x1 // want `DNET0006: the generated code does not have the command Move: run go generate`
type Move struct{}

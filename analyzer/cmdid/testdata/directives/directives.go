package directives

//netcode:comand id=0x1 // want `DNET0005: unknown directive //netcode:comand: did you mean //netcode:command\?`
type Misspelt struct{}

// netcode:command id=0x2 // want `DNET0005: no space may follow the slashes`
type Spaced struct{}

//netcode:command id=0x3 predict // want `DNET0005: unknown option "predict": did you mean predicted\?`
type Option struct{}

//netcode:command id=42 // want `DNET0005: an id is written in hexadecimal`
type Decimal struct{}

//netcode:command id=0x12345678123456789 // want `DNET0005: id 0x12345678123456789 has more than 64 bits`
type Wide struct{}

//netcode:command id=0x4 // want `DNET0005: //netcode:command has no effect here`
func misplaced() {}

//netcode:replicated class=1 // want `DNET0005: //netcode:replicated needs the option version`
type Versionless struct{}

//netcode:deterministic
func deterministic() {
	//netcode:nondeterministic // want `DNET0005: //netcode:nondeterministic needs a reason`
	_ = 0
}


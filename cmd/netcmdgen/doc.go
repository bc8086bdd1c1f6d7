// Netcmdgen makes commands and replicated classes of structs. It gives every type of a package that is marked as a
// command a codec, an id and a place in a table that peers can compare, and every struct that is marked as replicated
// a layout, setters that notice changes, and codecs; see the section on replicated structs.
//
// # Usage
//
//	netcmdgen [-check] [-output name] [-tags list] [-type list] [folder ...]
//
// Usually it is run by go generate. Add it to the tools of your module once:
//
//	go get -tool github.com/ariadne-netcode/ariadne/cmd/netcmdgen
//
// and put this line into one file of each package that has commands:
//
//	//go:generate go tool netcmdgen
//
// A folder holds one package; without one it is the current folder. A folder that ends in /... stands for all folders
// at or below it that have commands. The flags are:
//
//	-check
//		Write nothing. If a generated file is not what it should be, print the difference to the standard output
//		and exit with 1. This is for continuous integration: go tool netcmdgen -check ./...
//	-output name
//		The name of the generated file, netcode_commands.go if nothing else is said. The files for tests and for
//		build tags are named after it. That of replicated structs is netcode_replicated.go, or the name with
//		_replicated behind it.
//	-tags list
//		Build tags, separated by commas, that the package needs to be built at all. Commands behind other build
//		tags are found without it.
//	-type list
//		Names of types, separated by commas, to generate for instead of the marked ones. A directive that one of
//		them has counts; the others become commands, get an id by their names and are not predicted.
//
// The exit code is 0 if all is well, 1 if there are errors in the source, all of which are reported as
// file:line:column: message, or if -check finds something, and 2 if the command line is wrong.
//
// # Marking commands
//
// A command is a type declaration with a directive in the comment directly above it; in a group type ( ... ), above
// the type itself:
//
//	// Move takes one step.
//	//
//	//netcode:command id=0x4D41_5A45_0000_0002 predicted
//	type Move struct {
//		Dir  Dir `netcode:"enum"`
//		Fast bool
//	}
//
// The options, in any order, are:
//
//	id=0x...   The command's id, which must be unlike all others and not zero. Without it the id is the hash of
//	           the type's full name (see registry.HashName), and changes when the type is renamed or moved: pin
//	           it before strangers play with each other.
//	predicted  Clients execute the command at once, without waiting for the authority.
//	name=...   What the type is called instead of by its Go name, for ids that are shared with .NET programs:
//	           the CLR name, such as Game.Commands+Move.
//
// # What can be sent
//
// Structs, arrays, bools, floats and integers with a size, types defined by these, and slices and strings with a cap.
// A struct of another package will do if its fields are exported. A type that has AppendBinary and UnmarshalBinary
// already keeps them; as a field it needs a cap. Blank fields are not sent.
//
// Int and uint are refused, because they are not the same everywhere, and so are maps, pointers, interfaces, channels
// and functions. Generic types, interfaces, aliases and types declared in functions cannot be commands. The error
// says what to use instead.
//
// What a type does not say itself stands in the tag of its field, separated by spaces:
//
//	max=64         The longest a string may be in bytes, or a slice in elements. This is required.
//	range=0..5     The least and the greatest value of an integer, or of each of several. The ends may be constants
//	               of the package: range=North..West.
//	enum           The value is one of the constants of its type: the exported ones, or all if none is exported.
//
// A value that breaks such a limit is refused when it is encoded and when it is decoded, so that a command with a bad
// value neither leaves a correct program nor gets into one.
//
// # What is generated
//
// For a package with the commands Move and Say, netcode_commands.go declares
//
//	const CommandDigest netcode.ProtocolID = 0x...   // stands for the ids, names, flags and encodings of all commands
//
//	const (                                          // ids
//		MoveTypeID netcode.TypeID = 0x...
//		SayTypeID  netcode.TypeID = 0x...
//	)
//
//	type CommandTypes struct {                       // typed handles
//		Move registry.Type[Move]
//		Say  registry.Type[Say]
//	}
//
//	func RegisterCommands(r *registry.Registry) (CommandTypes, error)
//	func CommandCatalog() []registry.Info            // by name of type
//
//	const MoveBinarySize = 2                         // SayMaxBinarySize for a type whose size varies
//	func (*Move) BinarySize() int
//	func (c *Move) AppendBinary(b []byte) ([]byte, error)
//	func (c *Move) UnmarshalBinary(p []byte) error   // and the same for Say
//
// The encoding is little-endian, without tags, names or padding; the comment on each AppendBinary shows it. Lengths
// take one byte if the cap is below 256, two below 65,536, and else four. It is the same on all machines. Decoding
// refuses every payload that AppendBinary would not have written, trailing bytes included, with a payload.Error, and
// leaves the value alone then. Types of fixed size need no memory.
//
// Commands of test files, and of files with build constraints, go into files of their own: netcode_commands_test.go,
// netcode_commands_debug.go. The names that these declare end in Test, or in the build tag: RegisterCommandsDebug.
//
// # Replicated structs
//
// A struct is a replicated class if the comment directly above it has the directive
//
//	//netcode:replicated class=N version=N [minimum=N] [pin=N:hash ...]
//
// and its fields that are to be replicated have a tag such as
//
//	rep:"int,min=0,max=100,owner=client,cond=skipowner"
//
// The README lists the kinds of fields, the options, and how a class evolves. For a struct Player of version 3 with an
// int Health and a collection Slots, netcode_replicated.go declares
//
//	func ReplicatedClasses() []*replica.Class        // of the package, by name of type
//
//	const PlayerClassID, PlayerVersion uint32 = ...  // what peers know it by
//	const PlayerLayoutHash = "..."                   // 32 hexadecimal digits
//	const PlayerHealthField, PlayerSlotsField = ...  // numbers of fields
//
//	func PlayerClass() *replica.Class                // the current layout with its codecs
//	func PlayerHistory() []*replica.Class            // all that are accepted, the current one first
//
//	type PlayerReplica struct{ ... }                 // a replica.Object, and the place of a Player
//	func (*PlayerReplica) Value() *Player
//	func (*PlayerReplica) Health() int32
//	func (*PlayerReplica) SetHealth(v int32)         // marks the field if the value is another one
//	func (*PlayerReplica) Slots() *replica.Items[T]  // marks itself
//	func (*PlayerReplica) MarkDirty(field int)
//	func (*PlayerReplica) ReplicaClass() *replica.Class
//	func (*PlayerReplica) TakeDirty(f replica.Fields)
//	func (*PlayerReplica) WriteReplica(s *replica.State, f replica.Fields) error
//	func (*PlayerReplica) ReadReplica(s *replica.State, f replica.Fields)
//
//	type PlayerChanges struct{ ... }                 // the contents of one bunch, for tools
//	func (*PlayerChanges) AppendFields(e *netpeer.Encoder)
//	func (*PlayerChanges) AppendBunch(b []byte, s *netpeer.Schema, h netpeer.Header) ([]byte, error)
//	func (*PlayerChanges) ParseBunch(b []byte, s *netpeer.Schema, budget *netpeer.Budget) (netpeer.Header, error)
//
// Nothing of this reflects or boxes. It does not allocate, except that a state keeps copies of byte strings and
// collections that have changed, and that elements of a collection that are byte strings are copied when they are read.
//
// # When something changes
//
// Run go generate again. The generated file has declarations that do not compile if a field was added, removed, moved,
// renamed or given another type or tag, or if a constant of an enum has another value; that a constant was added, or
// that a directive was changed, is left to -check and, for commands, to netcmdvet. Generating does not depend on earlier output:
// it works if the package does not compile, or the generated file is gone. It writes only what changes, and
// removes files that it wrote for commands that are gone.
//
// # Example
//
// In an empty module,
//
//	// game.go
//	package game
//
//	//go:generate go tool netcmdgen
//
//	type Dir uint8
//
//	const (
//		North Dir = iota
//		East
//		South
//		West
//	)
//
//	//netcode:command predicted
//	type Move struct {
//		Dir Dir `netcode:"enum"`
//	}
//
//	//netcode:command
//	type Say struct {
//		Text string `netcode:"max=64"`
//	}
//
// and then
//
//	go get -tool github.com/ariadne-netcode/ariadne/cmd/netcmdgen
//	go generate
//
// and the commands are ready to be used:
//
//	commands := registry.New()
//	types, err := game.RegisterCommands(commands)
//	...
//	move, err := session.Handle(host, types.Move, session.Handlers[game.Move]{ ... })
//	...
//	key, err := move.Send(game.Move{Dir: game.East}, step)
package main

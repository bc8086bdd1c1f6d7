package game

// The commands are plain structs with a mark. Their codecs, ids and typed handles are in the generated file next
// to this one; after a change here, run go generate.

//go:generate go tool netcmdgen

// Join lets its author into the game. It is not predicted: there is nothing to gain from it for a player
// that cannot know yet which place it gets.
//
//netcode:command id=0x4D415A4500000001
type Join struct {
	Name Name
}

// Move takes one step. The authority changes nothing about it, so a prediction is usually right.
//
//netcode:command id=0x4D415A4500000002 predicted
type Move struct {
	Dir Dir
}

// ToggleDoor opens or closes a door next to the player.
//
//netcode:command id=0x4D415A4500000003 predicted
type ToggleDoor struct {
	Door Pos
}

// Search empties a chest next to the player. The player fills in [HopedGold] to see something happen at
// once; the authority replaces it by what is in the chest.
//
//netcode:command id=0x4D415A4500000004 predicted
type Search struct {
	Chest Pos
	Gold  uint16
}

// DropLoot scatters gold on the floor. The player says how much and leaves the rest empty; the authority
// fills in the ids and the seed. It is not predicted, because a wrong guess about either would be visible.
//
//netcode:command id=0x4D415A4500000005
type DropLoot struct {
	Gold  uint16
	First uint64 // id of the first piece
	Seed  uint64 // decides where the pieces roll
}

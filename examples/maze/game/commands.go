package game

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

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

// Types are the game's command types in a registry.
type Types struct {
	Join       registry.Type[Join]
	Move       registry.Type[Move]
	ToggleDoor registry.Type[ToggleDoor]
	Search     registry.Type[Search]
	DropLoot   registry.Type[DropLoot]
}

// The ids are part of the protocol: once released, they stay.
const (
	joinID       netcode.TypeID = 0x4D415A45_00000001
	moveID       netcode.TypeID = 0x4D415A45_00000002
	toggleDoorID netcode.TypeID = 0x4D415A45_00000003
	searchID     netcode.TypeID = 0x4D415A45_00000004
	dropLootID   netcode.TypeID = 0x4D415A45_00000005
)

// Table registers the game's commands.
func Table(r *registry.Registry) (Types, error) {
	var t Types
	var errs [5]error
	t.Join, errs[0] = registry.Register(r, joinID, registry.Options[Join]{})
	t.Move, errs[1] = registry.Register(r, moveID, registry.Options[Move]{Predicted: true})
	t.ToggleDoor, errs[2] = registry.Register(r, toggleDoorID, registry.Options[ToggleDoor]{Predicted: true})
	t.Search, errs[3] = registry.Register(r, searchID, registry.Options[Search]{Predicted: true})
	t.DropLoot, errs[4] = registry.Register(r, dropLootID, registry.Options[DropLoot]{})
	return t, errors.Join(errs[:]...)
}

// ErrPayload says that bytes are not the payload of a command. Whether a command makes sense is for its
// validator to say; a payload only has to have the right size.
var ErrPayload = errors.New("game: malformed payload")

func checkSize(data []byte, want int) error {
	if len(data) != want {
		return fmt.Errorf("%w: %d bytes instead of %d", ErrPayload, len(data), want)
	}
	return nil
}

// AppendBinary implements [encoding.BinaryAppender].
func (c Join) AppendBinary(dst []byte) ([]byte, error) { return append(dst, c.Name[:]...), nil }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (c *Join) UnmarshalBinary(data []byte) error {
	if err := checkSize(data, NameSize); err != nil {
		return err
	}
	c.Name = Name(data)
	return nil
}

// AppendBinary implements [encoding.BinaryAppender].
func (c Move) AppendBinary(dst []byte) ([]byte, error) { return append(dst, byte(c.Dir)), nil }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (c *Move) UnmarshalBinary(data []byte) error {
	if err := checkSize(data, 1); err != nil {
		return err
	}
	c.Dir = Dir(data[0])
	return nil
}

// AppendBinary implements [encoding.BinaryAppender].
func (c ToggleDoor) AppendBinary(dst []byte) ([]byte, error) {
	return append(dst, c.Door.X, c.Door.Y), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (c *ToggleDoor) UnmarshalBinary(data []byte) error {
	if err := checkSize(data, 2); err != nil {
		return err
	}
	c.Door = Pos{data[0], data[1]}
	return nil
}

// AppendBinary implements [encoding.BinaryAppender].
func (c Search) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, c.Chest.X, c.Chest.Y)
	return binary.LittleEndian.AppendUint16(dst, c.Gold), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (c *Search) UnmarshalBinary(data []byte) error {
	if err := checkSize(data, 4); err != nil {
		return err
	}
	c.Chest = Pos{data[0], data[1]}
	c.Gold = binary.LittleEndian.Uint16(data[2:])
	return nil
}

// AppendBinary implements [encoding.BinaryAppender].
func (c DropLoot) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint16(dst, c.Gold)
	dst = binary.LittleEndian.AppendUint64(dst, c.First)
	return binary.LittleEndian.AppendUint64(dst, c.Seed), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (c *DropLoot) UnmarshalBinary(data []byte) error {
	if err := checkSize(data, 18); err != nil {
		return err
	}
	c.Gold = binary.LittleEndian.Uint16(data)
	c.First = binary.LittleEndian.Uint64(data[2:])
	c.Seed = binary.LittleEndian.Uint64(data[10:])
	return nil
}

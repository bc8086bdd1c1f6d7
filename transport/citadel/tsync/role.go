package tsync

import (
	"encoding/binary"
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// RoleBytes is the size of an encoded [Role].
const RoleBytes = 20

// RoleKind is how a client treats an object.
type RoleKind uint8

// The kinds of roles.
const (
	OwnerPredicted     RoleKind = 0 // the client's own: it moves at once and is corrected later
	RemoteInterpolated RoleKind = 1 // another player's: shown a little in the past
	ServerSimulated    RoleKind = 2 // nobody's: shown in the same way
	StaticReplicated   RoleKind = 3 // does not move
)

// String returns the kind's name.
func (k RoleKind) String() string {
	switch k {
	case OwnerPredicted:
		return "owner predicted"
	case RemoteInterpolated:
		return "remote interpolated"
	case ServerSimulated:
		return "server simulated"
	case StaticReplicated:
		return "static replicated"
	}
	return fmt.Sprintf("role(%d)", uint8(k))
}

// RoleEvent is why a client hears of a role.
type RoleEvent uint8

// The events.
const (
	RoleAssign  RoleEvent = 0 // the object got an owner
	RoleHandoff RoleEvent = 1 // it got another one
	RoleEnter   RoleEvent = 2 // it became relevant; everything about it follows in a snapshot
	RoleExit    RoleEvent = 3 // it is not relevant any more
)

// String returns the event's name.
func (e RoleEvent) String() string {
	switch e {
	case RoleAssign:
		return "assign"
	case RoleHandoff:
		return "handoff"
	case RoleEnter:
		return "enter"
	case RoleExit:
		return "exit"
	}
	return fmt.Sprintf("event(%d)", uint8(e))
}

// Role is the body of a kind-11 frame: what an object is to the client from now on. The epochs tell a client which
// of two roles is the newer one.
//
//	object u32 | role u8 | owner u64 | ownership epoch u32 | gen u16 | event u8
type Role struct {
	Object         uint32
	Role           RoleKind
	Owner          uint64 // the participant, 0 for the server
	OwnershipEpoch uint32 // counts the owners of an object
	Gen            uint16 // counts the lives of an object id
	Event          RoleEvent
}

// AppendRole appends the encoding of r. It does not check Role and Event; a receiver refuses values without a name.
func AppendRole(dst []byte, r Role) []byte {
	dst = binary.BigEndian.AppendUint32(dst, r.Object)
	dst = append(dst, byte(r.Role))
	dst = binary.BigEndian.AppendUint64(dst, r.Owner)
	dst = binary.BigEndian.AppendUint32(dst, r.OwnershipEpoch)
	dst = binary.BigEndian.AppendUint16(dst, r.Gen)
	return append(dst, byte(r.Event))
}

// ParseRole reads a body; bytes after the twentieth are ignored. It returns [wire.ErrTooShort], or [wire.ErrOutOfRange] for
// a role or an event that there is not.
func ParseRole(b []byte) (Role, error) {
	if len(b) < RoleBytes {
		return Role{}, fmt.Errorf("tsync: role of %d bytes: %w", len(b), wire.ErrTooShort)
	}
	r := Role{
		Object:         binary.BigEndian.Uint32(b),
		Role:           RoleKind(b[4]),
		Owner:          binary.BigEndian.Uint64(b[5:]),
		OwnershipEpoch: binary.BigEndian.Uint32(b[13:]),
		Gen:            binary.BigEndian.Uint16(b[17:]),
		Event:          RoleEvent(b[19]),
	}
	if r.Role > StaticReplicated || r.Event > RoleExit {
		return Role{}, fmt.Errorf("tsync: %v, %v: %w", r.Role, r.Event, wire.ErrOutOfRange)
	}
	return r, nil
}

package wire

import "encoding/binary"

// Sizes of the bodies of rooms, in bytes.
const (
	RoomIDBytes      = 8
	MatchClosedBytes = RoomIDBytes + 2
)

// RoomCreate is the body of a [KindRoomCreate]: a room is to be created, or joined if there is one already for
// the same parameters.
//
//	params length u16 | params
type RoomCreate struct {
	Params []byte // any bytes; by convention the room's name
}

// AppendRoomCreate appends the encoding of r. Params are cut at [MaxString] bytes.
func AppendRoomCreate(dst []byte, r RoomCreate) []byte { return appendBytes(dst, r.Params) }

// ParseRoomCreate reads a body; Params borrows from it, and bytes behind them are ignored. The only error is
// [ErrTooShort].
func ParseRoomCreate(b []byte) (RoomCreate, error) {
	params, _, err := splitBytes(b, errShortCreate)
	return RoomCreate{Params: params}, err
}

// RoomID names a room of a server. By itself it is the body of a [KindRoomJoin], a [KindRoomLeave] and a
// [KindRoomMapReady].
//
//	room u64
type RoomID uint64

// AppendRoomID appends the encoding of id.
func AppendRoomID(dst []byte, id RoomID) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(id))
}

// ParseRoomID reads a body; bytes behind it are ignored. The only error is [ErrTooShort].
func ParseRoomID(b []byte) (RoomID, error) {
	if len(b) < RoomIDBytes {
		return 0, errShortRoomID
	}
	return RoomID(binary.BigEndian.Uint64(b)), nil
}

// RoomJoined is the body of a [KindRoomJoined]: the client is in, and is to load a map.
//
//	room u64 | map length u16 | map, UTF-8 | mode length u16 | mode, UTF-8
type RoomJoined struct {
	Room RoomID
	Map  []byte
	Mode []byte
}

// AppendRoomJoined appends the encoding of r. Map and Mode are cut at [MaxString] bytes, even inside a
// character, and such a body is refused. That they are UTF-8 is not checked.
func AppendRoomJoined(dst []byte, r RoomJoined) []byte {
	dst = AppendRoomID(dst, r.Room)
	dst = appendBytes(dst, r.Map)
	return appendBytes(dst, r.Mode)
}

// ParseRoomJoined reads a body; Map and Mode borrow from it, and bytes behind them are ignored. It returns
// [ErrTooShort], or [ErrOutOfRange] for text that is not UTF-8.
func ParseRoomJoined(b []byte) (RoomJoined, error) {
	if len(b) < RoomIDBytes {
		return RoomJoined{}, errShortJoined
	}
	level, rest, err := splitText(b[RoomIDBytes:], errShortJoined, errTextMap)
	if err != nil {
		return RoomJoined{}, err
	}
	mode, _, err := splitText(rest, errShortJoined, errTextMode)
	if err != nil {
		return RoomJoined{}, err
	}
	return RoomJoined{Room: RoomID(binary.BigEndian.Uint64(b)), Map: level, Mode: mode}, nil
}

// MatchClosed is the body of a [KindMatchClosed]: a match is over, and its room with it.
//
//	room u64 | reason u8 | requeue u8
type MatchClosed struct {
	Room    RoomID
	Reason  uint8 // the meaning of the numbers is the server's
	Requeue bool  // the client had better look for another match
}

// AppendMatchClosed appends the encoding of m.
func AppendMatchClosed(dst []byte, m MatchClosed) []byte {
	requeue := byte(0)
	if m.Requeue {
		requeue = 1
	}
	return append(AppendRoomID(dst, m.Room), m.Reason, requeue)
}

// ParseMatchClosed reads a body; any nonzero byte is a true Requeue, and bytes behind it are ignored. The only
// error is [ErrTooShort].
func ParseMatchClosed(b []byte) (MatchClosed, error) {
	if len(b) < MatchClosedBytes {
		return MatchClosed{}, errShortClosed
	}
	return MatchClosed{
		Room:    RoomID(binary.BigEndian.Uint64(b)),
		Reason:  b[RoomIDBytes],
		Requeue: b[RoomIDBytes+1] != 0,
	}, nil
}

// RoomReject is the body of a [KindRoomReject]: a room's request was turned down.
//
//	request's kind u16 | reason length u16 | reason, UTF-8
type RoomReject struct {
	Request Kind // which of the requests: a [KindRoomCreate], a [KindRoomJoin]
	Reason  []byte
}

// AppendRoomReject appends the encoding of r. Reason is cut at [MaxString] bytes, even inside a character, and
// such a body is refused. That it is UTF-8 is not checked.
func AppendRoomReject(dst []byte, r RoomReject) []byte {
	dst = binary.BigEndian.AppendUint16(dst, uint16(r.Request))
	return appendBytes(dst, r.Reason)
}

// ParseRoomReject reads a body; Reason borrows from it, and bytes behind it are ignored. It returns
// [ErrTooShort], or [ErrOutOfRange] for a reason that is not UTF-8.
func ParseRoomReject(b []byte) (RoomReject, error) {
	if len(b) < KindBytes {
		return RoomReject{}, errShortReject
	}
	reason, _, err := splitText(b[KindBytes:], errShortReject, errTextReason)
	if err != nil {
		return RoomReject{}, err
	}
	return RoomReject{Request: Kind(binary.BigEndian.Uint16(b)), Reason: reason}, nil
}

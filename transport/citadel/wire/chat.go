package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// ChatType says what a [ChatEvent] reports.
type ChatType uint8

// The types. The first three are durable: they are changes of messages, delivered at least once.
const (
	ChatCreate    ChatType = iota + 1 // "message.create"
	ChatEdit                          // "message.edit"
	ChatTombstone                     // "message.tombstone"
	ChatJoin                          // "presence.join"
	ChatLeave                         // "presence.leave"
	ChatTyping                        // "typing"
	ChatRevoked                       // "access.revoked": the end, until the client has joined the channel again
	ChatResync                        // "resync_required": something was lost, up to the watermark
)

// String returns the type's name in JSON.
func (t ChatType) String() string {
	if t.known() {
		return chatTypes[t].name
	}
	return "type(" + strconv.Itoa(int(t)) + ")"
}

// Durable reports whether an event of the type is a change of a message. Such an event has an id, and may be
// delivered more than once.
func (t ChatType) Durable() bool { return t.known() && chatTypes[t].members&chatEventID != 0 }

func (t ChatType) known() bool { return t > 0 && int(t) < len(chatTypes) }

// ChatVersion is the version of the schema of chat events.
const ChatVersion = 1

// ChatEvent is the body of a [KindChatEvent]: something has happened in a chat channel. It is JSON under a closed
// schema: all types have version, type and channel_id, each has the members that the fields below say, and no
// event has any other.
//
// The protocol's documents leave some of this open, and what stands here instead is Ariadne's reading: that the
// version is a member of that name with the number 1; that the changes of messages have the types message.create,
// message.edit and message.tombstone, and carry the state in a member named message; that joining and leaving carry
// a presence, as typing does. What a message and a presence look like inside they do not say either, so both stay
// JSON. An event of another schema is refused, never half understood.
type ChatEvent struct {
	Type      ChatType
	Channel   ID              // channel_id
	Event     ID              // event_id, of a durable event; unique within the channel
	Message   json.RawMessage // message, of a durable event: the whole state of the message as an object
	Presence  json.RawMessage // presence, of joining, leaving and typing: anything but null
	Typing    bool            // typing, of that type: whether the typing goes on
	ExpiresAt int64           // expires_at, of typing: when a true Typing ends, in milliseconds since 1970
	Watermark ID              // watermark_event_id, of a required resync
}

// chatMembers is a set of an event's members.
type chatMembers uint16

const (
	chatVersion chatMembers = 1 << iota
	chatType
	chatChannel
	chatEventID
	chatMessage
	chatPresence
	chatTyping
	chatExpires
	chatWatermark

	chatCommon = chatVersion | chatType | chatChannel
)

// chatNames is in the order in which members are written.
var chatNames = [...]string{
	"version", "type", "channel_id", "event_id", "message", "presence", "typing", "expires_at", "watermark_event_id",
}

// chatTypes is the schema.
var chatTypes = [...]struct {
	name    string
	members chatMembers
}{
	ChatCreate:    {"message.create", chatCommon | chatEventID | chatMessage},
	ChatEdit:      {"message.edit", chatCommon | chatEventID | chatMessage},
	ChatTombstone: {"message.tombstone", chatCommon | chatEventID | chatMessage},
	ChatJoin:      {"presence.join", chatCommon | chatPresence},
	ChatLeave:     {"presence.leave", chatCommon | chatPresence},
	ChatTyping:    {"typing", chatCommon | chatPresence | chatTyping | chatExpires},
	ChatRevoked:   {"access.revoked", chatCommon},
	ChatResync:    {"resync_required", chatCommon | chatWatermark},
}

// ParseChatEvent reads a whole body; Message and Presence borrow from it. It returns [ErrJSON], [ErrMember] for
// anything that the schema does not have, or [ErrVersion].
func ParseChatEvent(b []byte) (ChatEvent, error) {
	members, err := parseObject(b)
	if err != nil {
		return ChatEvent{}, err
	}
	var e ChatEvent
	var found chatMembers
	for _, m := range members {
		bit, err := e.set(m)
		if err != nil {
			return ChatEvent{}, err
		}
		found |= bit
	}
	if found&chatCommon != chatCommon {
		return ChatEvent{}, fmt.Errorf("%w: version, type or channel_id", ErrMember)
	}
	if want := chatTypes[e.Type].members; found != want {
		return ChatEvent{}, fmt.Errorf("%w: %s has %s", ErrMember, e.Type, found.diff(want))
	}
	return e, nil
}

// set takes over one member and returns which it is.
func (e *ChatEvent) set(m member) (bit chatMembers, err error) {
	bit = 1
	for _, name := range chatNames {
		if name == string(m.name) {
			break
		}
		bit <<= 1
	}
	switch bit {
	case chatVersion:
		var v uint64
		if v, err = m.unsigned(64); err == nil && v != ChatVersion {
			err = fmt.Errorf("%w: chat event of version %d", ErrVersion, v)
		}
	case chatType:
		e.Type, err = parseChatType(m)
	case chatChannel:
		e.Channel, err = m.id()
	case chatEventID:
		e.Event, err = m.id()
	case chatMessage:
		if e.Message = m.value; m.value[0] != '{' {
			err = fmt.Errorf("%w: message is not an object", ErrMember)
		}
	case chatPresence:
		if e.Presence = m.value; m.value[0] == 'n' {
			err = fmt.Errorf("%w: presence is null", ErrMember)
		}
	case chatTyping:
		e.Typing, err = m.boolean()
	case chatExpires:
		var at uint64
		at, err = m.unsigned(63)
		e.ExpiresAt = int64(at)
	case chatWatermark:
		e.Watermark, err = m.id()
	default:
		err = fmt.Errorf("%w: %.40q", ErrMember, m.name)
	}
	return bit, err
}

func parseChatType(m member) (ChatType, error) {
	name, err := m.text()
	if err != nil {
		return 0, err
	}
	for t := ChatCreate; t.known(); t++ {
		if chatTypes[t].name == name {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%w: unknown type %.40q", ErrMember, name)
}

// diff says how a set of members differs from what it should be.
func (found chatMembers) diff(want chatMembers) string {
	for i, name := range chatNames {
		switch bit := chatMembers(1) << i; {
		case want&bit&^found != 0:
			return "no " + name
		case found&bit&^want != 0:
			return name
		}
	}
	return ""
}

// AppendChatEvent appends the encoding of e, in which Message and Presence are as they are. It is an error if a
// field is not of the event's type, or what [ParseChatEvent] would refuse; dst is then returned as it was.
func AppendChatEvent(dst []byte, e ChatEvent) ([]byte, error) {
	if !e.Type.known() {
		return dst, fmt.Errorf("%w: unknown type %d", ErrMember, uint8(e.Type))
	}
	members := chatTypes[e.Type].members
	if extra := e.fields() &^ members; extra != 0 {
		return dst, fmt.Errorf("%w: %s has %s", ErrMember, e.Type, extra.diff(0))
	}
	// One value each, so that they cannot bring members of their own.
	for _, raw := range []json.RawMessage{e.Message, e.Presence} {
		if raw == nil {
			continue
		}
		if _, _, err := checkJSON(raw); err != nil {
			return dst, err
		}
	}
	b := dst
	for i, name := range chatNames {
		if bit := chatMembers(1) << i; members&bit != 0 {
			b = e.appendMember(b, bit, name)
		}
	}
	b = append(b, '}')
	_, err := ParseChatEvent(b[len(dst):])
	return checked(dst, b, err)
}

// appendMember appends one member and what separates it from the one before.
func (e *ChatEvent) appendMember(b []byte, bit chatMembers, name string) []byte {
	if bit == chatVersion {
		b = append(b, '{')
	} else {
		b = append(b, ',')
	}
	b = append(appendText(b, name), ':')
	switch bit {
	case chatVersion:
		return strconv.AppendInt(b, ChatVersion, 10)
	case chatType:
		return appendText(b, e.Type.String())
	case chatChannel:
		return appendID(b, e.Channel)
	case chatEventID:
		return appendID(b, e.Event)
	case chatMessage:
		return appendRaw(b, e.Message)
	case chatPresence:
		return appendRaw(b, e.Presence)
	case chatTyping:
		return strconv.AppendBool(b, e.Typing)
	case chatExpires:
		return strconv.AppendInt(b, e.ExpiresAt, 10)
	}
	return appendID(b, e.Watermark)
}

// appendRaw appends JSON as it is, and null if there is none.
func appendRaw(b []byte, raw json.RawMessage) []byte {
	if raw == nil {
		return append(b, "null"...)
	}
	return append(b, raw...)
}

// fields returns the members whose fields are not zero, the common ones aside.
func (e *ChatEvent) fields() (set chatMembers) {
	add := func(bit chatMembers, used bool) {
		if used {
			set |= bit
		}
	}
	add(chatEventID, e.Event != ID{})
	add(chatMessage, e.Message != nil)
	add(chatPresence, e.Presence != nil)
	add(chatTyping, e.Typing)
	add(chatExpires, e.ExpiresAt != 0)
	add(chatWatermark, e.Watermark != ID{})
	return set
}

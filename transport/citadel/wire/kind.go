package wire

import "strconv"

// Kind says what an envelope's body is. Kinds below [FirstApplicationKind] belong to the Citadel protocol, the
// rest to applications. A kind that nobody here knows is no error: its envelope passes through with an opaque
// body, and receivers without a use for it ignore it.
type Kind uint16

// FirstApplicationKind is the lowest kind that an application may use for its own messages.
const FirstApplicationKind Kind = 100

// The kinds of the protocol. Those with a body in this package name it; the bodies of transform sync are in
// package tsync, those of property replication in package netpeer.
const (
	KindPosition     Kind = 1 // [Position]
	KindPeerPosition Kind = 2 // [Tagged], a position within
	KindRPCRequest   Kind = 3 // [RPCRequest]
	KindRPCResponse  Kind = 4 // [RPCResponse]
	KindAuth         Kind = 5 // the first envelope of a client: [Auth]
	KindAuthResult   Kind = 6 // the one answer: [AuthResult]

	KindTsyncHello    Kind = 7
	KindTsyncSnapshot Kind = 8
	KindTsyncInput    Kind = 9
	KindTsyncAck      Kind = 10
	KindTsyncRole     Kind = 11
	KindTsyncRewind   Kind = 12

	KindRepDelta  Kind = 13
	KindRepAck    Kind = 14
	KindRepSchema Kind = 15

	KindNAPresence   Kind = 16 // [Presence]
	KindNASpawn      Kind = 17 // [Spawn]
	KindNASpawnBatch Kind = 18 // [SpawnBatch]
	KindNADespawn    Kind = 19 // [Despawn]
	KindNAState      Kind = 20 // [State]

	KindRoomCreate   Kind = 21 // [RoomCreate]
	KindRoomJoin     Kind = 22 // [RoomID]
	KindRoomJoined   Kind = 23 // [RoomJoined]
	KindRoomLeave    Kind = 24 // [RoomID]
	KindRoomMapReady Kind = 25 // [RoomID]

	KindMatchmakerMatched Kind = 26 // [MatchmakerMatched]
	KindNotification      Kind = 27 // [Notification]
	KindChatEvent         Kind = 28 // [ChatEvent]

	KindTsyncV2Hello    Kind = 29
	KindTsyncV2Snapshot Kind = 30
	KindTsyncV2Input    Kind = 31

	KindMatchClosed Kind = 32 // [MatchClosed]
	KindRoomReject  Kind = 33 // [RoomReject]

	KindDiagServerTime   Kind = 34
	KindDiagCapabilities Kind = 35
	KindDiagClockSync    Kind = 36
	KindDiagStart        Kind = 37
	KindDiagFlush        Kind = 38
	KindDiagStatus       Kind = 39

	KindInputStreamControl   Kind = 40
	KindAuthoritativeInput   Kind = 41
	KindCapabilityOffer      Kind = 42
	KindCapabilityAcceptance Kind = 43
)

// The kinds of Ariadne's own transport, out of the range of applications.
const (
	KindSession     Kind = 0xC001 // one whole frame of a command session
	KindSessionPart Kind = 0xC002 // a piece of a larger one: [Part]
	KindGoodbye     Kind = 0xC003 // the last envelope of a connection that ends in good order: [Goodbye]
)

// Direction is who sends a kind to whom.
type Direction uint8

// The directions.
const (
	DirectionUnspecified Direction = iota // the protocol's documents do not say
	ToServer
	ToClient
	BothWays
)

// String returns the direction in words.
func (d Direction) String() string {
	switch d {
	case DirectionUnspecified:
		return "unspecified"
	case ToServer:
		return "client to server"
	case ToClient:
		return "server to client"
	case BothWays:
		return "both ways"
	}
	return "direction(" + strconv.Itoa(int(d)) + ")"
}

// Delivery is how a kind travels: reliably on a stream, or unreliably in a datagram where there are datagrams.
type Delivery uint8

// The deliveries.
const (
	DeliveryUnspecified Delivery = iota // the protocol's documents do not say
	Reliable
	Unreliable
	NormallyReliable   // unless the peers agree on something else
	NormallyUnreliable // but accepted either way
)

// String returns the delivery in words.
func (d Delivery) String() string {
	switch d {
	case DeliveryUnspecified:
		return "unspecified"
	case Reliable:
		return "reliable"
	case Unreliable:
		return "unreliable"
	case NormallyReliable:
		return "normally reliable"
	case NormallyUnreliable:
		return "normally unreliable"
	}
	return "delivery(" + strconv.Itoa(int(d)) + ")"
}

// KindInfo is what the catalog says about a kind.
type KindInfo struct {
	Name      string // lower case, words joined by underscores
	Direction Direction
	Delivery  Delivery
}

// catalog is indexed by kind. The rows of version 2 of transform sync follow those of version 1.
var catalog = [...]KindInfo{
	KindPosition:     {"position", ToServer, NormallyUnreliable},
	KindPeerPosition: {"peer_position", ToClient, Unreliable},
	KindRPCRequest:   {"rpc_request", ToServer, Reliable},
	KindRPCResponse:  {"rpc_response", ToClient, Reliable},
	KindAuth:         {"auth", ToServer, Reliable},
	KindAuthResult:   {"auth_result", ToClient, Reliable},

	KindTsyncHello:    {"tsync_hello", BothWays, Reliable},
	KindTsyncSnapshot: {"tsync_snapshot", ToClient, Unreliable},
	KindTsyncInput:    {"tsync_input", ToServer, Unreliable},
	KindTsyncAck:      {"tsync_ack", ToServer, Unreliable},
	KindTsyncRole:     {"tsync_role", ToClient, Reliable},
	KindTsyncRewind:   {"tsync_rewind", ToClient, Reliable},

	KindRepDelta:  {"rep_delta", BothWays, NormallyReliable},
	KindRepAck:    {"rep_ack", ToServer, Reliable},
	KindRepSchema: {"rep_schema", ToClient, Reliable},

	KindNAPresence:   {"na_presence", ToServer, Reliable},
	KindNASpawn:      {"na_spawn", ToClient, Reliable},
	KindNASpawnBatch: {"na_spawn_batch", ToClient, Reliable},
	KindNADespawn:    {"na_despawn", ToClient, Reliable},
	KindNAState:      {"na_state", ToServer, Unreliable},

	KindRoomCreate:   {"room_create", ToServer, Reliable},
	KindRoomJoin:     {"room_join", ToServer, Reliable},
	KindRoomJoined:   {"room_joined", ToClient, Reliable},
	KindRoomLeave:    {"room_leave", BothWays, Reliable},
	KindRoomMapReady: {"room_map_ready", ToServer, Reliable},

	KindMatchmakerMatched: {"matchmaker_matched", ToClient, Reliable},
	KindNotification:      {"notification", ToClient, Reliable},
	KindChatEvent:         {"chat_event", ToClient, Reliable},

	KindTsyncV2Hello:    {"tsync_v2_hello", BothWays, Reliable},
	KindTsyncV2Snapshot: {"tsync_v2_snapshot", ToClient, Unreliable},
	KindTsyncV2Input:    {"tsync_v2_input", ToServer, Unreliable},

	KindMatchClosed: {"match_closed", ToClient, Reliable},
	KindRoomReject:  {"room_reject", ToClient, Reliable},

	KindDiagServerTime:   {"diag_server_time", ToClient, Reliable},
	KindDiagCapabilities: {"diag_capabilities", DirectionUnspecified, DeliveryUnspecified},
	KindDiagClockSync:    {"diag_clock_sync", DirectionUnspecified, DeliveryUnspecified},
	KindDiagStart:        {"diag_start", DirectionUnspecified, DeliveryUnspecified},
	KindDiagFlush:        {"diag_flush", DirectionUnspecified, DeliveryUnspecified},
	KindDiagStatus:       {"diag_status", DirectionUnspecified, DeliveryUnspecified},

	KindInputStreamControl:   {"input_stream_control", DirectionUnspecified, DeliveryUnspecified},
	KindAuthoritativeInput:   {"authoritative_input", DirectionUnspecified, DeliveryUnspecified},
	KindCapabilityOffer:      {"capability_offer", DirectionUnspecified, DeliveryUnspecified},
	KindCapabilityAcceptance: {"capability_acceptance", DirectionUnspecified, DeliveryUnspecified},
}

// Info returns what the catalog says about the kind, and false if the kind is not assigned: the rest of the
// protocol's range, and all of the applications' but Ariadne's own.
func (k Kind) Info() (KindInfo, bool) {
	if int(k) < len(catalog) {
		info := catalog[k]
		return info, info.Name != ""
	}
	switch k {
	case KindSession:
		return KindInfo{"session", BothWays, Reliable}, true
	case KindSessionPart:
		return KindInfo{"session_part", BothWays, Reliable}, true
	case KindGoodbye:
		return KindInfo{"goodbye", BothWays, Reliable}, true
	}
	return KindInfo{}, false
}

// String returns the kind's name, or its number if it has none.
func (k Kind) String() string {
	if info, ok := k.Info(); ok {
		return info.Name
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

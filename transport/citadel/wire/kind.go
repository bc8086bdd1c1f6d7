package wire

// Kind says what an envelope's body is. Kinds below 100 belong to the Citadel protocol, the rest to
// applications.
type Kind uint16

// FirstApplicationKind is the lowest kind that an application may use for its own messages.
const FirstApplicationKind Kind = 100

// The kinds that the transport handles itself.
const (
	KindAuth       Kind = 5 // client to server, the first envelope: the token, empty to ask for a guest session
	KindAuthResult Kind = 6 // server to client, the one answer: see [AuthResult]

	KindSession     Kind = 0xC001 // one whole frame of a command session
	KindSessionPart Kind = 0xC002 // a piece of a larger one: see [Part]
	KindGoodbye     Kind = 0xC003 // the last envelope of a connection that ends in good order: see [Goodbye]
)

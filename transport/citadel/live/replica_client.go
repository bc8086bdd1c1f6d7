package live

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// ReplicaClient feeds a [replica.Receiver] what a connection brings, and sends acknowledgements and proposals. It can
// share the connection of a [Client]: each takes the frames that are its own. It is not safe for concurrent use.
type ReplicaClient struct {
	conn     *citadel.Conn
	receiver *replica.Receiver
	buf      []byte
}

// NewReplicaClient ties a connection that has been opened to a receiver that has received nothing. The connection stays
// the caller's to close. After its end, a new connection needs a new receiver.
func NewReplicaClient(conn *citadel.Conn, r *replica.Receiver) *ReplicaClient {
	return &ReplicaClient{conn: conn, receiver: r}
}

// Receiver returns the receiver.
func (c *ReplicaClient) Receiver() *replica.Receiver { return c.receiver }

// Handle takes an event of the connection, and calls changed with what it has changed; nil if that is of no interest.
// It returns false for everything that is not replication. An error is one of [replica.Receiver.Apply] or
// [replica.Receiver.Table]; a bunch with an error has changed nothing.
func (c *ReplicaClient) Handle(e citadel.Event, changed func(replica.Update)) (ours bool, err error) {
	if e.Kind != citadel.Frame && e.Kind != citadel.Datagram {
		return false, nil
	}
	switch e.Envelope.Kind {
	case wire.KindRepSchema:
		return true, c.receiver.Table(e.Envelope.Body)
	case wire.KindRepDelta:
		u, err := c.receiver.Apply(e.Envelope.Body)
		if err == nil && changed != nil {
			changed(u)
		}
		return true, err
	}
	return false, nil
}

// Propose sends what the client wants of an object of its own: those fields that clients write and that have changed since
// the last time. The author must be the same for as long as the object is. Nothing tells whether the server agrees, but
// what it sends. The errors are those of [replica.Author.Propose]; that the connection is over, its Closed event says.
func (c *ReplicaClient) Propose(a *replica.Author, o replica.Object) error {
	body, err := a.Propose(c.buf[:0], o)
	if err != nil {
		return err
	}
	if c.buf = body; len(body) > 0 {
		deliver(c.conn, wire.KindRepDelta, body)
	}
	return nil
}

// Acknowledge tells the server what has arrived since the last call. Call it once for every step, and
// [citadel.Conn.Flush] or [Client.Flush] after it. An error is one of [replica.Receiver.AppendAcks].
func (c *ReplicaClient) Acknowledge() error {
	for {
		body, err := c.receiver.AppendAcks(c.buf[:0])
		if err != nil {
			return err
		}
		if c.buf = body; len(body) == 0 {
			return nil
		}
		deliver(c.conn, wire.KindRepAck, body)
	}
}

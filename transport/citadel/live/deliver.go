package live

import (
	"errors"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// SafePayload is how long a frame may be to fit the datagrams of every path, in bytes with its kind: a client's snapshots in
// the beginning, and a good MaxBytes of a [client.SenderConfig].
const SafePayload = 1_090

// deliver sends a frame by the delivery of its kind. That a connection is over, its Closed event says.
func deliver(c *citadel.Conn, kind wire.Kind, body []byte) {
	info, _ := kind.Info()
	if info.Delivery != wire.Unreliable {
		_ = c.Send(kind, body)
		return
	}
	if err := c.SendDatagram(kind, body); errors.Is(err, citadel.ErrDatagramTooLarge) {
		_ = c.Send(kind, body)
	}
}

// Package live ties citadel connections to transform sync and to property replication: it is what an application would
// otherwise write between package citadel, which owns goroutines and delivers events, and the state machines of packages
// tsync/server, tsync/client, netpeer/authority and netpeer/replica, which know neither.
//
// Each half belongs to one goroutine, that of a game loop:
//
//	for {                            // a server          for {                         // a client
//		server.Pump()                                         err := client.Pump(heard)
//		world.Tick()                                          sync.Advance(seconds)
//		server.Send()                                         sync.Push(object, &input)
//		server.Flush()                                        client.Flush()
//	}                                                     }
//
// # Replication
//
// A [ReplicaServer] and a [ReplicaClient] do the same for replicated objects. They can have connections for themselves, or
// share them with a [Server] and a [Client]. Then the application drains the inbox and asks one after the other:
//
//	listener.Inbox().Drain(func(e citadel.Event) {
//		if !replicas.Handle(e) {
//			server.Handle(e)
//		}
//	})
//
// Who joins and when is for the application to say; [ServerConfig.Joined] is a good moment. All of it goes reliably, so that
// bunches come in order and none is missing. Then [replica.Config.Resend], a safeguard against loss, can be longer than any
// round trip, half a second of ticks for instance; with the default of 8 ticks a slow client gets some bunches twice.
//
// # What goes how
//
// Hellos, roles and results of shots are sent reliably and in order; snapshots, inputs and acknowledgements as
// datagrams, late ones of which are of no use. A snapshot or an input that does not fit the path's datagrams goes
// reliably rather than not at all; so does everything over a link without datagrams, such as a WebSocket, where one
// lost packet then holds up all that follows.
//
// # What a server makes of a connection
//
// A connection joins the world when it sends its hello, and leaves it when it ends. A few times a second the
// server reads the statistics of the connection (round-trip time, jitter, loss, drops) and tells them to
// [server.Client.Observe], by which send rate, budget and the rewinding of shots follow the network as it is.
//
// # Limits
//
// Snapshots of a client have [SafePayload] bytes at most in the beginning, which every path carries as a datagram, and
// then as many as the path turns out to carry, up to MaxPayload of [server.Config]. Over a link without datagrams it is
// that alone. Inputs are bounded by [client.SenderConfig] only; with a MaxBytes of SafePayload they always fit.
//
// Frames that are malformed are counted by world and client, and dropped. Neither half ends a connection for that;
// [server.Client.Stats] tells an application that wants to.
//
// A client does not connect again by itself: a new connection needs a new [client.Client], which begins as anybody who
// joins.
package live

// Package bridge ties citadel connections to command sessions: it is what an application would otherwise
// write between package citadel, which owns goroutines and delivers events, and package session, which is a
// state machine that belongs to one goroutine.
//
// Both halves have one method that a game loop calls once per turn, Pump. It takes everything that has
// arrived since the last turn and feeds it to the session, on the goroutine that calls it and nowhere else.
//
//	for {                                  // a server          for {                 // a client
//		server.Pump()                                               err := client.Pump()
//		host.Tick(next)                                             host.Tick(next)
//		server.Router().BroadcastStep(id)                           client.Flush()
//		server.Flush()                                          }
//	}
//
// A [Server] binds each connection that the application admits, feeds its frames to a [session.Server],
// unbinds it when it is gone, and closes the older of two connections that speak for the same author.
//
// A [Client] keeps one connection: it dials in the background, joins as soon as it is connected, lets the
// session know when the connection is lost, and dials again, with growing pauses. What went wrong is returned
// by Pump, once.
//
// Neither knows what connections are made of. A server has those of its listener, over QUIC, WebTransport and
// WebSocket, and a client has what its [Dial] function returns.
//
// A client resumes: after a loss it asks for what it has missed since. So an authority that has forgotten its
// past, because its process was started anew, must say so by another [session.Config] Epoch, or go on under
// another session id; a client would take the new record for the rest of the old one.
package bridge

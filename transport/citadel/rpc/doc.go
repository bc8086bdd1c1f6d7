// Package rpc lets clients call methods of a server over a citadel connection: one request, one response, to the
// caller alone.
//
// Both ends live beside the game loop that drains the inbox, and are given each event:
//
//	inbox.Drain(func(e citadel.Event) {
//		if server.Receive(e) { // or client.Receive(e)
//			return
//		}
//		// the game's own events
//	})
//
// # Server
//
// A method is a function. [Server.Handle] registers one that runs on a goroutine of its own, off the loop, with a
// context that ends with its deadline, with the caller's connection and with the server. [Server.HandleLoop]
// registers one that runs inside Receive, on the loop, where it may touch the game's state and must be quick.
//
//	server.Handle("profile.load", func(ctx context.Context, call rpc.Call) ([]byte, error) {
//		return store.Profile(ctx, call.Peer.Identity().UserID)
//	})
//
// Each request that can be parsed is answered exactly once, unless its connection is gone. What cannot be parsed has
// no id to be trusted; it is dropped and counted, and so is a request that comes as a datagram.
//
// A caller learns little of what goes wrong: the text of the answer is one of a few fixed ones, and only an error
// made by [Errorf] chooses its own. A handler that panics fails alone. (A fatal error of the runtime, such as two
// goroutines writing one map, still ends the process.)
//
// The answers:
//
//	no such method                                  unknown method
//	payload above Config.MaxRequest                 request too large
//	MaxPerPeer or MaxCalls calls running already    too many calls
//	the handler's deadline                          deadline exceeded
//	an error made by Errorf                         its own text
//	any other error, a panic                        internal error
//	reply above Config.MaxResponse                  response too large
//	after Shutdown                                  server shutting down
//
// When a deadline passes, the caller is answered at once. The handler is not stopped, because nothing can, and keeps
// its place among MaxPerPeer and MaxCalls until it returns: handlers that ignore their contexts do not pile up.
// Nothing is queued for want of a place, so a caller that floods the server is told so.
//
// What a server holds for its callers is bounded by MaxCalls requests of MaxRequest bytes each, whatever they do;
// responses wait in the connection's own outbound queue, whose overflow closes that connection.
//
// # Client
//
// [Client.Call] waits for the response. It is for other goroutines than the loop, because the loop is what delivers
// responses; on the loop, [Client.Go] calls back. Ids count up from 1 and are never used again; a response whose
// call was given up, or never was, is ignored and counted. There is no deadline but the context's: a server of this
// package always answers, another might not.
//
// # Figures
//
// Of the processors, on two virtual CPUs of an AMD EPYC with much else to do, Go 1.26.8, the lowest of ten runs of
//
//	go test -run xxx -bench . -benchtime 0.05s -count 10 ./transport/citadel/rpc
//
// A call with 16 bytes each way costs the server 0.16 µs and no allocation on the loop, and 9 µs and 20 allocations on
// a goroutine, most of which is its context; a call of an unknown method 0.08 µs and no allocation. It costs the client
// 0.09 µs and no allocation by Go. One Call after the other over loopback QUIC, both ends together, takes 124 µs and 19
// allocations to a method of the loop, and 150 µs and 38 to one on a goroutine.
package rpc

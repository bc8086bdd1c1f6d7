// Package handlers defines an analyzer that looks at what a game gives to a session: the handlers of its commands,
// its validators, codecs and transports.
//
// # Analyzer handlers
//
// handlers: check the handlers of commands, and what borrows memory from a session
//
// The category of a finding says what it is about.
//
// # executor
//
// A package handles some of its commands but not this one, or handles it without an executor, so that the command
// does nothing. Where that is meant, because what counts is the event of its confirmation, write it down:
//
//	session.Handle(host, say, session.Handlers[Say]{Validate: decent, Execute: nil})
//
// # twice
//
// A function handles a command type on a host that has just got handlers for it. The second call returns
// session.ErrHandled.
//
// # borrowed
//
// Memory that is only lent for a call is kept beyond it: in a variable, a field, a map, a channel or another
// goroutine. This is about
//
//   - the frame that a session passes to Transport.Send,
//   - the payload that a session.Validator looks at,
//   - the bytes that UnmarshalBinary or Codec.Decode turns into a value,
//   - the command that Validate looks at: what its payload points to may belong to whoever sent it,
//   - the command and the Preparation that Mutate gets pointers to,
//   - what the payload points to in Execute, if the type was registered as Shared; other such payloads are decoded
//     afresh for each execution and may be kept.
//
// Whatever the function calls in its own package is taken into account. The fix copies the bytes.
//
// # reentry
//
// A handler, a validator, or a simulation's Tick, AppendBinary or UnmarshalBinary calls back into the session, by
// Commands.Send, Host.Tick, Host.Cancel and so on. The host is busy then and refuses with session.ErrBusy, on every
// peer and again in every replay. Note what is to be sent, and send it after the tick.
//
// In test files only borrowed memory is reported: tests do the other things on purpose.
package handlers

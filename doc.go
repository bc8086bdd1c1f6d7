// Package ariadne is the root of a library for deterministic command sessions with rollback. It holds no
// code; start with the package whose job you need:
//
//   - netcode: the vocabulary that all others share: ids, keys, steps, results, and the contract of a
//     simulation.
//   - registry: command types, their ids and codecs, typed handles.
//   - protocol: the frames that peers exchange.
//   - journal: the record of a session's commands, from which a peer resumes.
//   - rollback: the fixed-step models that run a simulation, with and without prediction.
//   - session: hosts, the server and its clients: admission, prediction, joining and resuming.
//   - transport/citadel: connections that speak the Citadel wire format, over QUIC, WebSocket (ws) or WebTransport
//     (wt), with rooms and rpc on top. Below it are the codecs of that format, each a package of its own without a
//     socket: bitpack, quant, schema, baseline, interest, wire, tsync and netpeer; and cabi, a C library of some
//     of them.
//
// Everything but the connections is a pure state machine: bytes and steps go in, frames and state come out, and
// there is no goroutine, clock, randomness or I/O inside. A program that imports only those above the transport
// builds from this module and the standard library alone. Tests in this folder hold both promises.
package ariadne

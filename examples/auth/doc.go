// Command auth shows a server that lets in whoever holds a token that a login service has signed.
//
//	go run .
//
// plays all the parts in one process: a login service with a key of its own, a game server that knows only the public
// half of it, and clients with tokens of all kinds.
//
// What to copy is verifier.go, which makes a citadel.Authenticator of a list of public keys. The tokens are JSON Web
// Tokens (RFC 7519) with Ed25519 signatures; the library that checks them is github.com/golang-jwt/jwt. This example
// is a module of its own, so that nobody depends on that library who does not want to.
//
// What there is to know:
//
//   - A server needs no secret. Whoever can read its memory cannot sign tokens.
//   - A client learns that its token is no good, and never why. The reasons differ only inside the server.
//   - Neither a token nor an error that could quote one is logged.
//   - A token is good until it expires, as often as it is shown: let it expire within minutes, because it is needed
//     only for the moment of connecting. A connection that is open is not closed when its token expires.
//   - Keys are changed by adding the new one to the servers, then letting the login service sign with it, then removing
//     the old one when its last tokens have expired.
package main

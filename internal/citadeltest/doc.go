// Package citadeltest is what the tests of connections have in common, whatever a connection runs on: a game loop that
// waits for events, both ends of a connection, and the tests that every kind of link has to pass.
package citadeltest

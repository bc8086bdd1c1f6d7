// Package netem puts a bad network between a client and a server of the same process: a UDP relay on the
// loopback interface that delays, jitters, loses and, if allowed, reorders packets. It is meant for tests and
// demonstrations, not for production traffic.
//
// Clients talk to the relay's address. For each client address the relay opens a socket of its own to the
// target, so that the target tells clients apart as it would without the relay.
//
// Chance comes from a seed, one stream per direction: of two runs that send the same packets in the same order
// the same ones are lost. When they arrive is up to the machine's clock.
package netem

// Package conformance holds what can only be tested on all codecs of the Citadel wire format together: the
// corpus of damaged bodies, the frames of transform sync and property replication with the tables they refer to, and
// the worked examples of the reference page. It exports nothing.
package conformance

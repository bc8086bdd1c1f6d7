// Package baseline keeps track of which of the states that were sent a receiver has, so that the next one can be
// sent as its difference from one of them.
//
// Every state has an id. Ids ascend from one, and zero means none: no state, no baseline. The sender takes ids
// from [IDs] and notes in a [Tracker] which of them are on their way. The receiver notes in a [Window] what has
// arrived and sends the window back, as often as it likes and over a path that may lose, repeat or reorder. The
// tracker's baseline moves to the newest id that the window names, but only to one that was issued, is still
// outstanding and is above the present baseline: a stale, repeated or forged acknowledgement changes nothing.
//
// All types have a type parameter, because transform sync counts in 32 bits and property replication in 64. A
// larger id is always the newer one. Ids that start again after the largest need a new window and a new tracker.
//
// Nothing here is safe for concurrent use. Nothing allocates, apart from the growth of a tracker to the most ids
// that it has had outstanding.
//
// Noting an id in a window takes 4 ns; issuing one and taking an acknowledgement, with eight outstanding, takes
// 50 ns. This is from "go test -bench . ./transport/citadel/baseline" on a 2 vCPU AMD EPYC VM with Go 1.26.8.
package baseline

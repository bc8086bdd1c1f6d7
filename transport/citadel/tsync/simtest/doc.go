// Package simtest plays whole sessions of transform sync: packages server and client, and a network between them that
// loses, repeats, delays and reorders. There is no clock and no socket: all of it happens tick by tick, and all chance comes
// from a seed. It has tests only.
//
// # The simulation
//
// TestSimulation plays 200 sessions of 10,000 ticks, or ten short ones with -short:
//
//	go test -v -run TestSimulation ./transport/citadel/tsync/simtest
//
// A session has 1 to 32 clients and 1 to 2,000 objects; some have the most of both. Datagrams of either direction are lost
// (up to 30%, and altogether for up to 400 ticks), come twice, and come up to 111 ticks late, in any order. Rates, budgets,
// payloads, precisions and the version of the protocol differ. Meanwhile objects come, go, come back within a tick, turn,
// are put elsewhere and have their velocity told or not; owners change; viewers move; clients connect anew; and players
// drive what they own, and shoot. Checked are
//
//   - at every snapshot sent, that it fits, that every update is the latched frame, that nothing is missing if nothing had
//     to wait, that the frame is the world, quantised, and that near objects are told and far ones are not;
//   - at every snapshot applied, that the client has exactly the frame's states, quantised, for what the server has told of
//     it; that no object shows a past of an earlier life; and that predictions are where the inputs after the
//     acknowledgement lead;
//   - that no snapshot ever lacks its base;
//   - that each input counts once, in order, as it was made; that each shot is resolved once and told once; and that the
//     acknowledgement never goes back;
//   - that after a quiet time all agree: states, roles, predictions and inputs.
//
// If anything worth a trial did not happen, such as loss, discards or corrections, the test fails as well. What it reports
// in the end:
//
//	2,032,416 ticks, 20,142,576 of clients: 3,253,053 snapshots, of them 3.4% full; 38,365,890 objects compared, at most 1,985 at a time
//	network: 12,389,909 datagrams, 9.3% lost, 16.6% in blackouts, 5.3% doubled; 36,816 blackouts, 5,996 connections anew, 11,794 changes of rate, 49,704 of the path
//	bandwidth: 125 bytes a snapshot, 4.9 updates, 25.7 bytes an update; 8.02 updates waited; 4,640,580 removals
//	discards: 2,407,861 snapshots applied, 442,491 were stale; 12,892 roles of 2,482,010
//	inputs: 6,042,940 made, 803,019 could not be, 5,225,781 counted; 43,666,465 came again, 5,652,623 for what is not one's own
//	shots: 130,636, 43,050 rewound, 18,573 hits
//	corrections: 15,427 of 991,064 reconciled, at most 4868.2 cm; 1,040,405 predictions compared
//	objects: 96,643 spawned, 46,295 again, 17,252 despawned, 19,223 teleported, 34,141 switched velocity, 17,818 owners changed; 49,016 views moved
//
// That takes 50 s of processor time on a 2 vCPU AMD EPYC VM with Go 1.26.8.
//
// A failure says how to have that session again, with -seed and -ticks.
//
// # Figures
//
// What a player sees of sixteen objects at 60 steps a second, over two minutes, with 50 to 83 ms each way, by
//
//	go test -v -run TestMeasureScene ./transport/citadel/tsync/simtest
//
// Eight of them go in circles of 5 m at 3 to 6 m/s, the others at 6 m/s straight on, with a sharp turn every half a second
// on average. Errors are distances, in centimetres, between what is shown and where the object was at the tick that is
// shown. The player's own object is driven all the time and knocked 50 cm aside once a second.
//
//	snapshots        circles               turning                corrections     ms behind      bytes
//	a second  loss   p50    p99    max     p50    p99     max     of 120 knocks   p50    p99     a second
//	   20      0%    0.04   0.09   0.11    0.04   5.33    9.97    119             125    139      7,089
//	   20      2%    0.04   0.09   2.20    0.04   5.27   86.00    119             132    161      7,090
//	   20      5%    0.04   0.09   2.57    0.04   5.76   67.04    119             154    170      7,095
//	   20     10%    0.04   0.09   4.00    0.04   7.05  118.10    119             166    173      7,098
//	   60      0%    0.04   0.08   0.10    0.04   0.81    7.81    119              86     90     21,166
//	   60      2%    0.04   0.08   0.17    0.04   0.86   17.56    119              86     89     21,171
//	   60      5%    0.04   0.08   0.43    0.04   1.14   30.86    119              87     91     21,174
//	   60     10%    0.04   0.09   1.39    0.04   1.54   30.42    119              88     91     21,182
//
// The large ones are turns that nobody could foresee while the buffer was empty. Each knock is one correction of 50 cm, the
// last one comes too late to be told, and there is no other: loss alone corrects nothing, because inputs are repeated until
// they count, and count in order.
//
// With 5% of them lost and a way of one tick, datagrams that are delivered take 1 tick at the 99th percentile. On an ordered
// stream, with six ticks to recover what was lost, everything takes 10 (TestHeadOfLine): all waits for what is missing.
package simtest

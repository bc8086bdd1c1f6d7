package simtest

import (
	"reflect"
	"testing"
)

// counts is what happened in a simulation.
type counts struct {
	Ticks, ClientTicks                                           uint64
	Snapshots, SnapshotBytes, Fulls, Updates, Removals, Deferred uint64
	Applied, Stale, Compared                                     uint64 // snapshots, and objects after them
	Sent, Lost, Darkened, Doubled                                uint64 // datagrams
	Pushed, Stalled, Inputs, Duplicates, Refused                 uint64 // inputs: made, not made, counted, and not counted
	Shots, Hits, Rewound                                         uint64
	Reconciled, Corrections, Predicted                           uint64
	Roles, StaleRoles                                            uint64
	Spawns, Respawns, Despawns, Teleports, Switched, Handoffs    uint64 // objects
	Rates, Reconnects, Blackouts, Looks, Paths                   uint64 // of clients

	MostSeen          uint64  // objects by a client at a time
	LargestCorrection float32 // centimetres
}

// add adds what happened in another simulation.
func (c *counts) add(o *counts) {
	into, from := reflect.ValueOf(c).Elem(), reflect.ValueOf(o).Elem()
	for i := range into.NumField() {
		if f := into.Field(i); f.CanUint() && into.Type().Field(i).Name != "MostSeen" {
			f.SetUint(f.Uint() + from.Field(i).Uint())
		}
	}
	c.MostSeen = max(c.MostSeen, o.MostSeen)
	c.LargestCorrection = max(c.LargestCorrection, o.LargestCorrection)
}

// requireAll fails if anything never happened: then the simulations have shown less than they are meant to.
func (c *counts) requireAll(t *testing.T) {
	t.Helper()
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is 0: that is not a trial", v.Type().Field(i).Name)
		}
	}
}

// report logs what happened.
func (c *counts) report(t *testing.T) {
	part := func(n, of uint64) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	per := func(n, of uint64) float64 { return float64(n) / float64(max(of, 1)) }
	t.Logf("%d ticks, %d of clients: %d snapshots, of them %.1f%% full; %d objects compared, at most %d at a time",
		c.Ticks, c.ClientTicks, c.Snapshots, part(c.Fulls, c.Snapshots), c.Compared, c.MostSeen)
	t.Logf("network: %d datagrams, %.1f%% lost, %.1f%% in blackouts, %.1f%% doubled; %d blackouts, %d connections anew, %d changes of rate, %d of the path",
		c.Sent, part(c.Lost, c.Sent), part(c.Darkened, c.Sent), part(c.Doubled, c.Sent), c.Blackouts, c.Reconnects, c.Rates, c.Paths)
	t.Logf("bandwidth: %.0f bytes a snapshot, %.1f updates, %.1f bytes an update; %.2f updates waited; %d removals",
		per(c.SnapshotBytes, c.Snapshots), per(c.Updates, c.Snapshots), per(c.SnapshotBytes, c.Updates),
		per(c.Deferred, c.Snapshots), c.Removals)
	t.Logf("discards: %d snapshots applied, %d were stale; %d roles of %d", c.Applied, c.Stale, c.StaleRoles, c.Roles)
	t.Logf("inputs: %d made, %d could not be, %d counted; %d came again, %d for what is not one's own",
		c.Pushed, c.Stalled, c.Inputs, c.Duplicates, c.Refused)
	t.Logf("shots: %d, %d rewound, %d hits", c.Shots, c.Rewound, c.Hits)
	t.Logf("corrections: %d of %d reconciled, at most %.1f cm; %d predictions compared", c.Corrections, c.Reconciled, c.LargestCorrection, c.Predicted)
	t.Logf("objects: %d spawned, %d again, %d despawned, %d teleported, %d switched velocity, %d owners changed; %d views moved",
		c.Spawns, c.Respawns, c.Despawns, c.Teleports, c.Switched, c.Handoffs, c.Looks)
}

package replica_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/valuevectors"
	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

type replicatorFile struct {
	Family        string           `json:"family"`
	Set           string           `json:"set"`
	Seed          string           `json:"seed"`
	Source        string           `json:"source"`
	MaxPending    int              `json:"max_pending"`
	MaxCollection int              `json:"max_collection_baseline"`
	Schemas       []schemaVector   `json:"schemas"`
	Traces        []replicatorCase `json:"traces"`
	Quirks        []replicatorCase `json:"quirks"`
}

type schemaVector struct {
	ID      int                  `json:"id"`
	Hash    vectors.Hex          `json:"hash_hex"`
	Version uint32               `json:"layout_version"`
	Fields  []valuevectors.Field `json:"fields"`
}

func (v schemaVector) class(t *testing.T) *replica.Class {
	id := schema.Identity{Hash: schema.Hash(v.Hash), Version: v.Version}
	var fields []netpeer.Field
	for _, f := range v.Fields {
		codec, err := f.Codec()
		require.NoError(t, err)
		fields = append(fields, codec)
	}
	wire, err := netpeer.NewSchema(id, fields...)
	require.NoError(t, err)
	return replica.ClassOf(wire)
}

type replicatorCase struct {
	ID      string           `json:"id"`
	Kind    string           `json:"kind"`
	What    string           `json:"what"`
	Schema  int              `json:"schema"`
	Object  uint32           `json:"object_id"`
	IDsUsed vectors.U64      `json:"ids_used_before"`
	Steps   []replicatorStep `json:"steps"`
}

type replicatorStep struct {
	Op         string             `json:"op"`
	Receiver   vectors.U64        `json:"receiver"`
	Field      int                `json:"field_id"`
	Value      valuevectors.Value `json:"value"`
	Index      uint32             `json:"index"`
	Generation uint32             `json:"generation"`
	Key        vectors.U64        `json:"key"`
	Count      int                `json:"count"`
	Rule       string             `json:"rule"`
	Latest     vectors.U64        `json:"latest"`
	History    uint32             `json:"history"`
	Refused    bool               `json:"refused"`

	Full       bool         `json:"is_full"`
	Result     vectors.U64  `json:"result_id"`
	Base       vectors.U64  `json:"base_id"`
	Body       *vectors.Hex `json:"body_hex"`
	Digest     *bodyDigest  `json:"body_digest"`
	AdvancedTo *vectors.U64 `json:"advanced_to"`
	AckedID    *vectors.U64 `json:"acked_id"`
	Pending    *int         `json:"pending"`
}

type bodyDigest struct {
	Len   int         `json:"len"`
	FNV   vectors.U64 `json:"fnv1a64"`
	First vectors.Hex `json:"first_64_hex"`
}

// The whole file runs as the reference does it, quirks included, because nearly every trace changes a number by less
// than its codec can tell or beyond its range, and those without do not say so. Then every trace runs again without
// Reference. It may then depart from the data, but not before something has happened that the reference treats
// otherwise: one of the rows that the package documentation lists.
func TestConformanceReplicator(t *testing.T) {
	builds, bodies, alike := 0, 0, 0
	vectors.EachFile(t, "citadel-runtime", "replicator.json", func(t *testing.T, f replicatorFile) {
		require.NotEmpty(t, f.Traces)
		classes := make(map[int]*replica.Class)
		for _, v := range f.Schemas {
			classes[v.ID] = v.class(t)
		}
		for _, c := range append(f.Traces, f.Quirks...) {
			t.Run(c.ID, func(t *testing.T) {
				for _, unshared := range []bool{false, true} {
					r := newReplicatorRun(t, f, c, classes[c.Schema], replica.Config{Unshared: unshared, Reference: true})
					require.Empty(t, r.run(t))
					builds, bodies = builds+r.builds, bodies+r.bodies
				}
				r := newReplicatorRun(t, f, c, classes[c.Schema], replica.Config{})
				if departure := r.run(t); departure == "" {
					alike++
				} else {
					require.NotEmpty(t, r.rows, departure)
				}
			})
		}
	})
	require.Greater(t, bodies, 0)
	require.Greater(t, builds, bodies, "some builds send nothing")
	require.Greater(t, alike, 0, "some traces need no Reference")
	t.Logf("%d builds, %d bodies; %d traces are alike without Reference", builds, bodies, alike)
}

// replicatorRun is a trace that is being run.
type replicatorRun struct {
	c      replicatorCase
	class  *replica.Class
	s      *replica.Sender
	e      *replica.Entity
	known  map[vectors.U64]bool
	rows   []string // what has happened that the reference treats otherwise
	builds int
	bodies int
}

func newReplicatorRun(t *testing.T, f replicatorFile, c replicatorCase, class *replica.Class, config replica.Config) *replicatorRun {
	config.MaxPending, config.MaxItems, config.LastToken = f.MaxPending, f.MaxCollection, uint64(c.IDsUsed)
	r := &replicatorRun{c: c, class: class, s: replica.NewSender(config), known: make(map[vectors.U64]bool)}
	var err error
	r.e, err = r.s.Spawn(c.Object, class, 0, replica.Nobody)
	require.NoError(t, err)
	return r
}

// run returns at which step something is not as the data say, and what, or nothing.
func (r *replicatorRun) run(t *testing.T) (departure string) {
	for i, step := range r.c.Steps {
		at := "step " + strconv.Itoa(i) + " " + step.Op
		if departure := r.step(t, step, at); departure != "" {
			return at + ": " + departure
		}
		acked, pending := r.s.Baseline(replica.PeerID(step.Receiver), r.c.Object)
		if step.AckedID != nil && uint64(*step.AckedID) != acked {
			return fmt.Sprint(at, ": acked ", acked, ", not ", *step.AckedID)
		}
		if step.Pending != nil && *step.Pending != pending {
			return fmt.Sprint(at, ": pending ", pending, ", not ", *step.Pending)
		}
	}
	return ""
}

func (r *replicatorRun) step(t *testing.T, step replicatorStep, at string) (departure string) {
	to := replica.PeerID(step.Receiver)
	id := netpeer.ElementID{Index: step.Index, Generation: step.Generation}
	switch step.Op {
	case "set_scalar":
		before, had := r.e.State().Value(step.Field), r.e.State().Has(step.Field)
		require.NoError(t, step.Value.Set(r.e.State(), step.Field), at)
		if after := r.e.State().Value(step.Field); had && before.Equal(&after) {
			r.rows = append(r.rows, at+": a number whose code is there already")
		}
	case "set_item":
		v, err := step.Value.Of(r.class.Schema().Field(step.Field).Item())
		require.NoError(t, err, at)
		if old, ok := r.e.State().Item(step.Field, id); ok && old.Key == uint64(step.Key) && !old.Value.Equal(&v) {
			r.rows = append(r.rows, at+": another value under the same key")
		}
		require.NoError(t, r.e.State().PutItem(step.Field, netpeer.Element{ID: id, Key: uint64(step.Key), Value: v}), at)
	case "remove_item":
		if err := r.e.State().RemoveItem(step.Field, id); err != nil {
			require.ErrorIs(t, err, replica.ErrNoItem, at)
		}
	case "fill_items":
		require.Equal(t, "index 0..count-1, generation 0, key 1, value true for even indexes", step.Rule, at)
		for n := range step.Count {
			v, err := r.class.Schema().Field(step.Field).Item().Bool(n%2 == 0)
			require.NoError(t, err, at)
			e := netpeer.Element{ID: netpeer.ElementID{Index: uint32(n)}, Key: 1, Value: v}
			require.NoError(t, r.e.State().PutItem(step.Field, e), at)
		}
	case "add_receiver":
		if !r.known[step.Receiver] {
			r.s.Join(to, 0)
			r.known[step.Receiver] = true
		}
	case "remove_receiver":
		r.s.Leave(to)
		delete(r.known, step.Receiver)
	case "force_full":
		if r.known[step.Receiver] {
			_, pending := r.s.Baseline(to, r.c.Object)
			require.NoError(t, r.s.ForceFull(to, r.c.Object), at)
			if pending > 0 {
				r.rows = append(r.rows, at+": tokens that lead nowhere and are not forgotten")
			}
		}
	case "build":
		return r.build(t, to, step, at)
	case "ack":
		moved, ok, err := r.s.AckWindow(to, r.c.Object, uint64(step.Latest), step.History)
		require.Equal(t, step.Refused, err != nil, at)
		if (step.AdvancedTo != nil) != ok || ok && uint64(*step.AdvancedTo) != moved {
			return fmt.Sprint("moved to ", moved)
		}
	default:
		require.Fail(t, "unknown operation", at)
	}
	return ""
}

func (r *replicatorRun) build(t *testing.T, to replica.PeerID, step replicatorStep, at string) (departure string) {
	r.builds++
	_, pending := r.s.Baseline(to, r.c.Object)
	body, h, err := r.s.AppendBunch(nil, to, r.c.Object, replica.Peer)
	if !r.known[step.Receiver] {
		require.ErrorIs(t, err, replica.ErrUnknownPeer, at)
	} else {
		require.NoError(t, err, at)
	}
	if h.Full && pending > 0 {
		r.rows = append(r.rows, at+": a full bunch while others are pending")
	}
	if (step.Body == nil && step.Digest == nil) != (h.Result == 0) {
		return fmt.Sprint("result ", h.Result)
	}
	if h.Result == 0 {
		require.Empty(t, body, at)
		return ""
	}
	r.bodies++
	if step.Full != h.Full || uint64(step.Result) != h.Result || uint64(step.Base) != h.Base {
		return fmt.Sprintf("header %+v", h)
	}
	return step.compareBody(body)
}

func (s replicatorStep) compareBody(body []byte) (departure string) {
	if s.Body != nil {
		if !bytes.Equal(*s.Body, body) {
			return fmt.Sprintf("body %x, not %x", body, *s.Body)
		}
		return ""
	}
	sum := fnv.New64a()
	_, _ = sum.Write(body)
	if len(body) != s.Digest.Len || sum.Sum64() != uint64(s.Digest.FNV) || !bytes.Equal(s.Digest.First, body[:64]) {
		return "another body"
	}
	return ""
}

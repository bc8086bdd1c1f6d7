package authority_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/valuevectors"
	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/authority"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

type authorityFile struct {
	Family  string          `json:"family"`
	Set     string          `json:"set"`
	Seed    string          `json:"seed"`
	Source  string          `json:"source"`
	Classes []classVector   `json:"classes"`
	Traces  []authorityCase `json:"traces"`
	Quirks  []authorityCase `json:"quirks"`
}

type classVector struct {
	ID      int         `json:"id"`
	Class   uint32      `json:"class_id"`
	Version uint32      `json:"layout_version"`
	Digest  vectors.Hex `json:"digest_hex"`
	Fields  []struct {
		Name      string             `json:"name"`
		Type      schema.Type        `json:"type_tag"`
		Codec     schema.CodecID     `json:"codec_id"`
		Condition schema.Condition   `json:"condition_id"`
		Authority schema.Authority   `json:"authority_id"`
		Bounds    boundsVector       `json:"bounds"`
		Wire      valuevectors.Field `json:"wire"`
	} `json:"fields"`
}

type boundsVector struct {
	Kind string `json:"kind"`
	valuevectors.Field
}

// UnmarshalJSON lets the kind be that of the bounds and the rest be read as of a field.
func (b *boundsVector) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &b.Field); err != nil {
		return err
	}
	b.Kind = b.Field.Kind
	return nil
}

func (b boundsVector) bounds(t *testing.T) schema.Bounds {
	switch b.Kind {
	case "none":
		return schema.NoBounds
	case "int_range":
		var min, max vectors.I64
		require.NoError(t, json.Unmarshal(b.Min, &min))
		require.NoError(t, json.Unmarshal(b.Max, &max))
		return schema.IntRange(int64(min), int64(max))
	case "scalar_range":
		var min, max valuevectors.Float32
		require.NoError(t, json.Unmarshal(b.MinBits, &min))
		require.NoError(t, json.Unmarshal(b.MaxBits, &max))
		return schema.ScalarRange(float32(min), float32(max), b.PerUnit)
	case "max_len":
		return schema.MaxLen(b.MaxLen)
	case "max_cardinality":
		return schema.MaxCardinality(b.MaxItems)
	}
	require.Fail(t, "unknown bounds", b.Kind)
	return schema.NoBounds
}

func (v classVector) class(t *testing.T) *replica.Class {
	layout := schema.Layout{Class: v.Class, Version: v.Version}
	var codecs []netpeer.Field
	for _, f := range v.Fields {
		layout.Properties = append(layout.Properties, schema.Property{
			Name: f.Name, Type: f.Type, Codec: f.Codec, Condition: f.Condition, Authority: f.Authority,
			Bounds: f.Bounds.bounds(t),
		})
		codec, err := f.Wire.Codec()
		require.NoError(t, err)
		codecs = append(codecs, codec)
	}
	c, err := replica.NewClass(layout, codecs...)
	require.NoError(t, err)
	require.Equal(t, schema.Hash(v.Digest), c.Identity().Hash)
	return c
}

type authorityCase struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	What     string          `json:"what"`
	Limits   *limitsVector   `json:"limits"`
	Interest *interestVector `json:"interest"`
	Shared   bool            `json:"shared_quantized_state"`
	Veto     []int           `json:"veto_fields"`
	Steps    []authorityStep `json:"steps"`
}

type limitsVector struct {
	Bunches     float64     `json:"bunches_per_sec"`
	BunchesBits vectors.Hex `json:"bunches_per_sec_bits"`
	Bytes       float64     `json:"bytes_per_sec"`
	BytesBits   vectors.Hex `json:"bytes_per_sec_bits"`
	Fields      float64     `json:"fields_per_sec"`
	FieldsBits  vectors.Hex `json:"fields_per_sec_bits"`
	Items       float64     `json:"items_per_sec"`
	ItemsBits   vectors.Hex `json:"items_per_sec_bits"`
	MaxBytes    int         `json:"max_bunch_bytes"`
	MaxFields   int         `json:"max_bunch_fields"`
	Cooldown    vectors.U64 `json:"field_cooldown_ms"`
}

type interestVector struct {
	Cell      float32     `json:"cell_size"`
	CellBits  vectors.Hex `json:"cell_size_bits"`
	Inner     float32     `json:"inner"`
	InnerBits vectors.Hex `json:"inner_bits"`
	Outer     float32     `json:"outer"`
	OuterBits vectors.Hex `json:"outer_bits"`
}

type authorityStep struct {
	Op         string       `json:"op"`
	Class      int          `json:"class"`
	Older      []int        `json:"older"`
	Minimum    uint32       `json:"min_accepted_version"`
	OK         bool         `json:"ok"`
	Object     uint32       `json:"object_id"`
	Match      vectors.U64  `json:"match_id"`
	ClassID    uint32       `json:"class_id"`
	Owner      *vectors.U64 `json:"owner"`
	Persistent bool         `json:"persistent"`
	Initial    struct {
		Scalars []fieldVector `json:"scalars"`
		Items   []itemVector  `json:"items"`
	} `json:"initial"`
	Conn         vectors.U64           `json:"conn"`
	Guest        bool                  `json:"guest"`
	Position     [3]float32            `json:"position"`
	PositionBits *valuevectors.Vector3 `json:"position_bits"`
	Epoch        *vectors.U64          `json:"epoch"`
	Body         vectors.Hex           `json:"body_hex"`
	Now          vectors.U64           `json:"now_ms"`
	Handle       int                   `json:"handle"`
	Intent       string                `json:"intent"`

	Reject        string       `json:"reject"`
	Stage         string       `json:"stage"`
	Out           []outVector  `json:"out"`
	Tokens        float64      `json:"bytes_tokens"`
	TokensBits    *vectors.Hex `json:"bytes_tokens_bits"`
	Authoritative *struct {
		Scalars []fieldVector `json:"scalars"`
		Items   []itemVector  `json:"items"`
	} `json:"authoritative"`
}

func (s authorityStep) owner() replica.PeerID {
	if s.Owner == nil {
		return replica.Nobody
	}
	return replica.PeerID(*s.Owner)
}

type fieldVector struct {
	Field int                `json:"field_id"`
	Value valuevectors.Value `json:"value"`
}

type itemVector struct {
	Field      int                `json:"field_id"`
	Index      uint32             `json:"index"`
	Generation uint32             `json:"generation"`
	Key        vectors.U64        `json:"key"`
	Value      valuevectors.Value `json:"value"`
}

func (v itemVector) element(t *testing.T, c *replica.Class) netpeer.Element {
	value, err := v.Value.Of(c.Schema().Field(v.Field).Item())
	require.NoError(t, err)
	return netpeer.Element{ID: netpeer.ElementID{Index: v.Index, Generation: v.Generation}, Key: uint64(v.Key), Value: value}
}

type outVector struct {
	Participant vectors.U64 `json:"participant"`
	Kind        wire.Kind   `json:"kind"`
	Body        vectors.Hex `json:"body_hex"`
}

func (v outVector) String() string {
	return fmt.Sprintf("to %d kind %d %x", v.Participant, v.Kind, []byte(v.Body))
}

// Every trace runs as the reference does it. Those of the set that we know also run without Reference, unless something
// happens in them that the reference treats otherwise; of other sets only their makers know whether something does.
func TestConformanceAuthority(t *testing.T) {
	var accepted, rejected, out, alike int
	vectors.EachFile(t, "citadel-runtime", "authority.json", func(t *testing.T, f authorityFile) {
		require.NotEmpty(t, f.Traces)
		classes := make(map[int]*replica.Class)
		for _, v := range f.Classes {
			classes[v.ID] = v.class(t)
		}
		for _, c := range f.Traces {
			t.Run(c.ID, func(t *testing.T) {
				for _, reference := range []bool{true, false} {
					if !reference && (c.differs(t) || strings.Contains(t.Name(), "/extra")) {
						continue
					} else if !reference {
						alike++
					}
					for _, unshared := range []bool{false, true} {
						r := newAuthorityRun(c, classes, authority.Config{Reference: reference, Replica: replica.Config{Unshared: unshared}})
						for i, step := range c.Steps {
							r.step(t, step, "step "+strconv.Itoa(i)+" "+step.Op+" "+step.Intent)
						}
						accepted, rejected, out = accepted+r.accepted, rejected+r.rejected, out+r.sent
					}
				}
			})
		}
	})
	require.Greater(t, accepted, 0)
	require.Greater(t, rejected, 0)
	require.Greater(t, out, 0)
	require.Greater(t, alike, 0, "some traces need no Reference")
	t.Logf("%d accepted, %d rejected, %d bodies sent; %d traces are alike without Reference", accepted, rejected, out, alike)
}

// differs reports whether something happens in a trace that the reference treats otherwise: a connection joins again,
// or acknowledges a full bunch after which it was sent another one.
func (c authorityCase) differs(t *testing.T) bool {
	type link struct {
		to     vectors.U64
		object uint32
	}
	joined := make(map[vectors.U64]bool)
	fulls := make(map[link][]uint64)
	for _, step := range c.Steps {
		for _, o := range step.Out {
			if h, err := netpeer.PeekHeader(o.Body); o.Kind == wire.KindRepDelta && err == nil && h.Full {
				l := link{o.Participant, h.Object}
				fulls[l] = append(fulls[l], h.Result)
			}
		}
		switch step.Op {
		case "join":
			if joined[step.Conn] {
				return true
			}
			joined[step.Conn] = true
		case "ack":
			var entries []netpeer.AckEntry
			if netpeer.ParseAcks(step.Body, &entries) != nil {
				continue
			}
			for _, e := range entries {
				w, err := baseline.FromWire(e.Result, e.History)
				sent := fulls[link{step.Conn, e.Object}]
				for i := 0; err == nil && i+1 < len(sent); i++ {
					if w.Contains(sent[i]) && !w.Contains(sent[len(sent)-1]) {
						return true
					}
				}
			}
		}
	}
	return false
}

// authorityRun is a trace that is being run.
type authorityRun struct {
	s         *authority.Server
	classes   map[int]*replica.Class
	proposals map[int]*authority.Proposal

	accepted, rejected, sent int
}

func newAuthorityRun(c authorityCase, classes map[int]*replica.Class, config authority.Config) *authorityRun {
	if l := c.Limits; l != nil {
		config.Limits = authority.Limits{
			BunchesPerSecond: l.Bunches, BytesPerSecond: l.Bytes, FieldsPerSecond: l.Fields, ItemsPerSecond: l.Items,
			MaxBunchBytes: l.MaxBytes, MaxBunchFields: l.MaxFields, FieldCooldown: uint64(l.Cooldown),
		}
	}
	if i := c.Interest; i != nil {
		config.Replica.CellSize = i.Cell
		config.Replica.Radius = interest.Radius{Enter: i.Inner, Leave: i.Outer}
	}
	config.Veto = func(_ *authority.Proposal, _ *replica.Entity, field int, _ *netpeer.Value) bool {
		for _, f := range c.Veto {
			if f == field {
				return true
			}
		}
		return false
	}
	return &authorityRun{s: authority.NewServer(config), classes: classes, proposals: make(map[int]*authority.Proposal)}
}

func (r *authorityRun) step(t *testing.T, step authorityStep, at string) {
	conn := replica.PeerID(step.Conn)
	var out []string
	emit := func(to replica.PeerID, kind wire.Kind, body []byte) {
		out = append(out, outVector{vectors.U64(to), kind, body}.String())
	}
	switch step.Op {
	case "register":
		require.Equal(t, step.OK, r.s.Register(r.classes[step.Class]) == nil, at)
	case "register_compat":
		var older []*replica.Class
		for _, i := range step.Older {
			older = append(older, r.classes[i])
		}
		err := r.s.RegisterVersions(r.classes[step.Class], step.Minimum, older...)
		require.Equal(t, step.OK, err == nil, at)
		require.Equal(t, step.Reject == "bounds", errors.Is(err, authority.ErrMinimum), at)
	case "spawn":
		r.spawn(t, step, at)
	case "despawn":
		require.Equal(t, step.OK, r.s.Despawn(step.Object), at)
	case "assign_owner":
		epoch, err := r.s.SetOwner(step.Object, step.owner())
		require.Equal(t, step.Epoch != nil, err == nil, at)
		if err == nil {
			require.Equal(t, uint64(*step.Epoch), epoch, at)
		}
	case "join":
		r.s.Join(conn, uint64(step.Match), step.Guest)
	case "leave":
		r.s.Leave(conn)
	case "viewer_position":
		require.Equal(t, step.OK, r.s.Look(conn, step.PositionBits.Floats()) == nil, at)
	case "object_position":
		require.Equal(t, step.OK, r.s.Move(step.Object, step.PositionBits.Floats()) == nil, at)
	case "ack":
		_ = r.s.Ack(conn, step.Body)
	case "bootstrap":
		require.NoError(t, r.s.Bootstrap(conn, emit), at)
		r.checkOut(t, step, out, at)
	case "delta":
		var p authority.Proposal
		err := r.s.Validate(conn, uint64(step.Now), step.Body, &p)
		require.Equal(t, step.Stage == "validate", err != nil, at+" %v", err)
		if err == nil {
			err = r.s.Apply(&p, emit)
		}
		r.checkReject(t, step, err, at)
		r.checkOut(t, step, out, at)
		r.checkAuthoritative(t, step, p.Object, at)
	case "validate":
		p := new(authority.Proposal)
		err := r.s.Validate(conn, uint64(step.Now), step.Body, p)
		r.checkReject(t, step, err, at)
		if err == nil {
			r.proposals[step.Handle] = p
		}
	case "apply":
		p := r.proposals[step.Handle]
		require.NotNil(t, p, at)
		conn = p.From
		err := r.s.Apply(p, emit)
		r.checkReject(t, step, err, at)
		r.checkOut(t, step, out, at)
		r.checkAuthoritative(t, step, p.Object, at)
	case "check":
		r.checkAuthoritative(t, step, step.Object, at)
	default:
		require.Fail(t, "unknown operation", at)
	}
	if step.TokensBits != nil {
		require.Equal(t, math.Float64bits(step.Tokens), math.Float64bits(r.s.BytesLeft(conn)), at+": %v, not %v", r.s.BytesLeft(conn), step.Tokens)
	}
}

func (r *authorityRun) spawn(t *testing.T, step authorityStep, at string) {
	e, err := r.s.Spawn(authority.Spec{
		Object: step.Object, Class: step.ClassID, Match: uint64(step.Match), Owner: step.owner(),
		Persistent: step.Persistent,
	})
	require.Equal(t, step.OK, err == nil, at)
	if err != nil {
		require.ErrorIs(t, err, authority.ErrUnknownClass, at)
		require.Equal(t, "unknown_object", step.Reject, at)
		return
	}
	for _, v := range step.Initial.Scalars {
		require.NoError(t, v.Value.Set(e.State(), v.Field), at)
	}
	for _, v := range step.Initial.Items {
		require.NoError(t, e.State().PutItem(v.Field, v.element(t, e.Class())), at)
	}
}

func (r *authorityRun) checkReject(t *testing.T, step authorityStep, err error, at string) {
	if step.Reject == "" {
		require.NoError(t, err, at)
		r.accepted++
		return
	}
	r.rejected++
	var reason authority.Reason
	require.ErrorAs(t, err, &reason, at)
	require.Equal(t, step.Reject, reason.String(), at)
}

func (r *authorityRun) checkOut(t *testing.T, step authorityStep, out []string, at string) {
	var want []string
	for _, o := range step.Out {
		want = append(want, o.String())
	}
	r.sent += len(out)
	require.Equal(t, want, out, at)
}

// checkAuthoritative compares values by what would be sent of them.
func (r *authorityRun) checkAuthoritative(t *testing.T, step authorityStep, object uint32, at string) {
	if step.Authoritative == nil {
		return
	}
	st := r.s.Entity(object).State()
	want := replica.NewState(st.Class())
	for _, v := range step.Authoritative.Scalars {
		require.NoError(t, v.Value.Set(want, v.Field), at)
	}
	for _, v := range step.Authoritative.Items {
		require.NoError(t, want.PutItem(v.Field, v.element(t, st.Class())), at)
	}
	for i := range st.Class().Len() {
		a, b := want.Value(i), st.Value(i)
		require.True(t, a.Equal(&b), "%s: field %d: %v, not %v", at, i, b, a)
	}
}

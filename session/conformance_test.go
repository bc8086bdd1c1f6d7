package session_test

import (
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// The shapes of the session conformance data.
type (
	traceData struct {
		Name    string
		Mode    string
		Session struct {
			SessionID     vectors.U64  `json:"session_id"`
			ProtocolID    vectors.U64  `json:"protocol_id"`
			StartStep     vectors.I64  `json:"start_step"`
			Seed          vectors.U64  `json:"seed"`
			HistoryDepth  int          `json:"history_depth"`
			ServerAuthor  uint32       `json:"server_author"`
			FirstSequence vectors.U64  `json:"first_sequence"`
			Preparation   *preparation `json:"preparation"`
		}
		Tags    []string
		Clients []clientData
		Ops     []opData
	}
	preparation struct {
		NextID      vectors.U64 `json:"next_id"`
		RandomState vectors.U64 `json:"random_state"`
	}
	clientData struct {
		Name       string
		Author     uint32
		Connection vectors.U64
		SessionID  *vectors.U64 `json:"session_id"`
		ProtocolID *vectors.U64 `json:"protocol_id"`
		Unbound    bool
	}
	opData struct {
		Op         string
		Peer       string
		Connection vectors.U64
		Command    string
		Value      int32
		Step       vectors.I64
		Hex        vectors.Hex
		Key        keyData
		From, To   string
		Cursor     struct {
			Step  vectors.I64
			Order uint32
		}
		Expect expectData
	}
	keyData struct {
		SessionID vectors.U64 `json:"session_id"`
		Author    uint32
		Sequence  vectors.U64
	}
	headerData struct {
		Key    keyData
		TypeID vectors.U64 `json:"type_id"`
		Step   vectors.I64
		Order  uint32
	}
	frameData struct {
		From, To   string
		Connection vectors.U64
		Hex        vectors.Hex
	}
	expectData struct {
		Frames       []frameData
		Result       *string
		SecondResult *string `json:"second_result"`
		Key          *keyData
		Record       *struct {
			Result       string
			Header       headerData
			FinalPayload vectors.Hex `json:"final_payload"`
		}
		State       *string
		ServerSteps []vectors.I64 `json:"server_steps"`
		CurrentStep *vectors.I64  `json:"current_step"`
		StateHex    *vectors.Hex  `json:"state_hex"`
		Executions  *int
		Bound       *bool
		Snapshot    *vectors.Hex
		Error       string
		Headers     *[]headerData
		Header      *headerData
	}
)

func (k keyData) key() netcode.Key {
	return netcode.Key{
		Session: netcode.SessionID(k.SessionID), Author: netcode.AuthorID(k.Author), Sequence: netcode.Sequence(k.Sequence),
	}
}

func (h headerData) header() netcode.Header {
	return netcode.Header{
		Key: h.Key.key(), Type: netcode.TypeID(h.TypeID), Step: netcode.Step(h.Step), Order: netcode.Order(h.Order),
	}
}

// skippable names the tags whose traces may lean on behaviour that Ariadne has on purpose made different:
// frames of replaced connections are not honoured, and disconnecting twice is the same as once.
var skippable = []string{"old_connection_frames", "double_disconnect"}

func conformance(t *testing.T, file string) {
	total, skipped := 0, 0
	vectors.Each(t, "session", file, func(t *testing.T, d traceData) {
		total++
		if slices.ContainsFunc(d.Tags, func(tag string) bool { return slices.Contains(skippable, tag) }) {
			skipped++
			return
		}
		w := newTraceWorld(t, d)
		for i, op := range d.Ops {
			w.t = t
			w.run(i, op)
			if t.Failed() {
				return
			}
		}
	})
	t.Logf("%s: %d traces, %d skipped", file, total, skipped)
}

func TestConformanceLocal(t *testing.T)        { conformance(t, "local.json") }
func TestConformanceServerClient(t *testing.T) { conformance(t, "server_client.json") }
func TestConformanceJoinResume(t *testing.T)   { conformance(t, "join_resume.json") }
func TestConformanceRandom(t *testing.T)       { conformance(t, "random.json") }

// traceWorld runs one trace: an authority, its clients, and the frames between them.
type traceWorld struct {
	t       *testing.T
	d       traceData
	server  *peer // or the local host
	router  *session.Server
	clients []*traceClient
	emitted []frameData
}

type traceClient struct {
	*peer
	name    string
	author  netcode.AuthorID
	client  *session.Client
	conn    session.ConnID
	conns   []session.ConnID // present and past
	up, dow []traceFrame
}

type traceFrame struct {
	conn session.ConnID
	data []byte
}

func newTraceWorld(t *testing.T, d traceData) *traceWorld {
	w := &traceWorld{t: t, d: d}
	start := netcode.Start{
		Session:       netcode.SessionID(d.Session.SessionID),
		Protocol:      netcode.ProtocolID(d.Session.ProtocolID),
		Step:          netcode.Step(d.Session.StartStep),
		Seed:          uint64(d.Session.Seed),
		FirstSequence: netcode.Sequence(d.Session.FirstSequence),
	}
	policy := session.CancelOwn
	if slices.Contains(d.Tags, "cancel_by_other_author") {
		policy = session.CancelAny
	}
	config := func(mode netcode.Mode, start netcode.Start) peerConfig {
		return peerConfig{depth: d.Session.HistoryDepth, Config: session.Config{
			Start: start, Mode: mode, Cancel: policy, NoResync: true, NoExtensions: true,
		}}
	}

	authority := start
	authority.Author = netcode.AuthorID(d.Session.ServerAuthor)
	if p := d.Session.Preparation; p != nil {
		authority.FirstID, authority.Seed = uint64(p.NextID), uint64(p.RandomState)
	}
	mode := netcode.Server
	if d.Mode == "local" {
		mode = netcode.Local
	}
	w.server = newPeer(t, config(mode, authority))
	if mode == netcode.Server {
		w.router = session.NewServer(serverSide{w})
		require.NoError(t, w.router.Add(w.server.Host))
	}

	for _, c := range d.Clients {
		s := start
		s.Author = netcode.AuthorID(c.Author)
		if c.SessionID != nil {
			s.Session = netcode.SessionID(*c.SessionID)
		}
		if c.ProtocolID != nil {
			s.Protocol = netcode.ProtocolID(*c.ProtocolID)
		}
		conn := session.ConnID(c.Connection)
		tc := &traceClient{
			peer: newPeer(t, config(netcode.Client, s)), name: c.Name, author: s.Author, conn: conn, conns: []session.ConnID{conn},
		}
		var err error
		tc.client, err = session.NewClient(tc.Host, clientSide{w, tc})
		require.NoError(t, err)
		w.clients = append(w.clients, tc)
		if !c.Unbound {
			require.NoError(t, w.router.Bind(conn, start.Session, s.Author))
		}
	}
	return w
}

type serverSide struct{ *traceWorld }

func (w serverSide) Send(conn session.ConnID, frame []byte) {
	for _, c := range w.clients {
		if slices.Contains(c.conns, conn) {
			c.dow = append(c.dow, traceFrame{conn, slices.Clone(frame)})
			w.emitted = append(w.emitted, frameData{"server", c.name, vectors.U64(conn), slices.Clone(frame)})
			return
		}
	}
	w.t.Errorf("frame to unknown connection %d", conn)
}

type clientSide struct {
	*traceWorld
	c *traceClient
}

func (s clientSide) Send(conn session.ConnID, frame []byte) {
	s.c.up = append(s.c.up, traceFrame{conn, slices.Clone(frame)})
	s.emitted = append(s.emitted, frameData{s.c.name, "server", vectors.U64(conn), slices.Clone(frame)})
}

func (w *traceWorld) client(name string) *traceClient {
	for _, c := range w.clients {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (w *traceWorld) peer(name string) *peer {
	if c := w.client(name); c != nil {
		return c.peer
	}
	return w.server
}

// run executes one operation and compares everything that the trace says about it.
func (w *traceWorld) run(i int, op opData) {
	t, x := w.t, op.Expect
	fail := func(what string, got, want any) {
		t.Errorf("op %d %s %s%s->%s: %s: got %v, want %v", i, op.Op, op.Peer, op.From, op.To, what, got, want)
	}
	name := op.Peer
	if name == "" {
		if name = op.From; op.To != "server" {
			name = op.To
		}
	}
	p, c := w.peer(name), w.client(name)
	before := p.ledger.executions
	w.emitted = nil
	results := []netcode.Result{}
	var header *netcode.Header

	receive := func(f traceFrame) {
		var r netcode.Result
		if op.From == "server" || op.Op == "receive_raw" {
			r, _ = c.client.Receive(f.conn, f.data)
		} else {
			r, _ = w.router.Receive(f.conn, f.data)
		}
		results = append(results, r)
	}
	next := func() (f traceFrame) {
		queue := &c.up
		if op.From == "server" {
			queue = &c.dow
		}
		if len(*queue) == 0 {
			t.Fatalf("op %d %s: nothing to deliver", i, op.Op)
		}
		f, *queue = (*queue)[0], (*queue)[1:]
		return f
	}

	switch op.Op {
	case "join":
		c.client.Join(c.conn)
	case "disconnect":
		c.client.Disconnect()
	case "unbind":
		bound := w.router.Unbind(c.conn)
		if x.Bound == nil || *x.Bound != bound {
			fail("bound", bound, x.Bound)
		}
	case "rebind":
		w.router.Unbind(c.conn)
		c.conn = session.ConnID(op.Connection)
		c.conns = append(c.conns, c.conn)
		require.NoError(t, w.router.Bind(c.conn, netcode.SessionID(w.d.Session.SessionID), c.author))
	case "send":
		key, _ := p.send(op.Command, op.Value, netcode.Step(op.Step))
		if x.Key == nil || x.Key.key() != key {
			fail("key", key, x.Key)
		}
		if x.Record != nil {
			r, ok := p.Record(key)
			switch {
			case !ok:
				fail("record", "none", x.Record)
			case r.Result.String() != x.Record.Result || r.Header != x.Record.Header.header() ||
				!slices.Equal(r.FinalPayload, []byte(x.Record.FinalPayload)):
				fail("record", r, x.Record)
			}
		}
	case "send_raw":
		receive(traceFrame{c.conn, op.Hex})
	case "receive_raw":
		receive(traceFrame{c.conn, op.Hex})
	case "cancel":
		r, _ := p.Cancel(op.Key.key())
		results = append(results, r)
	case "deliver":
		receive(next())
	case "duplicate":
		f := next()
		receive(f)
		receive(f)
	case "drop":
		next()
	case "tick":
		require.NoError(t, p.Tick(netcode.Step(op.Step)))
	case "broadcast_step":
		require.NoError(t, w.router.BroadcastStep(netcode.SessionID(w.d.Session.SessionID)))
	case "capture_snapshot":
		s, err := p.Capture()
		require.NoError(t, err)
		got, err := s.Append(nil)
		require.NoError(t, err)
		if x.Snapshot == nil || !slices.Equal(got, []byte(*x.Snapshot)) {
			fail("snapshot", hex.EncodeToString(got), x.Snapshot)
		}
	case "restore":
		var s session.Snapshot
		require.NoError(t, s.Parse(op.Hex))
		err := p.Restore(s)
		if got := err != nil; got != (x.Error == "argument") || (got && !errors.Is(err, session.ErrForeign)) {
			fail("error", err, x.Error)
		}
	case "read_accepted_after":
		got := p.AppendAccepted(nil, netcode.Cursor{Step: netcode.Step(op.Cursor.Step), Order: netcode.Order(op.Cursor.Order)})
		if x.Headers == nil || len(got) != len(*x.Headers) {
			fail("headers", got, x.Headers)
			return
		}
		for k, h := range *x.Headers {
			if got[k].Header != h.header() {
				fail("header", got[k].Header, h)
			}
		}
	case "apply_outcome_raw":
		var o protocol.Outcome
		require.NoError(t, o.Parse(op.Hex))
		done, _ := p.ApplyOutcome(o)
		results = append(results, done.Result)
		header = &done.Header
	default:
		t.Fatalf("op %d: unknown operation %q", i, op.Op)
	}

	for k, want := range []*string{x.Result, x.SecondResult} {
		switch {
		case want == nil && k < len(results):
			fail("result", results[k], "none")
		case want != nil && (k >= len(results) || results[k].String() != *want):
			fail("result", results, *want)
		}
	}
	if x.Header != nil && (header == nil || *header != x.Header.header()) {
		fail("header", header, x.Header.header())
	}
	w.compareFrames(fail, x.Frames)
	if x.State != nil && c.client.State().String() != *x.State {
		fail("state", c.client.State(), *x.State)
	}
	var steps []vectors.I64
	if c != nil {
		for _, e := range c.Events() {
			if e.Kind == session.StepReached {
				steps = append(steps, vectors.I64(e.Step))
			}
		}
	}
	if !slices.Equal(steps, x.ServerSteps) {
		fail("server steps", steps, x.ServerSteps)
	}
	if x.CurrentStep != nil && p.Step() != netcode.Step(*x.CurrentStep) {
		fail("current step", p.Step(), *x.CurrentStep)
	}
	if x.StateHex != nil && !slices.Equal(p.ledger.bytes(), []byte(*x.StateHex)) {
		fail("state", hex.EncodeToString(p.ledger.bytes()), hex.EncodeToString(*x.StateHex))
	}
	if x.Executions != nil && p.ledger.executions-before != *x.Executions {
		fail("executions", p.ledger.executions-before, *x.Executions)
	}
}

// compareFrames compares the frames per destination: their interleaving is not part of the data.
func (w *traceWorld) compareFrames(fail func(string, any, any), want []frameData) {
	names := []string{"server"}
	for _, c := range w.clients {
		names = append(names, c.name)
	}
	for _, to := range names {
		pick := func(fs []frameData) (out []string) {
			for _, f := range fs {
				if f.To == to {
					out = append(out, f.From+" "+hex.EncodeToString(f.Hex))
				}
			}
			return out
		}
		if got, want := pick(w.emitted), pick(want); !slices.Equal(got, want) {
			fail("frames to "+to, got, want)
		}
	}
	if len(w.emitted) != len(want) {
		fail("frames", len(w.emitted), len(want))
	}
}

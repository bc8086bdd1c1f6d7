package session_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write what the scenarios did into their files instead of comparing")

// TestScenarios runs the stories in testdata/scenarios. A file is a sequence of paragraphs: comment lines
// with #, commands, a line of dashes, and what the commands caused. See testdata/scenarios/README.md.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			got := playScenario(t, string(want))
			if *rewrite {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
				return
			}
			require.Equal(t, string(want), got, "run with -rewrite and read the diff")
		})
	}
}

// playScenario runs the commands of a file and returns the file with the outputs replaced by what happened.
func playScenario(t *testing.T, text string) string {
	w := &stage{t: t}
	var out strings.Builder
	inOutput := false
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := lines.Text()
		switch {
		case inOutput:
			if line == "" {
				inOutput = false
				out.WriteString("\n")
			}
		case line == "----":
			inOutput = true
			out.WriteString("----\n")
			for _, l := range w.flush() {
				out.WriteString(l + "\n")
			}
		default:
			out.WriteString(line + "\n")
			if line != "" && !strings.HasPrefix(line, "#") {
				w.command(line)
			}
		}
	}
	require.Empty(t, w.flush(), "the last commands have no ---- behind them")
	return out.String()
}

// stage is where a scenario plays: an authority, players, and the wires between them.
type stage struct {
	t        *testing.T
	server   *peer
	router   *session.Server
	config   peerConfig
	players  []*player
	nextConn session.ConnID
	trace    []string
}

type player struct {
	*peer
	name    string
	author  netcode.AuthorID
	client  *session.Client
	conn    session.ConnID
	up, dow []traceFrame
}

func (w *stage) flush() []string {
	out := w.trace
	w.trace = nil
	return out
}

func (w *stage) say(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

// serve makes the authority of w.config. The players do not see what edit changes.
func (w *stage) serve(edit func(*peerConfig)) {
	c := w.config
	c.Mode = netcode.Server
	if edit != nil {
		edit(&c)
	}
	w.server = newPeer(w.t, c)
	w.router = session.NewServer(stageServer{w})
	require.NoError(w.t, w.router.Add(w.server.Host))
}

func (w *stage) player(name string) *player {
	for _, p := range w.players {
		if p.name == name {
			return p
		}
	}
	w.t.Fatalf("no player %q", name)
	return nil
}

func (w *stage) host(name string) *peer {
	if name == "server" {
		return w.server
	}
	return w.player(name).peer
}

// option returns the value of "name=value" among the words, or def.
func option(words []string, name, def string) string {
	for _, word := range words {
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			return v
		}
	}
	return def
}

func (w *stage) number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	require.NoError(w.t, err)
	return n
}

func (w *stage) command(line string) {
	words := strings.Fields(line)
	args := words[1:]
	switch words[0] {
	case "session": // session [depth=N] [mutate] [lockstep] [cancel=any] [reference]
		w.config = peerConfig{
			depth:     int(w.number(option(args, "depth", "8"))),
			noMutator: !slices.Contains(args, "mutate"),
			lockstep:  slices.Contains(args, "lockstep"),
		}
		w.config.Start = netcode.Start{Session: 1, Protocol: 2, Author: 100, Step: 1, Seed: 42}
		if option(args, "cancel", "") == "any" {
			w.config.Cancel = session.CancelAny
		}
		w.config.NoResync = slices.Contains(args, "reference")
		w.config.NoExtensions = !slices.Contains(args, "extensions")
		w.serve(nil)
	case "restart": // the authority's process starts again with nothing
		w.config.Epoch++
		w.serve(nil)
	case "player": // player NAME AUTHOR
		c := w.config
		c.Mode = netcode.Client
		c.Start.Author = netcode.AuthorID(w.number(args[1]))
		p := &player{peer: newPeer(w.t, c), name: args[0], author: c.Start.Author}
		var err error
		p.client, err = session.NewClient(p.Host, stageClient{w, p})
		require.NoError(w.t, err)
		w.players = slices.DeleteFunc(w.players, func(o *player) bool { return o.name == p.name })
		w.players = append(w.players, p)
	case "connect": // connect NAME: a new connection, and join over it
		p := w.player(args[0])
		w.nextConn++
		p.conn = w.nextConn
		require.NoError(w.t, w.router.Bind(p.conn, 1, p.author))
		p.client.Join(p.conn)
		w.events(p.name)
	case "enter": // enter NAME...: connect and settle, without telling about it
		for _, name := range args {
			w.command("connect " + name)
		}
		w.settle()
		w.flush()
	case "cut": // cut NAME: the connection dies with everything on it
		p := w.player(args[0])
		w.router.Unbind(p.conn)
		p.client.Disconnect()
		p.up, p.dow = nil, nil
		w.events(p.name)
	case "send": // send NAME add|add_np VALUE @STEP
		p := w.host(args[0])
		key, err := p.send(args[1], int32(w.number(args[2])), netcode.Step(w.number(args[3][1:])))
		w.result(args[0], "sent "+key.String(), err)
	case "cancel": // cancel NAME AUTHOR/SEQUENCE
		author, sequence, _ := strings.Cut(args[1], "/")
		key := netcode.Key{Session: 1, Author: netcode.AuthorID(w.number(author)), Sequence: netcode.Sequence(w.number(sequence))}
		_, err := w.host(args[0]).Cancel(key)
		w.result(args[0], "cancelled "+key.String(), err)
	case "tick": // tick NAME... STEP
		for _, name := range args[:len(args)-1] {
			err := w.host(name).Tick(netcode.Step(w.number(args[len(args)-1])))
			w.result(name, w.state(name), err)
		}
	case "announce": // the authority announces its step
		require.NoError(w.t, w.router.BroadcastStep(1))
	case "deliver", "drop": // deliver FROM TO [N|all]
		n := 1
		if len(args) > 2 {
			if n = 1 << 30; args[2] != "all" {
				n = int(w.number(args[2]))
			}
		}
		for range n {
			if !w.move(args[0], args[1], words[0] == "drop") {
				break
			}
		}
	case "settle": // deliver everything until nothing moves
		w.settle()
	case "stats": // stats NAME
		s := w.host(args[0]).Stats()
		w.say("%s: %d commands, %d predicted, %d right, %d corrected, %d refused, %d rollbacks, %d steps replayed, %d resyncs",
			args[0], s.Commands, s.Predictions, s.Right, s.Corrected, s.Refused, s.Rollbacks, s.ReplayedSteps, s.Resyncs)
	case "state": // state NAME...
		for _, name := range args {
			w.say("%s: %s", name, w.state(name))
		}
	default:
		w.t.Fatalf("unknown command %q", line)
	}
}

func (w *stage) settle() {
	for moved := true; moved; {
		moved = false
		for _, p := range w.players {
			for w.move(p.name, "server", false) || w.move("server", p.name, false) {
				moved = true
			}
		}
	}
}

// state describes a peer: its step, how many commands its state has seen, and a digest of the state.
func (w *stage) state(name string) string {
	p := w.host(name)
	h := fnv.New32a()
	h.Write(p.ledger.bytes())
	return fmt.Sprintf("step %d, %d in state %08x", p.Step(), p.ledger.ExecutionCount, h.Sum32())
}

func (w *stage) result(name, done string, err error) {
	if err != nil {
		w.say("%s: %v", name, err)
	} else {
		w.say("%s: %s", name, done)
	}
	w.events(name)
}

// move delivers or drops the oldest frame on a wire.
func (w *stage) move(from, to string, drop bool) bool {
	name := from
	if from == "server" {
		name = to
	}
	p := w.player(name)
	queue := &p.up
	if from == "server" {
		queue = &p.dow
	}
	if len(*queue) == 0 {
		return false
	}
	var f traceFrame
	f, *queue = (*queue)[0], (*queue)[1:]
	if drop {
		w.say("%s => %s lost: %s", from, to, describe(f.data))
		return true
	}
	var err error
	if to == "server" {
		_, err = w.router.Receive(f.conn, f.data)
	} else {
		_, err = p.client.Receive(f.conn, f.data)
	}
	verdict := ""
	if err != nil {
		verdict = "   ! " + err.Error()
	}
	w.say("%s => %s: %s%s", from, to, describe(f.data), verdict)
	w.events(to)
	return true
}

func (w *stage) events(name string) {
	for _, e := range w.host(name).Events() {
		s := fmt.Sprintf("  %s: %v", name, e.Kind)
		switch e.Kind {
		case session.Confirmed:
			s += " " + place(e.Header)
			if e.Changed {
				s += ", not as predicted"
			}
		case session.Refused:
			s += fmt.Sprintf(" %v, %v", e.Header.Key, e.Result)
			if e.Err != nil {
				s += ": " + e.Err.Error()
			}
		case session.Withdrawn, session.Reinstated:
			s += " " + e.Header.Key.String()
		case session.RolledBack:
			s += fmt.Sprintf(" %d through %d", e.From, e.Step)
		case session.StepReached, session.Synchronized:
			s += fmt.Sprintf(" %d", e.Step)
		case session.StateChanged:
			s = fmt.Sprintf("  %s: is %v", name, e.State)
			if e.Err != nil {
				s += ": " + e.Err.Error()
			}
		case session.Resyncing, session.Faulted:
			s += ": " + e.Err.Error()
		case session.Replaced:
			s += fmt.Sprintf(" connection %d of author %d", e.Conn, e.Header.Key.Author)
		}
		w.say("%s", s)
	}
}

func place(h netcode.Header) string {
	return fmt.Sprintf("%v at step %d order %d", h.Key, h.Step, h.Order)
}

func mustParse(err error) {
	if err != nil {
		panic(err)
	}
}

// describe says in words what a frame says in bytes.
func describe(frame []byte) string {
	kind, _ := protocol.PeekKind(frame)
	value := func(payload []byte) string {
		var e entry
		if e.UnmarshalBinary(payload) != nil {
			return ""
		}
		if e.ID != 0 {
			return fmt.Sprintf(", value %d id %d", e.Value, e.ID)
		}
		return fmt.Sprintf(", value %d", e.Value)
	}
	switch kind {
	case protocol.KindProposal:
		var p protocol.Proposal
		mustParse(p.Parse(frame))
		return "proposal " + place(p.Header) + value(p.Payload)
	case protocol.KindCancel:
		var c protocol.Cancel
		mustParse(c.Parse(frame))
		return "cancel " + c.Key.String()
	case protocol.KindOutcome:
		var o protocol.Outcome
		mustParse(o.Parse(frame))
		if o.Header.Type == 0 {
			return fmt.Sprintf("%v %v", o.Result, o.Header.Key)
		}
		return fmt.Sprintf("%v %s%s", o.Result, place(o.Header), value(o.Payload))
	case protocol.KindSnapshot:
		var s protocol.Snapshot
		mustParse(s.Parse(frame))
		return fmt.Sprintf("snapshot after step %d order %d, %d bytes", s.Cursor.Step, s.Cursor.Order, len(s.Model))
	case protocol.KindSyncRequest:
		var r protocol.SyncRequest
		mustParse(r.Parse(frame))
		s := fmt.Sprintf("join at step %d", r.Step)
		if r.HasRevision {
			s += fmt.Sprintf(", knows revision %d", r.Revision)
		}
		if r.HasLastResolved {
			s += fmt.Sprintf(", answered through %d", r.LastResolved)
		}
		return s
	case protocol.KindSyncStatus:
		var s protocol.SyncStatus
		mustParse(s.Parse(frame))
		return "status " + [...]string{"replay", "snapshot", "session not found", "protocol mismatch"}[s.Status]
	case protocol.KindSyncComplete:
		var c protocol.SyncComplete
		mustParse(c.Parse(frame))
		return fmt.Sprintf("complete at step %d, revision %d", c.Step, c.Revision)
	case protocol.KindStepUpdate:
		var s protocol.StepUpdate
		mustParse(s.Parse(frame))
		return fmt.Sprintf("step %d", s.Step)
	case protocol.KindOffer:
		return "offers to resume by mark"
	case protocol.KindResumeInfo:
		var r protocol.ResumeInfo
		mustParse(r.Parse(frame))
		if !r.HasNext {
			return fmt.Sprintf("epoch %d, your sequences are all free", r.Epoch)
		}
		return fmt.Sprintf("epoch %d, your next sequence is %d", r.Epoch, r.NextSequence)
	case protocol.KindMark:
		var m protocol.Mark
		mustParse(m.Parse(frame))
		return fmt.Sprintf("mark revision %d after %d outcomes", m.Revision, m.Outcomes)
	}
	return fmt.Sprintf("%d unknown bytes", len(frame))
}

type stageServer struct{ *stage }

func (s stageServer) Send(conn session.ConnID, frame []byte) {
	for _, p := range s.players {
		if p.conn == conn {
			p.dow = append(p.dow, traceFrame{conn, bytes.Clone(frame)})
		}
	}
}

type stageClient struct {
	*stage
	p *player
}

func (s stageClient) Send(conn session.ConnID, frame []byte) {
	s.p.up = append(s.p.up, traceFrame{conn, bytes.Clone(frame)})
}

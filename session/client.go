package session

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// State is where a client stands with its authority.
type State uint8

// The states of a client.
const (
	Disconnected State = iota
	Joining            // asked, not answered
	Synchronizing
	Ready
	SessionNotFound
	ProtocolMismatch
)

var stateNames = [...]string{"disconnected", "joining", "synchronizing", "ready", "session_not_found", "protocol_mismatch"}

// String returns the name used in traces and conformance data.
func (s State) String() string {
	if int(s) >= len(stateNames) {
		return fmt.Sprintf("state(%d)", uint8(s))
	}
	return stateNames[s]
}

// maxResyncs is how often a client joins by snapshot in a row without becoming ready before it gives up: an
// authority whose snapshots cannot be followed will not get better by asking again.
const maxResyncs = 3

// Client joins a host in client mode to its authority and keeps it there: it asks for what was missed,
// sends again what was not answered, and starts over by snapshot when the host cannot follow. It is not safe
// for concurrent use.
type Client struct {
	host      *Host
	transport Transport

	conn     ConnID
	attached bool
	state    State

	// revision is how much of the authority's journal has been taken in.
	revision    netcode.Revision
	hasRevision bool

	// epoch is the run of the authority that revision belongs to.
	epoch    uint64
	hasEpoch bool

	// The join under way.
	expectSnapshot, gotSnapshot bool
	resyncs                     int

	outcomes uint64 // outcome frames since the last sync complete
	frame    []byte
}

// NewClient returns a coordinator for a host in client mode ([ErrWrongMode] otherwise), disconnected.
func NewClient(h *Host, t Transport) (*Client, error) {
	if h.cfg.Mode != netcode.Client {
		return nil, ErrWrongMode
	}
	c := &Client{host: h, transport: t}
	h.out = func(frame []byte) {
		if c.attached {
			c.send(frame)
		}
	}
	h.resync = c.cannotFollow
	return c, nil
}

// Host returns the host that the client joins.
func (c *Client) Host() *Host { return c.host }

// State returns where the client stands.
func (c *Client) State() State { return c.state }

// Join attaches the client to a connection and asks the authority to bring it up to date: by what has
// changed since it was last ready, if the authority still knows, otherwise by snapshot. It may be called in
// any state; joining again while a join is under way, or after a refusal, asks for a snapshot.
func (c *Client) Join(conn ConnID) {
	switch c.state {
	case Joining, Synchronizing, SessionNotFound, ProtocolMismatch:
		c.hasRevision = false
	}
	if conn != c.conn {
		c.resyncs = 0
	}
	c.conn, c.attached = conn, true
	c.join()
}

func (c *Client) join() {
	h := c.host
	c.expectSnapshot, c.gotSnapshot = false, false
	c.become(Joining, nil)
	if !h.cfg.NoExtensions {
		c.frame = (&protocol.Offer{Session: h.cfg.Start.Session, Extensions: protocol.ExtResume}).Append(c.frame[:0])
		c.send(c.frame)
	}
	r := protocol.SyncRequest{
		Session:     h.cfg.Start.Session,
		Protocol:    h.cfg.Start.Protocol,
		Revision:    c.revision,
		HasRevision: c.hasRevision,
		Step:        h.Step(),
	}
	r.LastResolved, r.HasLastResolved = h.lastResolved()
	c.frame = r.Append(c.frame[:0])
	c.send(c.frame)
}

// lastResolved returns the end of the unbroken run of own sequences that the authority has answered.
func (h *Host) lastResolved() (netcode.Sequence, bool) {
	first := h.cfg.Start.FirstSequence
	if last, ok := h.resolved.end(first); ok {
		return last, true
	}
	return first - 1, first != 0
}

// Disconnect lets go of the connection. Commands can still be issued; they are sent after the next join. A
// client that was ready can resume from there.
func (c *Client) Disconnect() {
	if c.state == Disconnected {
		return
	}
	if c.state != Ready {
		c.hasRevision = false
	}
	c.attached = false
	c.resyncs = 0
	c.become(Disconnected, nil)
}

func (c *Client) become(s State, reason error) {
	if c.state == s && reason == nil {
		return
	}
	c.state = s
	c.host.events.add(Event{Kind: StateChanged, State: s, Err: reason})
}

func (c *Client) send(frame []byte) {
	c.host.countOut(frame)
	c.transport.Send(c.conn, frame)
}

// Receive takes in a frame from a connection. The frame is borrowed. Outcomes count whatever the state;
// other frames only from the connection of the present join ([ErrStale]) and only when they are expected
// ([ErrUnexpected]). The error says why a frame was not taken in; all but [netcode.ErrFaulted] are harmless
// to the session.
func (c *Client) Receive(conn ConnID, frame []byte) (netcode.Result, error) {
	h := c.host
	if h.busy {
		return netcode.InvalidMessage, ErrBusy
	}
	h.busy = true
	defer h.leave()
	h.countIn(frame)

	kind, err := protocol.PeekKind(frame)
	if err != nil {
		return netcode.InvalidMessage, err
	}
	// Only a snapshot can help a host that has faulted.
	if h.fault != nil && kind != protocol.KindSyncStatus && kind != protocol.KindSnapshot {
		return netcode.InvalidMessage, h.fault
	}
	if kind == protocol.KindOutcome {
		var o protocol.Outcome
		if err := o.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		if conn == c.conn {
			c.outcomes++
		}
		done, err := h.applyOutcome(o)
		return done.Result, err
	}
	if c.attached && conn != c.conn {
		return netcode.InvalidMessage, ErrStale
	}
	switch kind {
	case protocol.KindSyncStatus:
		var m protocol.SyncStatus
		if err := m.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return c.onStatus(m)
	case protocol.KindSnapshot:
		var m protocol.Snapshot
		if err := m.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return c.onSnapshot(m)
	case protocol.KindSyncComplete:
		var m protocol.SyncComplete
		if err := m.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return c.onComplete(m)
	case protocol.KindStepUpdate:
		var m protocol.StepUpdate
		if err := m.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return c.onStep(m)
	case protocol.KindResumeInfo:
		var m protocol.ResumeInfo
		if err := m.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return c.onResumeInfo(m)
	case protocol.KindMark:
		var m protocol.Mark
		if err := m.Parse(frame); err != nil {
			return netcode.InvalidMessage, err
		}
		return c.onMark(m)
	}
	return netcode.InvalidMessage, ErrUnexpected
}

func (c *Client) onStatus(m protocol.SyncStatus) (netcode.Result, error) {
	start := &c.host.cfg.Start
	if m.Session != start.Session {
		return netcode.InvalidMessage, ErrForeign
	}
	switch m.Status {
	case protocol.StatusSessionNotFound:
		c.become(SessionNotFound, ErrJoin)
		return netcode.Rejected, ErrJoin
	case protocol.StatusProtocolMismatch:
		c.become(ProtocolMismatch, ErrJoin)
		return netcode.Conflict, ErrJoin
	}
	if c.state != Joining || m.Protocol != start.Protocol {
		return netcode.InvalidMessage, ErrUnexpected
	}
	c.expectSnapshot, c.gotSnapshot = m.Status == protocol.StatusSnapshot, false
	c.become(Synchronizing, nil)
	return netcode.Accepted, nil
}

// awaitingSnapshot reports that nothing but a snapshot can help now.
func (c *Client) awaitingSnapshot() bool {
	return c.state == Synchronizing && c.expectSnapshot && !c.gotSnapshot
}

func (c *Client) onSnapshot(m Snapshot) (netcode.Result, error) {
	if !c.awaitingSnapshot() {
		return netcode.InvalidMessage, ErrUnexpected
	}
	if err := c.host.restore(m); err != nil {
		if errors.Is(err, ErrBadSnapshot) {
			c.tryAgain(err)
		}
		return netcode.InvalidMessage, err
	}
	c.gotSnapshot = true
	return netcode.Accepted, nil
}

func (c *Client) onComplete(m protocol.SyncComplete) (netcode.Result, error) {
	h := c.host
	if m.Session != h.cfg.Start.Session {
		return netcode.InvalidMessage, ErrForeign
	}
	if c.state != Synchronizing || c.awaitingSnapshot() {
		return netcode.InvalidMessage, ErrUnexpected
	}
	if m.Step < h.Step() {
		err := fmt.Errorf("%w: authority at %d, client at %d", ErrBehind, m.Step, h.Step())
		c.cannotFollow(err)
		return netcode.InvalidMessage, err
	}
	if l, ok := h.cfg.Model.(confirmer); ok {
		l.Confirm(m.Step)
	}
	// At the same step there is nothing to advance, and what changed can wait for the game's own tick.
	if m.Step > h.Step() {
		if err := h.tick(m.Step); err != nil {
			if !errors.Is(err, netcode.ErrFaulted) {
				c.cannotFollow(err)
			}
			return netcode.InvalidMessage, err
		}
	}
	c.revision, c.hasRevision = m.Revision, m.HasRevision
	c.outcomes, c.resyncs = 0, 0
	c.become(Ready, nil)
	h.events.add(Event{Kind: Synchronized, Step: m.Step})
	for i := range h.pending.list {
		c.send(h.pending.list[i].frame)
	}
	return netcode.Accepted, nil
}

func (c *Client) onStep(m protocol.StepUpdate) (netcode.Result, error) {
	h := c.host
	if m.Session != h.cfg.Start.Session {
		return netcode.InvalidMessage, ErrForeign
	}
	if c.state == Ready {
		if l, ok := h.cfg.Model.(confirmer); ok {
			l.Confirm(m.Step)
		}
		h.events.add(Event{Kind: StepReached, Step: m.Step})
	}
	return netcode.Accepted, nil
}

func (c *Client) onResumeInfo(m protocol.ResumeInfo) (netcode.Result, error) {
	h := c.host
	if h.cfg.NoExtensions || m.Session != h.cfg.Start.Session || c.state != Synchronizing {
		return netcode.InvalidMessage, ErrUnexpected
	}
	if m.HasNext {
		h.SkipTo(m.NextSequence)
	}
	restarted := c.hasEpoch && m.Epoch != c.epoch
	c.epoch, c.hasEpoch = m.Epoch, true
	if restarted {
		h.seenOrders.clear() // its orders begin again
		if !c.expectSnapshot {
			// The authority has taken a revision of an earlier run for one of its own.
			c.tryAgain(ErrRestarted)
		}
	}
	return netcode.Accepted, nil
}

// onMark moves the resume cursor if every outcome that the authority sent since the synchronisation has
// arrived: over a transport that keeps its promises, always.
func (c *Client) onMark(m protocol.Mark) (netcode.Result, error) {
	h := c.host
	if h.cfg.NoExtensions || m.Session != h.cfg.Start.Session || c.state != Ready {
		return netcode.InvalidMessage, ErrUnexpected
	}
	if m.Outcomes == c.outcomes && c.hasRevision && m.Revision > c.revision {
		c.revision = m.Revision
	}
	return netcode.Accepted, nil
}

// cannotFollow reports that the authority's record cannot be applied here and, unless told otherwise, asks
// for a snapshot.
func (c *Client) cannotFollow(reason error) {
	if c.state == Joining || c.awaitingSnapshot() {
		return // a snapshot may be on its way, and whatever fails now does not matter then
	}
	c.tryAgain(reason)
}

func (c *Client) tryAgain(reason error) {
	h := c.host
	h.events.add(Event{Kind: Resyncing, Step: h.Step(), Err: reason})
	if h.cfg.NoResync || !c.attached {
		return
	}
	c.resyncs++
	if c.resyncs > maxResyncs {
		c.Disconnect()
		return
	}
	h.stats.Resyncs++
	c.hasRevision = false
	c.join()
}

package session

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// Host is one peer's side of a session: the commands, the model and the record of both. It is not safe for
// concurrent use, and handlers must not call back into it.
type Host struct {
	cfg      Config
	handlers map[netcode.TypeID]handler
	authors  map[netcode.AuthorID]*author

	prep, fork   netcode.Preparation // fork is the copy of the command under admission
	nextSequence netcode.Sequence

	// nextOrder is the order of the next accepted command on an authority, and on a client of the next
	// command it issues: one above everything seen so far.
	nextOrder netcode.Order

	// seenOrders holds the authoritative orders confirmed so far, so that a command sent again is not
	// confirmed again, not even after a snapshot has emptied the journal.
	seenOrders numbers[netcode.Order]

	// restored is the cursor of the snapshot that was restored last.
	restored    netcode.Cursor
	hasRestored bool

	pending  pendingMessages           // client: what the authority has not answered
	resolved numbers[netcode.Sequence] // client: own sequences that it has answered

	// out sends a frame to the peers that this host's mode has: on a server to every bound connection, on a
	// client to the authority. Nil while there is nobody. The frame is borrowed.
	out func(frame []byte)

	// resync asks the join coordinator for a snapshot. Nil when there is none, or it must not act.
	resync func(reason error)

	busy   bool
	fault  error
	events eventQueue
	stats  Stats

	payloadBuf, finalBuf, frameBuf, anchorBuf []byte
}

// NewHost returns a host at the start of its session. It fails if a required field of cfg is missing or
// contradicts another; the error names the field.
func NewHost(cfg Config) (*Host, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Host{
		cfg:          cfg,
		handlers:     make(map[netcode.TypeID]handler),
		authors:      make(map[netcode.AuthorID]*author),
		prep:         netcode.NewPreparation(cfg.Start.PreparationState()),
		nextSequence: cfg.Start.FirstSequence,
		nextOrder:    1,
		seenOrders:   numbers[netcode.Order]{limit: cfg.Limits.Gaps, lossy: true},
		resolved:     numbers[netcode.Sequence]{limit: cfg.Limits.Gaps},
		events:       eventQueue{limit: cfg.Limits.Events},
	}, nil
}

// Config returns the configuration with its defaults filled in.
func (h *Host) Config() Config { return h.cfg }

// Step returns the last completed step.
func (h *Host) Step() netcode.Step { return h.cfg.Model.Step() }

// NextSequence returns the sequence that the next issued command gets.
func (h *Host) NextSequence() netcode.Sequence { return h.nextSequence }

// SkipTo makes next the sequence of the next issued command, if that is forward. A process that takes over
// an author from another one needs it where the resume extension is not available: sequences are never used
// twice.
func (h *Host) SkipTo(next netcode.Sequence) { h.nextSequence = max(h.nextSequence, next) }

// Unanswered returns how many proposals and cancellations of a client wait for the authority's answer.
func (h *Host) Unanswered() int { return len(h.pending.list) }

// Tick executes late changes again and advances through step to, which may be any number of steps ahead
// within the model's limit. A tick to the current step only executes what changed. A failing simulation
// returns a [*netcode.FaultError], now and until a snapshot is restored; the model then stands at the last
// step that succeeded.
func (h *Host) Tick(to netcode.Step) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	return h.tick(to)
}

func (h *Host) tick(to netcode.Step) error {
	from, replaying := h.cfg.Model.Pending()
	through := h.cfg.Model.Step()
	if err := h.cfg.Model.Tick(to); err != nil {
		return h.modelFailed(err)
	}
	if replaying {
		h.events.add(Event{Kind: RolledBack, From: from, Step: through})
	}
	h.retain()
	return nil
}

// retain drops what the journal holds above its limit. Called every step, it has little to do at once.
func (h *Host) retain() {
	if keep := h.cfg.Limits.Retain; h.cfg.Journal.Len() > keep {
		h.cfg.Journal.Compact(h.cfg.Model.FirstRetained(), h.pending.oldest(), keep)
	}
}

// modelFailed turns an error of the model into a fault of the host if it is one.
func (h *Host) modelFailed(err error) error {
	if errors.Is(err, netcode.ErrFaulted) {
		h.setFault(err)
	}
	return err
}

func (h *Host) journalFailed(err error) error {
	err = fmt.Errorf("%w: %w", ErrJournal, err)
	h.setFault(err)
	return err
}

func (h *Host) setFault(err error) {
	if h.fault == nil {
		h.fault = err
		h.events.add(Event{Kind: Faulted, Step: h.Step(), Err: err})
	}
}

// Fault returns the failure that stopped the host, or nil. Restoring a snapshot clears it.
func (h *Host) Fault() error { return h.fault }

// Events returns what has happened since the last call. The slice is valid until the next call.
func (h *Host) Events() []Event { return h.events.take() }

// AppendAccepted appends the accepted commands after the cursor to dst, in the order in which they execute:
// by step, order, author and sequence. The payloads are borrowed from the journal and valid until the host
// is used again.
func (h *Host) AppendAccepted(dst []journal.Record, after netcode.Cursor) []journal.Record {
	return h.cfg.Journal.AppendAcceptedAfter(dst, after)
}

// Record returns what the host has recorded about a command. The payloads are borrowed from the journal and
// valid until the host is used again.
func (h *Host) Record(key netcode.Key) (journal.Record, bool) { return h.cfg.Journal.Lookup(key) }

// enter guards every method that changes the host.
func (h *Host) enter() error {
	if h.busy {
		return ErrBusy
	}
	if h.fault != nil {
		return h.fault
	}
	h.busy = true
	return nil
}

func (h *Host) leave() { h.busy = false }

func (h *Host) author(id netcode.AuthorID) *author {
	a, ok := h.authors[id]
	if !ok {
		a = new(author)
		h.authors[id] = a
	}
	return a
}

func (h *Host) key(s netcode.Sequence) netcode.Key {
	return netcode.Key{Session: h.cfg.Start.Session, Author: h.cfg.Start.Author, Sequence: s}
}

// sawOrder keeps nextOrder above every order seen. The last order is reserved, so a counter that has
// reached it is exhausted.
func (h *Host) sawOrder(o netcode.Order) {
	if o >= h.nextOrder {
		h.nextOrder = max(o, o+1) // saturates
	}
}

// confirm reports an accepted command, once.
func (h *Host) confirm(header netcode.Header, changed bool) {
	if !h.seenOrders.add(header.Order) {
		return
	}
	h.stats.Commands++
	h.events.add(Event{Kind: Confirmed, Header: header, Changed: changed})
	if f := h.cfg.Trace.Confirmed; f != nil {
		f(header, changed)
	}
}

func (h *Host) withdrawn(header netcode.Header, result netcode.Result) {
	if f := h.cfg.Trace.Withdrawn; f != nil {
		f(header, result)
	}
}

// send passes a frame to the peers, if there are any.
func (h *Host) send(frame []byte) {
	if h.out != nil {
		h.out(frame)
	}
}

// Stats are counters since the host was created.
type Stats struct {
	Commands    uint64 // commands known to be accepted by the authority
	Issued      uint64 // commands that this peer issued
	Predictions uint64 // of these, executed before the authority answered
	Right       uint64 // predictions that the authority accepted as they were: nothing was executed again
	Corrected   uint64 // predictions that it accepted with another payload, step or place
	Refused     uint64 // predictions that it refused; on an authority, refused proposals of anybody

	Rollbacks       uint64 // times that steps were executed again
	ReplayedSteps   uint64 // steps that were executed again
	DeepestRollback int64  // most steps executed again at once

	Resyncs             uint64 // times that a client had to ask for a snapshot because it could not follow
	BytesIn, BytesOut   uint64 // of frames, before any transport
	FramesIn, FramesOut uint64
	EventsDropped       uint64 // events that were not read in time
}

// Stats returns the counters.
func (h *Host) Stats() Stats {
	s := h.stats
	m := h.cfg.Model.Stats()
	s.Rollbacks, s.ReplayedSteps, s.DeepestRollback = m.Rollbacks, m.ReplayedSteps, m.DeepestRollback
	s.EventsDropped = h.events.dropped
	return s
}

func (h *Host) countIn(frame []byte)  { h.stats.FramesIn++; h.stats.BytesIn += uint64(len(frame)) }
func (h *Host) countOut(frame []byte) { h.stats.FramesOut++; h.stats.BytesOut += uint64(len(frame)) }

// Snapshot is a state from which a peer can continue a session; see [Host.Capture].
type Snapshot = protocol.Snapshot

// Capture returns a snapshot of the oldest state from which history can be replayed, so that a peer that
// restores it can still take in commands that arrive late. Together with [Host.AppendAccepted] after its
// cursor it is the whole session. The model bytes are the caller's.
func (h *Host) Capture() (Snapshot, error) {
	if err := h.enter(); err != nil {
		return Snapshot{}, err
	}
	defer h.leave()
	s, err := h.capture()
	s.Model = append([]byte(nil), s.Model...)
	return s, err
}

// capture returns a snapshot whose model bytes are valid until the next capture.
func (h *Host) capture() (Snapshot, error) {
	if err := h.cfg.Model.Settle(); err != nil {
		return Snapshot{}, h.modelFailed(err)
	}
	model, step, err := h.cfg.Model.AppendAnchor(h.anchorBuf[:0])
	if err != nil {
		return Snapshot{}, h.modelFailed(err)
	}
	h.anchorBuf = model
	return Snapshot{
		Session:     h.cfg.Start.Session,
		Protocol:    h.cfg.Start.Protocol,
		Cursor:      netcode.Cursor{Step: step, Order: h.nextOrder - 1},
		Preparation: h.prep.State(),
		Model:       model,
	}, nil
}

// Restore continues from a snapshot of the same session and protocol: the model and the allocator are
// replaced and the journal is emptied; the sequence counter and unanswered messages stay. The current step
// becomes the snapshot's, which may lie behind. Restore checks first and changes last: after an error
// everything is as it was. It clears a fault.
func (h *Host) Restore(s Snapshot) error {
	if h.busy {
		return ErrBusy
	}
	h.busy = true
	defer h.leave()
	return h.restore(s)
}

func (h *Host) restore(s Snapshot) error {
	if s.Session != h.cfg.Start.Session || s.Protocol != h.cfg.Start.Protocol {
		return ErrForeign
	}
	next, err := s.Cursor.Order.Next()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBadSnapshot, err)
	}
	if !completes(s.Model, s.Cursor.Step) {
		return fmt.Errorf("%w: model and cursor are at different steps", ErrBadSnapshot)
	}
	if err := h.cfg.Model.Load(s.Model); err != nil {
		return h.modelFailed(fmt.Errorf("%w: %w", ErrBadSnapshot, err))
	}
	h.fault = nil
	if err := h.cfg.Journal.Clear(); err != nil {
		return h.journalFailed(err)
	}
	h.nextOrder = next
	h.prep.Restore(s.Preparation)
	h.restored, h.hasRestored = s.Cursor, true
	return nil
}

// completes reports whether the state of a model, which begins with the step that it has completed, agrees
// with a cursor about it.
func completes(model []byte, step netcode.Step) bool {
	return len(model) >= 8 && netcode.Step(binary.LittleEndian.Uint64(model)) == step
}

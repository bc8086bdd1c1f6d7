package session

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// OutcomeOf returns a record as the outcome that tells another peer about it. A cancelled command carries no
// payload, whatever it had been before. The payload is borrowed from the record.
func OutcomeOf(r journal.Record) protocol.Outcome {
	o := protocol.Outcome{Result: r.Result, Header: r.Header}
	switch {
	case r.Cancelled:
		o.Result = netcode.Cancelled
	case r.Result == netcode.Accepted:
		o.Payload = r.FinalPayload
	}
	return o
}

// ApplyOutcome takes in the authority's answer for one command, whoever issued it. It returns what the
// client now holds for the key. Feed frames to [Client.Receive] instead where there is a connection;
// ApplyOutcome is for outcomes that come another way, such as the records after a snapshot that was loaded
// from a file.
//
// The error says why nothing was applied: an outcome of another session, a payload that does not decode, or
// a change behind the client's window ([netcode.ErrHistoryExceeded]), which only a snapshot can bring.
func (h *Host) ApplyOutcome(o protocol.Outcome) (netcode.Outcome, error) {
	if h.cfg.Mode != netcode.Client {
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, ErrWrongMode
	}
	if err := h.enter(); err != nil {
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, err
	}
	defer h.leave()
	return h.applyOutcome(o)
}

func (h *Host) applyOutcome(o protocol.Outcome) (netcode.Outcome, error) {
	key := o.Header.Key
	if key.Session != h.cfg.Start.Session {
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, ErrForeign
	}
	message, waiting := h.pending.get(key)
	record, known := h.cfg.Journal.Lookup(key)

	if waiting && message.cancel && o.Result != netcode.Cancelled {
		// A refusal of the cancellation has no type. Anything else crossed it on the way and answers nothing.
		if o.Header.Type != 0 {
			if o.Result == netcode.Accepted {
				return h.keepOut(o, record, known)
			}
			return h.applyRefusal(o, record, known, false)
		}
		h.answered(key)
		if message.accepted && known && record.Cancelled {
			return h.reinstate(record)
		}
	}
	predicted := waiting && message.predicted
	if o.Result == netcode.Accepted {
		return h.applyAccepted(o, record, known, predicted)
	}
	h.answered(key)
	return h.applyRefusal(o, record, known, predicted)
}

// answered forgets a message and remembers that the authority has settled an own sequence.
func (h *Host) answered(key netcode.Key) {
	h.pending.remove(key)
	if key.Author != h.cfg.Start.Author {
		return
	}
	h.resolved.add(key.Sequence)
	// An own sequence that this process has not used was used by an earlier one.
	h.SkipTo(max(key.Sequence, key.Sequence+1)) // saturates
}

// keepOut records an accepted command that this client is cancelling, without executing it.
func (h *Host) keepOut(o protocol.Outcome, r journal.Record, known bool) (netcode.Outcome, error) {
	r = accepted(o, r, known)
	r.Cancelled = true
	if err := h.cfg.Journal.Replace(r); err != nil {
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, h.journalFailed(err)
	}
	h.cfg.Model.Remove(o.Header.Key)
	h.pending.accepted(o.Header.Key)
	return netcode.Outcome{Result: netcode.Cancelled, Header: o.Header}, nil
}

// accepted returns the record of an accepted outcome, keeping what is known about the request.
func accepted(o protocol.Outcome, r journal.Record, known bool) journal.Record {
	if !known {
		r = journal.Record{Request: o.Header, RequestPayload: o.Payload}
	}
	r.Header, r.Result, r.FinalPayload = o.Header, netcode.Accepted, o.Payload
	return r
}

func (h *Host) applyAccepted(o protocol.Outcome, r journal.Record, known, predicted bool) (netcode.Outcome, error) {
	key := o.Header.Key
	done := netcode.Outcome{Result: netcode.Accepted, Header: o.Header}
	switch {
	case h.hasRestored && h.restored.Covers(o.Header):
		h.answered(key)
		h.confirm(o.Header, false)
		return done, nil
	case known && (r.Cancelled || r.Result == netcode.Cancelled):
		h.answered(key) // cancelled is final
		return netcode.Outcome{Result: netcode.Cancelled, Header: r.Header}, nil
	case known && r.Result == netcode.Accepted && r.Header == o.Header && bytes.Equal(r.FinalPayload, o.Payload):
		return done, h.applyRepeated(o, predicted)
	case !known && h.cfg.Journal.Known(key):
		h.answered(key) // applied, and its record dropped since
		return done, nil
	}

	b, ok := h.handlers[o.Header.Type]
	if !ok {
		h.answered(key)
		return netcode.Outcome{Result: netcode.UnknownType, Header: o.Header}, ErrNotRegistered
	}
	err := h.outOfReach(r)
	changed := false
	if err == nil || r.Header.Step == o.Header.Step {
		changed, err = h.set(b, o)
	}
	if err != nil {
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, h.cannotFollow(err)
	}
	if err := h.cfg.Journal.Replace(accepted(o, r, known)); err != nil {
		h.cfg.Model.Remove(key)
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, h.journalFailed(err)
	}
	h.answered(key)
	h.sawOrder(o.Header.Order)
	h.settled(o.Header, predicted, changed)
	return done, nil
}

// applyRepeated takes in an outcome that says what the journal already holds: one that was sent twice, or
// one that confirms a prediction down to its order.
func (h *Host) applyRepeated(o protocol.Outcome, predicted bool) error {
	h.answered(o.Header.Key)
	changed := false
	if predicted && o.Header.Step >= h.cfg.Model.FirstRetained() {
		// The model still holds the order as a guess.
		var err error
		if changed, err = h.set(h.handlers[o.Header.Type], o); err != nil {
			return h.cannotFollow(err)
		}
	}
	h.sawOrder(o.Header.Order)
	h.settled(o.Header, predicted, changed)
	return nil
}

// settled counts and reports an accepted command.
func (h *Host) settled(header netcode.Header, predicted, changed bool) {
	if predicted {
		if changed {
			h.stats.Corrected++
		} else {
			h.stats.Right++
		}
	}
	h.confirm(header, predicted && changed)
}

// set puts an accepted command into the model.
func (h *Host) set(b handler, o protocol.Outcome) (changed bool, err error) {
	if first := h.cfg.Model.FirstRetained(); o.Header.Step < first {
		return false, fmt.Errorf("command %v at step %d, oldest is %d: %w",
			o.Header.Key, o.Header.Step, first, netcode.ErrHistoryExceeded)
	}
	if len(o.Payload) > h.cfg.Limits.Payload {
		return false, ErrPayloadSize
	}
	entry, err := b.entry(o.Header, o.Payload, h.author(o.Header.Key.Author))
	if err != nil {
		return false, err
	}
	changed, err = h.cfg.Model.Set(entry)
	if err != nil {
		entry.Release()
		return false, h.modelFailed(err)
	}
	return changed, nil
}

// cannotFollow reports that the authority's record cannot be applied here and asks for a snapshot.
func (h *Host) cannotFollow(err error) error {
	if !errors.Is(err, netcode.ErrFaulted) && h.resync != nil {
		h.resync(err)
	}
	return err
}

// outOfReach says whether a record was executed so long ago that it cannot be taken back any more.
func (h *Host) outOfReach(r journal.Record) error {
	if first := h.cfg.Model.FirstRetained(); r.Result == netcode.Accepted && !r.Cancelled && r.Header.Step < first && r.Header.Type != 0 {
		return fmt.Errorf("take back %v at step %d, oldest is %d: %w", r.Header.Key, r.Header.Step, first, netcode.ErrHistoryExceeded)
	}
	return nil
}

// applyRefusal takes in any outcome but an accepted one.
func (h *Host) applyRefusal(o protocol.Outcome, r journal.Record, known, predicted bool) (netcode.Outcome, error) {
	key := o.Header.Key
	if known && r.Result == netcode.Accepted && !r.Cancelled && !predicted &&
		(o.Result == netcode.Conflict || o.Result == netcode.Rejected && o.Header.Type == 0) {
		// Another request came under the key of a command that the authority has accepted, or a cancellation
		// was refused twice. The command stays.
		return netcode.Outcome{Result: o.Result, Header: r.Header}, nil
	}
	if known && (r.Cancelled || r.Result == netcode.Cancelled) {
		return netcode.Outcome{Result: netcode.Cancelled, Header: r.Header}, nil
	}
	if known && r.Result == o.Result && r.Header == o.Header &&
		bytes.Equal(r.FinalPayload, o.Payload) {
		return netcode.Outcome{Result: o.Result, Header: o.Header}, nil
	}
	live, dropped := r, h.cfg.Journal.Known(key) // as it may have been executed
	var err error
	switch {
	case known:
		r.Header, r.Result, r.FinalPayload = o.Header, o.Result, nil
		err = h.cfg.Journal.Replace(r)
	case o.Result == netcode.Cancelled:
		err = h.cfg.Journal.Cancel(key)
	default:
		err = h.cfg.Journal.Replace(journal.Record{Header: o.Header, Request: o.Header, Result: o.Result})
	}
	if err != nil {
		return netcode.Outcome{Result: netcode.InvalidMessage, Header: o.Header}, h.journalFailed(err)
	}
	err = h.outOfReach(live)
	if !known && dropped && o.Result == netcode.Cancelled {
		err = fmt.Errorf("take back %v, recorded too long ago: %w", key, netcode.ErrHistoryExceeded)
	}
	if err != nil {
		return netcode.Outcome{Result: o.Result, Header: o.Header}, h.cannotFollow(err)
	}
	removed := h.cfg.Model.Remove(key)
	if predicted && o.Result != netcode.Cancelled {
		h.stats.Refused++
	}
	if removed {
		h.withdrawn(o.Header, o.Result)
	}
	switch {
	case o.Result == netcode.Cancelled:
		h.events.add(Event{Kind: Withdrawn, Header: o.Header, Result: o.Result})
	case key.Author == h.cfg.Start.Author:
		h.events.add(Event{Kind: Refused, Header: o.Header, Result: o.Result})
	}
	return netcode.Outcome{Result: o.Result, Header: o.Header}, nil
}

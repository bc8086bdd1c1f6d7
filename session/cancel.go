package session

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// Cancel takes a command back, as this peer's own author. It is [netcode.Cancelled] when the command will
// not count any more: it has been taken out, was cancelled before, or is an own one that is not known yet,
// whose key is then spent. A client tells the authority, whose refusal brings the command back. Otherwise it
// is [netcode.Rejected], and the error says why: [ErrForeign], [ErrUnknownKey], [ErrNotYours], or
// [netcode.ErrHistoryExceeded] for a command that has been executed too long ago.
func (h *Host) Cancel(key netcode.Key) (netcode.Result, error) {
	if err := h.enter(); err != nil {
		return netcode.Rejected, err
	}
	defer h.leave()
	fresh, err := h.cancel(h.cfg.Start.Author, key)
	if err != nil {
		return netcode.Rejected, err
	}
	if fresh {
		switch h.cfg.Mode {
		case netcode.Client:
			// What waits for no answer and is held has been accepted.
			_, waiting := h.pending.get(key)
			h.frameBuf = (&protocol.Cancel{Key: key}).Append(h.frameBuf[:0])
			h.pending.put(pendingMessage{
				key: key, cancel: true, accepted: !waiting, frame: h.frameBuf, recorded: h.cfg.Journal.Revision(),
			})
			h.send(h.frameBuf)
		case netcode.Server:
			h.announce(verdict{outcome: cancellationReply(key, netcode.Cancelled)})
		}
	}
	return netcode.Cancelled, nil
}

// cancellationReply is the shape of an answer to a cancellation: the key, and nothing else.
func cancellationReply(key netcode.Key, result netcode.Result) netcode.Outcome {
	return netcode.Outcome{Result: result, Header: netcode.Header{Key: key}}
}

// cancel takes a command out. fresh is false if it was cancelled before.
func (h *Host) cancel(requester netcode.AuthorID, key netcode.Key) (fresh bool, err error) {
	if key.Session != h.cfg.Start.Session {
		return false, ErrForeign
	}
	if h.cfg.Mode == netcode.Client && len(h.pending.list) >= h.cfg.Limits.Pending {
		if _, replaces := h.pending.get(key); !replaces {
			return false, ErrTooManyPending
		}
	}
	own := requester == key.Author
	r, known := h.cfg.Journal.Lookup(key)
	if !known {
		if !own || h.cfg.Journal.Known(key) {
			return false, ErrUnknownKey
		}
		if err := h.cfg.Journal.Cancel(key); err != nil {
			return false, h.journalFailed(err)
		}
		return true, nil
	}
	if r.Cancelled {
		return false, nil
	}
	authority := h.cfg.Mode.Authority() && requester == h.cfg.Start.Author
	if !own && !authority && h.cfg.Cancel != CancelAny {
		return false, ErrNotYours
	}
	// An own command that never ran can be cancelled at any time: that changes no history.
	if first := h.cfg.Model.FirstRetained(); r.Header.Step < first && (!own || r.Result == netcode.Accepted) {
		return false, fmt.Errorf("cancel %v at step %d, oldest is %d: %w",
			key, r.Header.Step, first, netcode.ErrHistoryExceeded)
	}
	header := r.Header
	if err := h.cfg.Journal.Cancel(key); err != nil {
		return false, h.journalFailed(err)
	}
	if h.cfg.Model.Remove(key) {
		h.withdrawn(header, netcode.Cancelled)
	}
	h.events.add(Event{Kind: Withdrawn, Header: header, Result: netcode.Cancelled})
	return true, nil
}

// reinstate brings back a command whose cancellation the authority has refused.
func (h *Host) reinstate(r journal.Record) (netcode.Outcome, error) {
	o := protocol.Outcome{Result: netcode.Accepted, Header: r.Header, Payload: r.FinalPayload}
	failed := netcode.Outcome{Result: netcode.InvalidMessage, Header: r.Header}
	b, ok := h.handlers[r.Header.Type]
	if !ok {
		return netcode.Outcome{Result: netcode.UnknownType, Header: r.Header}, ErrNotRegistered
	}
	if _, err := h.set(b, o); err != nil {
		return failed, h.cannotFollow(err)
	}
	r.Cancelled = false
	header := r.Header
	if err := h.cfg.Journal.Replace(r); err != nil {
		h.cfg.Model.Remove(header.Key)
		return failed, h.journalFailed(err)
	}
	h.confirm(header, false)
	h.events.add(Event{Kind: Reinstated, Header: header})
	return netcode.Outcome{Result: netcode.Accepted, Header: header}, nil
}

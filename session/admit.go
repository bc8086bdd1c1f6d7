package session

import (
	"bytes"
	"fmt"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
)

// verdict is the authority's decision about a proposal. The payload is borrowed from the host's buffers or
// journal; reason says why, unless the command was accepted.
type verdict struct {
	outcome netcode.Outcome
	final   []byte
	reason  error
}

// admit decides about a proposal from a bound author. The steps and their order are those of the section
// "Admission, in order" of the session conformance data.
func (h *Host) admit(p protocol.Proposal, bound netcode.AuthorID) verdict {
	if p.Header.Key.Session != h.cfg.Start.Session {
		return verdict{netcode.Outcome{Result: netcode.InvalidMessage, Header: p.Header}, nil, ErrForeign}
	}
	request := p.Header
	request.Key.Author = bound

	if r, ok := h.cfg.Journal.Lookup(request.Key); ok {
		return h.repeated(r, request, p.Payload)
	}
	if h.cfg.Journal.Known(request.Key) {
		// The record is gone, so nobody can tell whether this is the same request. Executing it again would
		// be worse than any answer.
		return verdict{netcode.Outcome{Result: netcode.Conflict, Header: request}, nil, ErrKeyUsed}
	}
	if len(p.Payload) > h.cfg.Limits.Payload {
		return h.refuse(netcode.InvalidMessage, request, nil, ErrPayloadSize)
	}
	b, ok := h.handlers[request.Type]
	if !ok {
		return h.refuse(netcode.UnknownType, request, p.Payload, ErrNotRegistered)
	}
	if err := b.decode(p.Payload); err != nil {
		return h.refuse(netcode.InvalidMessage, request, p.Payload, err)
	}
	return h.decide(b, request, p.Payload)
}

// repeated answers a proposal whose key is already recorded.
func (h *Host) repeated(r journal.Record, request netcode.Header, payload []byte) verdict {
	switch {
	case r.Cancelled:
		return verdict{netcode.Outcome{Result: netcode.Cancelled, Header: r.Header}, nil, nil}
	case r.Request == request && bytes.Equal(r.RequestPayload, payload):
		return verdict{netcode.Outcome{Result: r.Result, Header: r.Header}, r.FinalPayload, nil}
	}
	return verdict{netcode.Outcome{Result: netcode.Conflict, Header: r.Header}, nil, ErrKeyUsed}
}

// decide runs the pipeline from the validators on, for a command that b has decoded. It changes nothing
// until every step that can fail has succeeded.
func (h *Host) decide(b handler, request netcode.Header, payload []byte) verdict {
	at := h.Step()
	for _, v := range h.cfg.Validators {
		if err := runValidator(v, request, payload, at); err != nil {
			return h.refuse(netcode.Rejected, request, payload, err)
		}
	}
	if err := b.validate(request, at); err != nil {
		return h.refuse(netcode.Rejected, request, payload, err)
	}
	if request.Step.Sub(at) > h.cfg.Limits.Lead {
		return h.refuse(netcode.Rejected, request, payload, ErrTooFarAhead)
	}
	owner := h.author(request.Key.Author)
	if owner.open >= h.cfg.Limits.PerAuthor {
		return h.refuse(netcode.Rejected, request, payload, ErrTooManyOpen)
	}
	step, err := h.cfg.Model.Schedule(request.Step)
	if err != nil {
		return h.refuse(netcode.Rejected, request, payload, err)
	}
	next, err := h.nextOrder.Next()
	if err != nil {
		return h.refuse(netcode.Rejected, request, payload, err)
	}
	header := request
	header.Step, header.Order = step, h.nextOrder

	h.fork = h.prep.Fork()
	final := payload
	mutated, err := b.mutate(header, &h.fork)
	if err == nil && mutated {
		h.finalBuf, err = b.encode(h.finalBuf[:0])
		final = h.finalBuf
	}
	if err == nil && len(final) > h.cfg.Limits.Payload {
		err = ErrPayloadSize
	}
	if err != nil {
		return h.refuse(netcode.Rejected, request, payload, err)
	}
	entry, err := b.entry(header, final, owner)
	if err != nil {
		return h.refuse(netcode.Rejected, request, payload, err)
	}
	if _, err := h.cfg.Model.Set(entry); err != nil {
		entry.Release()
		return h.refuse(netcode.Rejected, request, payload, h.modelFailed(err))
	}
	if err := h.cfg.Journal.Append(journal.Record{
		Header: header, Request: request, Result: netcode.Accepted, RequestPayload: payload, FinalPayload: final,
	}); err != nil {
		h.cfg.Model.Remove(header.Key)
		return verdict{netcode.Outcome{Result: netcode.Rejected, Header: request}, nil, h.journalFailed(err)}
	}
	h.prep = h.fork
	h.nextOrder = next
	h.confirm(header, false)
	return verdict{netcode.Outcome{Result: netcode.Accepted, Header: header}, final, nil}
}

func runValidator(v Validator, h netcode.Header, payload []byte, at netcode.Step) (err error) {
	defer contain(h.Type, "validate", &err)
	return v(h, payload, at)
}

// refuse records a refusal, so that the same proposal gets the same answer again.
func (h *Host) refuse(result netcode.Result, request netcode.Header, payload []byte, reason error) verdict {
	v := verdict{netcode.Outcome{Result: result, Header: request}, nil, reason}
	if err := h.cfg.Journal.Append(journal.Record{
		Header: request, Request: request, Result: result, RequestPayload: payload,
	}); err != nil {
		v.reason = h.journalFailed(err)
		return v
	}
	h.stats.Refused++
	h.events.add(Event{Kind: Refused, Header: request, Result: result, Err: reason})
	return v
}

// issue sends the command that b holds: an authority decides about it at once, a client proposes it.
func (h *Host) issue(b handler, step netcode.Step) (netcode.Key, error) {
	key := h.key(h.nextSequence)
	next, err := h.nextSequence.Next()
	if err != nil {
		return netcode.Key{}, err
	}
	if h.cfg.Journal.Known(key) {
		return netcode.Key{}, ErrKeyUsed
	}
	payload, err := b.encode(h.payloadBuf[:0])
	if err != nil {
		return netcode.Key{}, err
	}
	h.payloadBuf = payload
	if len(payload) > h.cfg.Limits.Payload {
		return netcode.Key{}, ErrPayloadSize
	}
	header := netcode.Header{Key: key, Type: b.typeID(), Step: step}
	if h.cfg.Mode == netcode.Client {
		return h.propose(b, header, payload, next)
	}
	h.nextSequence = next
	h.stats.Issued++
	v := h.decide(b, header, payload)
	if v.outcome.Result != netcode.Accepted {
		if h.fault != nil {
			return key, h.fault
		}
		return key, &RefusedError{Key: key, Result: v.outcome.Result, Reason: v.reason}
	}
	h.announce(v)
	return key, nil
}

// announce tells everybody about a verdict.
func (h *Host) announce(v verdict) {
	if h.out == nil {
		return
	}
	o := protocol.Outcome{Result: v.outcome.Result, Header: v.outcome.Header}
	if o.Result == netcode.Accepted {
		o.Payload = v.final
	}
	h.frameBuf = o.Append(h.frameBuf[:0])
	h.out(h.frameBuf)
}

// propose sends a client's command to the authority and, if its type is predicted, executes it in the
// meantime.
func (h *Host) propose(b handler, header netcode.Header, payload []byte, next netcode.Sequence) (netcode.Key, error) {
	key := header.Key
	nextOrder, err := h.nextOrder.Next()
	if err != nil {
		return netcode.Key{}, err
	}
	if len(h.pending.list) >= h.cfg.Limits.Pending {
		return netcode.Key{}, ErrTooManyPending
	}
	header.Order = h.nextOrder

	predict := b.predicted() && h.cfg.Model.Predicts()
	if predict {
		if err := h.predict(b, header, payload); err != nil {
			// The authority will never hear of this sequence: nobody can answer it but we.
			h.nextSequence = next
			h.resolved.add(key.Sequence)
			if h.fault != nil {
				return key, h.fault
			}
			h.stats.Refused++
			h.events.add(Event{Kind: Refused, Header: header, Result: netcode.Rejected, Err: err})
			return key, &RefusedError{Key: key, Result: netcode.Rejected, Reason: err}
		}
		h.stats.Predictions++
		if f := h.cfg.Trace.Predicted; f != nil {
			f(header)
		}
	}
	h.nextSequence, h.nextOrder = next, nextOrder
	h.stats.Issued++
	h.frameBuf = (&protocol.Proposal{Header: header, Payload: payload}).Append(h.frameBuf[:0])
	h.pending.put(pendingMessage{
		key: key, predicted: predict, frame: h.frameBuf, recorded: h.cfg.Journal.Revision(),
	})
	h.send(h.frameBuf)
	return key, nil
}

// predict puts a command into the model and the journal as if it had been accepted.
func (h *Host) predict(b handler, header netcode.Header, payload []byte) error {
	if first := h.cfg.Model.FirstRetained(); header.Step < first {
		return fmt.Errorf("predict at step %d, oldest is %d: %w", header.Step, first, netcode.ErrHistoryExceeded)
	}
	entry, err := b.entry(header, payload, h.author(header.Key.Author))
	if err != nil {
		return err
	}
	entry.Predicted = true
	if _, err := h.cfg.Model.Set(entry); err != nil {
		entry.Release()
		return h.modelFailed(err)
	}
	if err := h.cfg.Journal.Append(journal.Record{
		Header: header, Request: header, Result: netcode.Accepted, RequestPayload: payload, FinalPayload: payload,
	}); err != nil {
		h.cfg.Model.Remove(header.Key)
		return h.journalFailed(err)
	}
	return nil
}

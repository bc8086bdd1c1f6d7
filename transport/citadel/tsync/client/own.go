package client

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
)

// own is an object that this client predicts.
type own struct {
	object    uint32
	epoch     uint32 // of the ownership
	gen       uint16 // the life that it is in; snapshots of earlier ones do not count
	predictor *Predictor
	sender    *Sender

	placed    bool   // the object is in view, and the predictor knows where
	placedGen uint16 // in which life

	confirmed    uint32 // the last acknowledgement in this ownership
	confirmedGen uint16 // and the life in which it came
	doubt        doubt
}

// begin begins another ownership of an object: earlier inputs are void, and the next one is number 1.
func (o *own) begin(r *tsync.Role, view *View) {
	o.doubt = doubt{}
	if last := o.predictor.NextSeq() - 1; last != 0 && o.object == r.Object && o.gen == r.Gen && view != nil {
		o.doubt = doubt{
			some:   true,
			acked:  o.confirmed,
			pushed: last,
			until:  view.tick + int64(doubtSeconds*view.simRate),
		}
	}
	o.object, o.epoch, o.gen, o.placed = r.Object, r.OwnershipEpoch, r.Gen, false
	o.restart()
}

// restart makes inputs void and the next one number 1.
func (o *own) restart() {
	o.confirmed = 0
	o.predictor.forget()
	o.sender.Reset(o.object, o.epoch)
}

// follow takes what the newest snapshot says of the object.
func (o *own) follow(view *View, stats *Stats) {
	s, ok := view.Object(o.object)
	if !ok {
		o.placed = false
		return
	}
	if newerGen(o.gen, s.Gen) {
		return
	}
	o.gen = s.Gen
	seq, told := o.told(&s, view.tick, stats)
	jump := !o.placed || s.Gen != o.placedGen
	before := o.predictor.State().Position
	switch {
	case jump: // without an acknowledgement the state is as good as any to begin with
		if o.predictor.Snap(s.State, seq) != nil {
			return
		}
		o.placed, o.placedGen = true, s.Gen
	case told:
		if o.predictor.Reconcile(s.State, seq) != nil {
			return
		}
		stats.corrected(before, o.predictor.State().Position)
	}
	o.sender.Ack(seq)
}

// told returns the acknowledgement that a snapshot has for the object, if it is one for this ownership; otherwise 0,
// which acknowledges nothing.
func (o *own) told(s *Object, tick int64, stats *Stats) (seq uint32, ok bool) {
	if s.News&tsync.FieldInputSeq == 0 || !o.doubt.believes(s.InputSeq, tick) {
		return 0, false
	}
	if !o.predictor.steps.given(s.InputSeq) {
		stats.UnknownAcks++
		return 0, false
	}
	if s.InputSeq == 0 && o.confirmed != 0 && o.confirmedGen != s.Gen {
		// Another life within an ownership. Servers whose epochs begin anew with a life have forgotten all inputs; others,
		// which only moved the object somewhere else, have not.
		o.restart()
	}
	if s.InputSeq != 0 {
		o.confirmed, o.confirmedGen = s.InputSeq, s.Gen
	}
	return s.InputSeq, true
}

// doubt is about acknowledgements after the same participant got an object again. Inputs then count from 1 anew, and a
// snapshot from before, which comes late, would acknowledge inputs that the server does not have.
type doubt struct {
	some   bool
	acked  uint32 // the last acknowledgement of the earlier ownership; a late one is not below it
	pushed uint32 // the last input of the earlier ownership; a late one is not above it
	until  int64  // tick at which no snapshot can be that late
}

// doubtSeconds is how late a snapshot can be.
const doubtSeconds = 2

// believes reports whether an acknowledgement is for the present ownership, or harms nobody.
func (d *doubt) believes(seq uint32, tick int64) bool {
	if d.some && (seq < d.acked || seq > d.pushed || tick >= d.until) {
		d.some = false
	}
	return !d.some || seq == 0
}

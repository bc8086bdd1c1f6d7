package client

import "github.com/ariadne-netcode/ariadne/transport/citadel/tsync"

// inputAck is the last of an owner's inputs that the server applied to one life of an object.
type inputAck struct {
	gen uint16
	seq uint32
}

// inputAcks are those of the objects of which the server ever told one, in view or not: who owns an object that went
// out of view owns it still.
type inputAcks struct {
	of    map[uint32]inputAck
	limit int
	keep  bool // the one of an object's last life for its next one
}

// note takes what a new state says.
func (a *inputAcks) note(o *object) {
	if o.fresh&tsync.FieldInputSeq == 0 {
		return
	}
	old, ok := a.of[o.id]
	switch {
	case !ok && len(a.of) >= a.limit:
		return // only to a server that tells everybody of everything
	case ok && (old.gen == o.gen || a.keep) && !newer(o.ack, old.seq):
		return
	}
	a.of[o.id] = inputAck{o.gen, o.ack}
}

// find returns the acknowledgement for an object in its present life.
func (a *inputAcks) find(o *object) (seq uint32, ok bool) {
	ack, ok := a.of[o.id]
	if !ok || ack.gen != o.gen && !a.keep {
		return 0, false
	}
	return ack.seq, true
}

// clear forgets all.
func (a *inputAcks) clear() { clear(a.of) }

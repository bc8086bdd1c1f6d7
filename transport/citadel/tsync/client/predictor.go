package client

import (
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

// MaxPending is how many inputs can be on their way: as far as a server looks ahead.
const MaxPending = motion.MaxAhead

// PredictorConfig is how a [Predictor] differs from the default. The zero value is the default.
type PredictorConfig struct {
	// Smoothing is how corrections are shown. The zero value means [DefaultSmoothing].
	Smoothing Smoothing

	// Limits are those of the server, if they are known: a prediction that goes beyond them is corrected all the time.
	// Nil means that inputs are not limited, as in the reference client.
	Limits *motion.Limits
}

// withDefaults returns the configuration that is meant, or what is wrong with it.
func (cfg PredictorConfig) withDefaults() (PredictorConfig, error) {
	if cfg.Smoothing == (Smoothing{}) {
		cfg.Smoothing = DefaultSmoothing()
	}
	if err := cfg.Smoothing.Validate(); err != nil {
		return cfg, err
	}
	if cfg.Limits != nil {
		limits := *cfg.Limits
		if err := limits.Validate(); err != nil {
			return cfg, err
		}
		cfg.Limits = &limits
	}
	return cfg, nil
}

// step is an input whose effect the server has not confirmed.
type step struct {
	move [3]float32
	dt   float32
}

// Predictor moves an object as its owner wants at once, and corrects it when the server has done the same. What it
// predicts is the server's state of the last confirmed input, and the inputs since then applied to it in order.
//
// A correction changes the prediction immediately, but what is shown gradually: [Predictor.Render] is the prediction and an
// offset that [Predictor.Smooth] makes smaller.
//
// A predictor allocates nothing after it is made. It is not safe for concurrent use.
type Predictor struct {
	cfg    PredictorConfig
	state  tsync.State
	offset [3]float32
	steps  pending[step]
}

// NewPredictor returns a predictor of an object with a state. It returns [ErrNotFinite] if that has a NaN or an infinity,
// [ErrConfig] or [motion.ErrLimits].
func NewPredictor(cfg PredictorConfig, initial tsync.State) (*Predictor, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if !motion.Finite(&initial) {
		return nil, ErrNotFinite
	}
	return &Predictor{cfg: cfg, state: initial, steps: newPending[step](MaxPending)}, nil
}

// Push applies an input: a velocity in centimetres a second, and for how many seconds. It returns its number; the first
// is 1. A dt that is not positive and finite counts as 0.
//
// It returns [ErrNotFinite] for a velocity with a NaN or an infinity, and for an input that would take the object beyond
// what a float can say; and [ErrPending] if [MaxPending] inputs are unconfirmed, because a server drops what is farther
// ahead, or if all 32-bit numbers were given, which takes two years. Then nothing has changed.
func (p *Predictor) Push(move [3]float32, dt float32) (seq uint32, err error) {
	if !finite3(move) {
		return 0, ErrNotFinite
	}
	if p.steps.full() {
		return 0, ErrPending
	}
	in := step{move, sanitiseDT(dt)}
	next := p.state
	p.integrate(&next, &in)
	if !motion.Finite(&next) {
		return 0, ErrNotFinite
	}
	p.state = next
	seq, slot := p.steps.push()
	*slot = in
	return seq, nil
}

// sanitiseDT returns a time as it is predicted and sent.
func sanitiseDT(dt float32) float32 {
	if !finite(dt) || dt < 0 {
		return 0
	}
	return dt
}

// integrate applies an input to a state.
func (p *Predictor) integrate(s *tsync.State, in *step) {
	if p.cfg.Limits != nil {
		motion.Integrate(s, in.move, in.dt, p.cfg.Limits)
		return
	}
	s.Velocity = in.move
	for i := range s.Position {
		s.Position[i] += float32(in.move[i] * in.dt)
	}
}

// Reconcile takes the state of the object after the server has applied the owner's inputs up to number lastInput, and
// applies those after it again. What is shown does not move, unless the correction is a hard snap.
//
// It returns [ErrNotFinite] for a state with a NaN or an infinity, or one from which the inputs lead to one; then nothing
// has changed. A number beyond the last input drops them
// all.
func (p *Predictor) Reconcile(authoritative tsync.State, lastInput uint32) error {
	return p.reconcile(authoritative, lastInput, false)
}

// Snap is [Predictor.Reconcile] for an object that was put somewhere else: the correction is shown at once.
func (p *Predictor) Snap(authoritative tsync.State, lastInput uint32) error {
	return p.reconcile(authoritative, lastInput, true)
}

func (p *Predictor) reconcile(authoritative tsync.State, lastInput uint32, snap bool) error {
	next := authoritative
	for n := p.steps.confirmed(lastInput); n < p.steps.count; n++ {
		p.integrate(&next, p.steps.slot(n))
	}
	if !motion.Finite(&authoritative) || !motion.Finite(&next) {
		return ErrNotFinite
	}
	shown := p.Render().Position
	p.steps.ack(lastInput)
	p.state = next
	for i := range shown {
		p.offset[i] = shown[i] - next.Position[i]
	}
	if e := length(p.offset); snap || !(e < p.cfg.Smoothing.HardSnap) {
		p.offset = [3]float32{}
	}
	return nil
}

// AdvanceSmoothing makes the visual offset smaller, by what one rendered frame of the reference does.
func (p *Predictor) AdvanceSmoothing() { p.offset = p.cfg.Smoothing.after(p.offset, 1) }

// smoothingRate is the frames a second for which the parts of a [Smoothing] are meant.
const smoothingRate = 60

// Smooth makes the visual offset smaller, by as much as [Predictor.AdvanceSmoothing] does in that many seconds at 60
// frames a second: an offset then disappears equally fast at any frame rate. Nonsense counts as 0, and a second as
// enough.
func (p *Predictor) Smooth(seconds float64) {
	if !(seconds > 0) {
		return
	}
	frames := min(float64(seconds*smoothingRate), smoothingRate)
	for ; frames >= 1; frames-- {
		p.AdvanceSmoothing()
	}
	if frames > 0 {
		p.offset = p.cfg.Smoothing.after(p.offset, float32(frames))
	}
}

// State returns the predicted state, for the game's own collisions and decisions.
func (p *Predictor) State() tsync.State { return p.state }

// Render returns the state to show: the predicted one with the visual offset.
func (p *Predictor) Render() tsync.State {
	s := p.state
	for i := range s.Position {
		s.Position[i] += p.offset[i]
	}
	return s
}

// Offset returns the visual offset, in centimetres.
func (p *Predictor) Offset() [3]float32 { return p.offset }

// Pending returns how many inputs are unconfirmed.
func (p *Predictor) Pending() int { return p.steps.count }

// NextSeq returns the number of the next input.
func (p *Predictor) NextSeq() uint32 { return p.steps.next }

// Reset forgets the inputs, which are numbered from 1 again, and the visual offset, for another owner or another life
// of the object. It returns [ErrNotFinite], and changes nothing, for a state with a NaN or an infinity.
func (p *Predictor) Reset(state tsync.State) error {
	if !motion.Finite(&state) {
		return ErrNotFinite
	}
	p.forget()
	p.state = state
	return nil
}

// forget is Reset for a predictor that does not know yet where its object is.
func (p *Predictor) forget() {
	p.offset = [3]float32{}
	p.steps.reset()
}

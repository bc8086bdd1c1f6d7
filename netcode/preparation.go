package netcode

import "math"

// PreparationState is the whole state of a [Preparation]. It travels in snapshots.
type PreparationState struct {
	NextID      uint64
	RandomState uint64
}

// Preparation hands out stable entity ids and deterministic seeds to mutators. The authority owns the only
// one that counts: a mutator works on a copy, which is committed if its command is accepted and forgotten
// if it is not, so a refused command consumes neither an id nor a seed.
//
// Preparation is a value: assigning it forks it. It is not safe for concurrent use.
type Preparation struct {
	state PreparationState
}

// NewPreparation returns an allocator that continues from s.
func NewPreparation(s PreparationState) Preparation { return Preparation{state: s} }

// State returns what [NewPreparation] needs to continue from here.
func (p *Preparation) State() PreparationState { return p.state }

// Restore makes p continue from s.
func (p *Preparation) Restore(s PreparationState) { p.state = s }

// Fork returns an independent copy. Commit a fork by assigning it back.
func (p *Preparation) Fork() Preparation { return *p }

// NextID returns a fresh id. The id 2^64-1 is never handed out; reaching it is [ErrIDsExhausted].
func (p *Preparation) NextID() (uint64, error) { return p.ReserveIDs(1) }

// ReserveIDs returns the first of n consecutive fresh ids. Reserving none is [ErrNoIDs], running out is
// [ErrIDsExhausted]; after an error nothing has changed.
func (p *Preparation) ReserveIDs(n uint32) (uint64, error) {
	if n == 0 {
		return 0, ErrNoIDs
	}
	first := p.state.NextID
	if uint64(n) > math.MaxUint64-first {
		return 0, ErrIDsExhausted
	}
	p.state.NextID = first + uint64(n)
	return first, nil
}

// NextSeed returns the next seed of the stream: SplitMix64 (Steele, Lea and Flood, 2014; the constants are
// those of Vigna's public-domain splitmix64.c).
func (p *Preparation) NextSeed() uint64 {
	p.state.RandomState += 0x9E3779B97F4A7C15
	z := p.state.RandomState
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

package client

// correctionThreshold is the distance, in centimetres, from which a correction counts as one. What is less comes from
// quantisation.
const correctionThreshold = 1

// Stats counts what happened to a [Client].
type Stats struct {
	View        ViewStats // of the present view
	Early       uint64    // snapshots that came before the hello
	Refused     uint64    // frames with an error, snapshots included
	StaleRoles  uint64    // roles that told nothing new
	UnknownAcks uint64    // acknowledgements of inputs that were not made in this ownership: forged, or late after others had the object meanwhile
	Reconciled  uint64    // predictions that were compared with the server's state
	Corrections uint64    // of them, those that were off by more than a centimetre

	LastCorrection    float32 // centimetres
	LargestCorrection float32
}

// corrected takes where a prediction was and where it is.
func (s *Stats) corrected(before, after [3]float32) {
	s.Reconciled++
	for i := range before {
		before[i] -= after[i]
	}
	if e := length(before); e > correctionThreshold {
		s.Corrections++
		s.LastCorrection = e
		s.LargestCorrection = max(s.LargestCorrection, e)
	}
}

package positive

import (
	"time"

	"github.com/ariadne-netcode/ariadne/netcode"
)

type stopwatch struct{ started time.Time }

func (s *stopwatch) Tick(netcode.Step)                       { s.advance() }
func (s *stopwatch) AppendBinary(dst []byte) ([]byte, error) { return s.started.AppendBinary(dst) }
func (s *stopwatch) UnmarshalBinary(data []byte) error       { return s.started.UnmarshalBinary(data) }

func (s *stopwatch) advance() {
	if time.Since(s.started) > time.Second { // want `time.Since reads the clock, .* \(reached from \(\*stopwatch\).Tick\)`
		s.started = s.started.Add(time.Second)
	}
}

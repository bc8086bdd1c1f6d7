package alarms

import "time"

type drum struct {
	beats  uint32
	played func() // for the ears only
}

//netcode:deterministic
func (d *drum) beat() {
	d.beats++
	if d.played != nil {
		d.played()
	}
}

func loudDrum(log *[]string) *drum {
	return &drum{played: func() { *log = append(*log, time.Now().String()) }} // want `time.Now reads the clock`
}

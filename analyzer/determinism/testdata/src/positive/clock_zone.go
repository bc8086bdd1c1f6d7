package positive

import "time"

//netcode:deterministic
func isNight(t time.Time) bool {
	return t.In(time.Local).Hour() < 6 // want `time.Local depends on the time zone`
}

package negative

import "time"

const cooldown = 3 * time.Second

//netcode:deterministic
func ready(elapsed time.Duration, day time.Time) bool {
	return elapsed > cooldown && day.UTC().Weekday() == time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).Weekday()
}

package citadel

import (
	"sync"
	"time"
)

// occasional thins out a line of the log that others could make us write as often as they like.
type occasional struct {
	mu    sync.Mutex
	count int
	last  time.Time
}

const occasion = 10 * time.Second

// due counts one event. It returns how many there have been since the last line if it is time for another one,
// and otherwise 0.
func (o *occasional) due() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count++
	if now := time.Now(); o.last.IsZero() || now.Sub(o.last) >= occasion {
		n, o.count, o.last = o.count, 0, now
	}
	return n
}

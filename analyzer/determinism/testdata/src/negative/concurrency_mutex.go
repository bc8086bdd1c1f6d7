package negative

import (
	"sync"
	"sync/atomic"
)

type guarded struct {
	mu sync.Mutex
	n  int32
	ok atomic.Bool
}

//netcode:deterministic
func (g *guarded) bump() int32 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ok.Store(true)
	g.n++
	return g.n
}

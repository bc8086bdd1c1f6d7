package citadel

import "sync"

// workers are the goroutines of a connection. Unlike a WaitGroup, they can be told that no more shall come, and
// starting one costs no allocation.
type workers struct {
	mu     sync.Mutex
	closed bool
	group  sync.WaitGroup
}

// task prepares a function for start, any number of times.
func (w *workers) task(fn func()) func() {
	return func() {
		defer w.group.Done()
		fn()
	}
}

// start runs a task on a goroutine of its own, unless wait has been called.
func (w *workers) start(task func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.group.Add(1)
		go task()
	}
}

// wait returns when all goroutines have ended, and lets none begin any more.
func (w *workers) wait() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.group.Wait()
}

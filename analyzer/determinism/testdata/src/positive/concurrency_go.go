package positive

import "sync"

//netcode:deterministic
func updateAll(jobs []func()) {
	var wg sync.WaitGroup
	for _, job := range jobs {
		wg.Add(1)
		go func() { // want `go starts a goroutine`
			defer wg.Done()
			job()
		}()
	}
	wg.Wait()
}

//go:build !unix

package stress

import "time"

// cpuTime returns 0: nobody can tell.
func cpuTime() time.Duration { return 0 }

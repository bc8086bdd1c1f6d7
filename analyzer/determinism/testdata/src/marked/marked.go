// Package marked is simulation code from beginning to end.
//
//netcode:deterministic
package marked

import "time"

var start = time.Now() // want `time.Now reads the clock`

func init() {
	println(start.String(), time.Now().String()) // want `time.Now reads the clock`
}

func unreached() { time.Sleep(1) } // want `time.Sleep depends on the clock`

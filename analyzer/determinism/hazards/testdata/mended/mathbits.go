package main

// mathBits has nothing left to show.
func mathBits() {}

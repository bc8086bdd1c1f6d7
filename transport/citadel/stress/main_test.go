package stress

import (
	"flag"
	"os"
	"testing"
	"time"
)

// The environment by which the full versions of the tests are asked for.
const (
	fullVariable = "ARIADNE_STRESS"
	full         = "full"
)

// patience bounds every wait of the tests. A test that is right never needs it, unless the machine is very busy.
const patience = 60 * time.Second

// TestMain makes an attacker of a process that one of the tests has started.
func TestMain(m *testing.M) {
	flag.Parse()
	if name := os.Getenv(attackVariable); name != "" {
		os.Exit(attackMain(name))
	}
	os.Exit(m.Run())
}

// pick chooses how much of a test there is: with -short, without, or all of it.
func pick[T any](short, normal, all T) T {
	switch {
	case os.Getenv(fullVariable) == full:
		return all
	case testing.Short():
		return short
	}
	return normal
}

package rollback_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

// counter is a small simulation: it doubles every step.
type counter struct{ n uint32 }

func (c *counter) Tick(netcode.Step) { c.n *= 2 }

func (c *counter) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint32(b, c.n), nil
}

func (c *counter) UnmarshalBinary(b []byte) error {
	if len(b) != 4 {
		return errors.New("counter: want four bytes")
	}
	c.n = binary.LittleEndian.Uint32(b)
	return nil
}

// increment is a command on a counter.
type increment struct {
	c  *counter
	by uint32
}

func (i increment) Execute() { i.c.n += i.by }
func (i increment) Release() {}

func command(c *counter, sequence netcode.Sequence, step netcode.Step, by uint32) netcode.Entry {
	return netcode.Entry{
		Header: netcode.Header{
			Key:   netcode.Key{Author: 1, Sequence: sequence},
			Type:  1,
			Step:  step,
			Order: netcode.Order(sequence),
		},
		Payload: binary.LittleEndian.AppendUint32(nil, by),
		Action:  increment{c, by},
	}
}

// A command that arrives late is executed in its own step: the model goes back and runs again from there.
func ExampleModel() {
	game := new(counter)
	model, err := rollback.New(game, rollback.Config{Start: 1, Depth: 60})
	if err != nil {
		fmt.Println(err)
		return
	}
	set := func(e netcode.Entry) {
		if _, err := model.Set(e); err != nil {
			fmt.Println(err)
		}
	}
	tick := func(to netcode.Step) {
		if err := model.Tick(to); err != nil {
			fmt.Println(err)
		}
		fmt.Println("step", model.Step(), "counter", game.n)
	}

	set(command(game, 1, 2, 1))
	tick(4)
	set(command(game, 2, 1, 1)) // late
	tick(4)
	set(command(game, 2, 1, 1)) // again, and nothing has changed
	tick(5)
	fmt.Println("replayed", model.Stats().ReplayedSteps, "steps")

	// Output:
	// step 4 counter 8
	// step 4 counter 24
	// step 5 counter 48
	// replayed 4 steps
}

// In lockstep a follower runs a step when all its commands have arrived, and never again.
func ExampleLockstep() {
	game := new(counter)
	follower, err := rollback.NewLockstep(game, rollback.LockstepConfig{Start: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := follower.Set(command(game, 1, 2, 1)); err != nil {
		fmt.Println(err)
	}
	follower.Confirm(3)
	fmt.Println("waiting:", errors.Is(follower.Tick(4), netcode.ErrUnconfirmed))
	if err := follower.Tick(3); err != nil {
		fmt.Println(err)
	}
	fmt.Println("step", follower.Step(), "counter", game.n)
	_, err = follower.Set(command(game, 2, 3, 1))
	fmt.Println("too late:", errors.Is(err, netcode.ErrHistoryExceeded))

	// Output:
	// waiting: true
	// step 3 counter 4
	// too late: true
}

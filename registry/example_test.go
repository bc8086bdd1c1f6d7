package registry_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
)

func Example() {
	r := registry.New()
	move, err := registry.Register(r, registry.IDOf[Move](), registry.Options[Move]{Predicted: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	payload, err := move.AppendPayload(nil, &Move{X: 3, Y: -1})
	fmt.Println(payload, err)

	var m Move
	err = move.DecodePayload(&m, payload)
	fmt.Println(m, err)
	for info := range r.All() {
		fmt.Println(info.Name, info.Predicted)
	}
	// Output:
	// [3 0 255 255] <nil>
	// {3 -1} <nil>
	// github.com/ariadne-netcode/ariadne/registry_test.Move true
}

// An id shared by Go programs comes from the import path and the type's name. An id shared with .NET programs
// comes from the CLR's name for the type there.
func ExampleHashName() {
	fmt.Println(registry.HashName("example.com/game.Move"))
	fmt.Println(registry.HashName("Game.Commands+Move"))
	fmt.Println(registry.HashName("Game.Commands+Swap`1"))
	// Output:
	// 0x02AAAF68261D6414
	// 0x777D83A67BDC594B
	// 0x6D8A2E5976E84CDE
}

func ExampleConflictError() {
	r := registry.New()
	id := registry.HashName("Game.Commands+Move")
	if _, err := registry.Register(r, id, registry.Options[Move]{Name: "Game.Commands+Move"}); err != nil {
		fmt.Println(err)
		return
	}
	_, err := registry.Register(r, id, registry.Options[Path]{Name: "Game.Path"})
	ce, ok := errors.AsType[*registry.ConflictError](err)
	fmt.Println(ok, errors.Is(err, registry.ErrIDTaken))
	fmt.Println(ce.Wanted.Name, "wants", ce.Wanted.ID, "of", ce.Held.Name)
	// Output:
	// true true
	// Game.Path wants 0x777D83A67BDC594B of Game.Commands+Move
}

func ExampleDispatcher() {
	r := registry.New()
	move, err := registry.Register(r, 7, registry.Options[Move]{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var feed registry.Dispatcher[string]
	err = registry.On(&feed, move, func(c netcode.Command[Move]) string {
		return fmt.Sprintf("player %d moved to %d,%d", c.Header.Key.Author, c.Payload.X, c.Payload.Y)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	line, err := feed.Dispatch(netcode.Header{Key: netcode.Key{Author: 2}, Type: 7}, []byte{3, 0, 4, 0})
	fmt.Println(line, err)
	_, err = feed.Dispatch(netcode.Header{Type: 8}, nil)
	fmt.Println(err)
	// Output:
	// player 2 moved to 3,4 <nil>
	// registry: unknown type 0x0000000000000008
}

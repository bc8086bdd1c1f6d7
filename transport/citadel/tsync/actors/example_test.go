package actors_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/actors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Two players announce themselves, the second one as a kind of actor that the server moves.
func Example() {
	world, _ := server.New(server.Config{})
	stage, _ := actors.New(world, actors.Config{
		Archetypes: map[uint16]actors.Archetype{2: {Predicted: true}},
		Send:       func(to uint64, kind wire.Kind, body []byte) { fmt.Printf("to %d: %v, %d bytes\n", to, kind, len(body)) },
	})
	for participant := range uint64(2) {
		client, _ := world.Join(participant+1, nil)
		_ = stage.Join(client.Participant())
		presence := wire.Presence{Archetype: uint16(participant + 1), Transform: wire.Transform{Rotation: [4]float32{0, 0, 0, 1}}}
		_ = stage.Presence(client.Participant(), wire.AppendPresence(nil, presence))
		for _, role := range client.Roles() {
			fmt.Printf("to %d: %v of object %d\n", client.Participant(), role.Role, role.Object)
		}
	}
	stage.Leave(1)
	// Output:
	// to 1: na_spawn, 54 bytes
	// to 1: na_spawn_batch, 2 bytes
	// to 2: na_spawn, 54 bytes
	// to 2: na_spawn_batch, 56 bytes
	// to 1: na_spawn, 54 bytes
	// to 2: owner predicted of object 1048577
	// to 2: na_despawn, 4 bytes
}

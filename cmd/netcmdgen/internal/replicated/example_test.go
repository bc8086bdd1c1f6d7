package replicated_test

import (
	"fmt"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/replicated"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"
)

// A replica writes its changes into a state, and another one takes them from there. What is in between is the business
// of package replica.
func Example() {
	var here, there replicated.GrownReplica
	here.SetA(200)
	here.SetC(replicated.Blue)
	here.SetD(replicated.Vec{X: 0.123, Y: 7})

	state := replica.NewState(replicated.GrownClass())
	changed := replica.NewFields(replicated.GrownClass().Len())
	here.TakeDirty(changed)
	if err := here.WriteReplica(state, changed); err != nil {
		fmt.Println(err)
	}
	there.ReadReplica(state, changed)
	fmt.Println(there.A(), there.C() == replicated.Blue, there.D())
	// Output: 9 true {0.1 1 0}
}

package payload_test

import (
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/registry/payload"
)

// What a generated codec says about a payload that is two bytes long and should be one.
func Example() {
	err := error(payload.Size("Push", 2, 1))
	fmt.Println(err)
	if e, ok := errors.AsType[*payload.Error](err); ok {
		fmt.Println(e.Type, errors.Is(e, payload.ErrTrailing))
	}
	// Output:
	// Push: payload has trailing bytes: 2 bytes instead of 1
	// Push true
}

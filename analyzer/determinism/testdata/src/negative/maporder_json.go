package negative

import (
	"encoding/json"
	"fmt"
)

// Both sort the keys of maps.
//
//netcode:deterministic
func dump(m map[string]int32) (string, error) {
	b, err := json.Marshal(m)
	return fmt.Sprint(m) + string(b), err
}

package positive

import (
	"bytes"
	"encoding/gob"
)

//netcode:deterministic
func encode(inventory map[string]uint32) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(inventory) // want `gob.Encoder.Encode writes maps in iteration order`
	return b.Bytes(), err
}

package positive

import (
	"encoding/json"

	"github.com/ariadne-netcode/ariadne/netcode"
)

type city struct {
	Population int // want `int has another width on 32-bit targets, and Population is part of the state of region`
	Taxes      int64
}

type region struct{ Cities []city }

func (r *region) Tick(netcode.Step) {}

func (r *region) AppendBinary(dst []byte) ([]byte, error) {
	b, err := json.Marshal(r)
	return append(dst, b...), err
}

func (r *region) UnmarshalBinary(data []byte) error { return json.Unmarshal(data, r) }

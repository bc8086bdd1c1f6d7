package positive

import "github.com/ariadne-netcode/ariadne/netcode"

type ball struct{ X, V float64 }

func (b *ball) Tick(netcode.Step) {
	b.X += b.V * dt               // want `b.V \* dt may be fused`
	b.V -= gravity * dt / 3 * b.X // want `gravity \* dt / 3 \* b.X may be fused`
}

func (b *ball) AppendBinary(dst []byte) ([]byte, error) { return dst, nil }
func (b *ball) UnmarshalBinary([]byte) error            { return nil }

const dt = 1.0 / 60

var gravity = 9.81

package positive

import (
	"encoding/binary"

	"github.com/ariadne-netcode/ariadne/netcode"
)

type farm struct {
	gold  int // want `int has another width on 32-bit targets, and gold is part of the state of farm`
	acres int32
}

func (f *farm) Tick(netcode.Step) { f.gold += 1000 * int(f.acres) }

func (f *farm) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(f.gold))
	return binary.LittleEndian.AppendUint32(dst, uint32(f.acres)), nil
}

func (f *farm) UnmarshalBinary(data []byte) error {
	f.gold = int(binary.LittleEndian.Uint64(data))
	f.acres = int32(binary.LittleEndian.Uint32(data[8:]))
	return nil
}

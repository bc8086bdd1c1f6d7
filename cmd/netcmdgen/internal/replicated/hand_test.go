package replicated

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// What somebody would write on package bitpack who has to send nothing but an [Avatar].

var (
	handIdentity = AvatarClass().Identity()
	handHash     = [2]uint64{binary.BigEndian.Uint64(handIdentity.Hash[:8]), binary.BigEndian.Uint64(handIdentity.Hash[8:])}
	handHeat, _  = quant.NewScalar(-100, 100, 10)
	handPos, _   = quant.NewVector([3]float32{-100, -100, -100}, [3]float32{100, 100, 100}, 10)
	handSlot     = netpeer.Int(0, 100)
)

const all = 0x7f // fields of an avatar

// appendByHand writes those fields of an avatar that are set, and the header.
func appendByHand(dst []byte, c *AvatarChanges, h netpeer.Header) ([]byte, error) {
	var w bitpack.Writer
	w.Reset(dst)
	if h.Full {
		w.WriteBits(uint64(h.Object)<<1|1, 33)
		w.WriteVarint(h.Result)
		w.WriteBits(handHash[0], 64)
		w.WriteBits(handHash[1], 64)
		w.WriteBits(uint64(handIdentity.Version), 32)
	} else {
		w.WriteBits(uint64(h.Object)<<1, 33)
		w.WriteVarint(h.Result)
		w.WriteVarint(h.Base)
	}
	w.WriteBits(bits.Reverse64(c.Set[0])>>57, 7)
	if c.Set[0]&(1<<AvatarAliveField) != 0 {
		w.WriteBool(c.Alive)
	}
	if c.Set[0]&(1<<AvatarHealthField) != 0 {
		w.WriteBits(uint64(min(max(c.Health, -10), 10)+10), 5)
	}
	if c.Set[0]&(1<<AvatarHeatField) != 0 {
		code, err := handHeat.Encode(c.Heat)
		if err != nil {
			return dst, err
		}
		w.WriteBits(code, 11)
	}
	if c.Set[0]&(1<<AvatarPositionField) != 0 {
		at, err := handPos.Encode(c.Position)
		if err != nil {
			return dst, err
		}
		w.WriteBits(at[0]<<22|at[1]<<11|at[2], 33)
	}
	if c.Set[0]&(1<<AvatarRotationField) != 0 {
		w.WriteBits(quant.Quat10.Encode(c.Rotation), 32)
	}
	if c.Set[0]&(1<<AvatarNameField) != 0 {
		if len(c.Name) > 32 {
			return dst, netpeer.ErrBytesTooLong
		}
		w.WriteVarint(uint64(len(c.Name)))
		w.WriteBytes(c.Name)
	}
	if c.Set[0]&(1<<AvatarSlotsField) != 0 {
		d := &c.Slots
		if max(len(d.Removed), len(d.Added), len(d.Changed)) > 4 {
			return dst, netpeer.ErrTooManyItems
		}
		if slotsRepeat(d) {
			return dst, netpeer.ErrDuplicateID
		}
		w.WriteVarint(uint64(len(d.Removed)))
		for _, id := range d.Removed {
			w.WriteVarint(uint64(id.Index))
			w.WriteVarint(uint64(id.Generation))
		}
		for _, list := range [...][]netpeer.Element{d.Added, d.Changed} {
			w.WriteVarint(uint64(len(list)))
			for i := range list {
				w.WriteVarint(uint64(list[i].ID.Index))
				w.WriteVarint(uint64(list[i].ID.Generation))
				w.WriteVarint(list[i].Key)
				n, err := list[i].Value.Int(&handSlot)
				if err != nil {
					return dst, err
				}
				w.WriteBits(uint64(n), 7)
			}
		}
	}
	return w.Bytes(), nil
}

// slotsRepeat compares all pairs, of which a class of four slots has few.
func slotsRepeat(d *netpeer.CollectionDelta) bool {
	var ids [12]netpeer.ElementID
	list := append(ids[:0], d.Removed...)
	for i := range d.Added {
		list = append(list, d.Added[i].ID)
	}
	for i := range d.Changed {
		list = append(list, d.Changed[i].ID)
	}
	for i := range list {
		for j := range i {
			if list[i] == list[j] {
				return true
			}
		}
	}
	return false
}

// parseByHand reads what appendByHand has written.
func parseByHand(b []byte, c *AvatarChanges) (h netpeer.Header, err error) {
	var r bitpack.Reader
	r.Reset(b)
	var v uint64
	if v, err = r.ReadBits(33); err != nil {
		return h, err
	}
	h.Object, h.Full = uint32(v>>1), v&1 != 0
	if h.Result, err = r.ReadVarint(); err != nil {
		return h, err
	}
	if h.Full {
		if v, err = r.ReadBits(64); err != nil {
			return h, err
		}
		binary.BigEndian.PutUint64(h.Identity.Hash[:8], v)
		if v, err = r.ReadBits(64); err != nil {
			return h, err
		}
		binary.BigEndian.PutUint64(h.Identity.Hash[8:], v)
		if v, err = r.ReadBits(32); err != nil {
			return h, err
		}
		h.Identity.Version = uint32(v)
		if h.Identity != handIdentity {
			return h, netpeer.ErrSchemaMismatch
		}
	} else if h.Base, err = r.ReadVarint(); err != nil {
		return h, err
	}
	if h.Result == 0 || !h.Full && h.Base == 0 {
		return h, netpeer.ErrZeroToken
	}
	mask, err := r.ReadBits(7)
	if err != nil {
		return h, err
	}
	const first = 1 << 6 // the bit of field 0
	if mask&(first>>AvatarAliveField) != 0 {
		if v, err = r.ReadBits(1); err != nil {
			return h, err
		}
		c.Alive = v != 0
	}
	if mask&(first>>AvatarHealthField) != 0 {
		if v, err = r.ReadBits(5); err != nil {
			return h, err
		}
		if v > 20 {
			return h, quant.ErrInvalidCode
		}
		c.Health = int64(v) - 10
	}
	if mask&(first>>AvatarHeatField) != 0 {
		if v, err = r.ReadBits(11); err != nil {
			return h, err
		}
		if c.Heat, err = handHeat.Decode(v); err != nil {
			return h, err
		}
	}
	if mask&(first>>AvatarPositionField) != 0 {
		if v, err = r.ReadBits(33); err != nil {
			return h, err
		}
		if c.Position, err = handPos.Decode([3]uint64{v >> 22, v >> 11 & 0x7ff, v & 0x7ff}); err != nil {
			return h, err
		}
	}
	if mask&(first>>AvatarRotationField) != 0 {
		if v, err = r.ReadBits(32); err != nil {
			return h, err
		}
		c.Rotation = quant.Quat10.Decode(v)
	}
	if mask&(first>>AvatarNameField) != 0 {
		if v, err = r.ReadVarint(); err != nil {
			return h, err
		}
		if v > 32 {
			return h, netpeer.ErrBytesTooLong
		}
		c.Name = slices.Grow(c.Name[:0], 32)[:v]
		if err = r.ReadBytes(c.Name); err != nil {
			return h, err
		}
	}
	if mask&(first>>AvatarSlotsField) != 0 {
		if err = parseSlotsByHand(&r, &c.Slots); err != nil {
			return h, err
		}
	}
	if err = r.Finish(); err == nil {
		c.Set[0] = bits.Reverse64(mask << 57)
	}
	return h, err
}

func parseSlotsByHand(r *bitpack.Reader, d *netpeer.CollectionDelta) error {
	d.Reset()
	n, err := r.ReadVarint()
	if err != nil {
		return err
	}
	if n > 4 {
		return netpeer.ErrTooManyItems
	}
	for range n {
		id, err := readIDByHand(r)
		if err != nil {
			return err
		}
		d.Removed = append(d.Removed, id)
	}
	for _, list := range [...]*[]netpeer.Element{&d.Added, &d.Changed} {
		n, err := r.ReadVarint()
		if err != nil {
			return err
		}
		if n > 4 {
			return netpeer.ErrTooManyItems
		}
		for range n {
			var e netpeer.Element
			if e.ID, err = readIDByHand(r); err != nil {
				return err
			}
			if e.Key, err = r.ReadVarint(); err != nil {
				return err
			}
			code, err := r.ReadBits(7)
			if err != nil {
				return err
			}
			if code > 100 {
				return quant.ErrInvalidCode
			}
			if e.Value, err = handSlot.Int(int64(code)); err != nil {
				return err
			}
			*list = append(*list, e)
		}
	}
	if slotsRepeat(d) {
		return netpeer.ErrDuplicateID
	}
	return nil
}

func readIDByHand(r *bitpack.Reader) (id netpeer.ElementID, err error) {
	if id.Index, err = r.ReadVarint32(); err != nil {
		return id, err
	}
	id.Generation, err = r.ReadVarint32()
	return id, err
}

package netpeer_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// The class that examples, benchmarks and hand-written codecs are about: one field of each kind.
const (
	fieldAlive = iota
	fieldHealth
	fieldHeat
	fieldPosition
	fieldRotation
	fieldName
	fieldSlots
)

var (
	heatCodec     = must(quant.NewScalar(-100, 100, 10))
	positionCodec = must(quant.NewVector([3]float32{-100, -100, -100}, [3]float32{100, 100, 100}, 10))

	avatarID = schema.Identity{Hash: schema.Hash{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, Version: 3}
	avatar   = must(netpeer.NewSchema(avatarID,
		netpeer.Bool(), netpeer.Int(-10, 10), netpeer.Scalar(heatCodec), netpeer.Vector(positionCodec),
		netpeer.Quat(quant.Quat10), netpeer.Bytes(32), netpeer.Collection(netpeer.Int(0, 100), 4)))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// state is an object of the class.
type state struct {
	Alive    bool
	Health   int64
	Heat     float32
	Position [3]float32
	Rotation [4]float32
	Name     []byte
	Slots    netpeer.CollectionDelta
}

func sampleState() *state {
	item := avatar.Field(fieldSlots).Item()
	return &state{
		Alive: true, Health: 7, Heat: 36.6, Position: [3]float32{1, -2.5, 99}, Rotation: [4]float32{0, 0.6, 0, 0.8},
		Name: []byte("ariadne"),
		Slots: netpeer.CollectionDelta{
			Removed: []netpeer.ElementID{{Index: 3, Generation: 1}},
			Added:   []netpeer.Element{{ID: netpeer.ElementID{Index: 3, Generation: 2}, Key: 1, Value: must(item.Int(50))}},
			Changed: []netpeer.Element{{ID: netpeer.ElementID{Index: 5, Generation: 1}, Key: 9, Value: must(item.Int(99))}},
		},
	}
}

var (
	fullHeader  = netpeer.Header{Object: 42, Full: true, Result: 9}
	deltaHeader = netpeer.Header{Object: 42, Result: 10, Base: 9}
)

// bunch returns the state as a bunch of values.
func (s *state) bunch(h netpeer.Header) *netpeer.Bunch {
	return &netpeer.Bunch{Header: h, Changes: []netpeer.Change{
		{Field: fieldAlive, Value: must(avatar.Field(fieldAlive).Bool(s.Alive))},
		{Field: fieldHealth, Value: must(avatar.Field(fieldHealth).Int(s.Health))},
		{Field: fieldHeat, Value: must(avatar.Field(fieldHeat).Scalar(s.Heat))},
		{Field: fieldPosition, Value: must(avatar.Field(fieldPosition).Vector(s.Position))},
		{Field: fieldRotation, Value: must(avatar.Field(fieldRotation).Quat(s.Rotation))},
		{Field: fieldName, Value: must(avatar.Field(fieldName).Bytes(s.Name))},
		{Field: fieldSlots, Value: must(avatar.Field(fieldSlots).Collection(&s.Slots))},
	}}
}

// encode writes the state the way generated code does.
func (s *state) encode(e *netpeer.Encoder, dst []byte, h netpeer.Header) ([]byte, error) {
	e.Begin(dst, avatar, h)
	e.Bool(fieldAlive, s.Alive)
	e.Int(fieldHealth, s.Health)
	e.Scalar(fieldHeat, s.Heat)
	e.Vector(fieldPosition, s.Position)
	e.Quat(fieldRotation, s.Rotation)
	e.Bytes(fieldName, s.Name)
	e.Collection(fieldSlots, &s.Slots)
	return e.End()
}

// decode reads a state the way generated code does.
func (s *state) decode(d *netpeer.Decoder, body []byte) error {
	if err := d.Begin(body); err != nil {
		return err
	}
	if err := d.Open(avatar); err != nil {
		return err
	}
	for field, ok := d.Next(); ok; field, ok = d.Next() {
		switch field {
		case fieldAlive:
			s.Alive = d.Bool()
		case fieldHealth:
			s.Health = d.Int()
		case fieldHeat:
			s.Heat = d.Scalar()
		case fieldPosition:
			s.Position = d.Vector()
		case fieldRotation:
			s.Rotation = d.Quat()
		case fieldName:
			s.Name = d.AppendBytes(s.Name[:0])
		case fieldSlots:
			d.Collection(&s.Slots)
		}
	}
	return d.End()
}

// encodeByHand writes all of the state with nothing but package bitpack: what a codec for this class alone would
// do.
func (s *state) encodeByHand(dst []byte, h netpeer.Header) ([]byte, error) {
	var w bitpack.Writer
	w.Reset(dst)
	if h.Full {
		w.WriteBits(uint64(h.Object)<<1|1, 33)
		w.WriteVarint(h.Result)
		w.WriteBits(binary.BigEndian.Uint64(avatarID.Hash[:8]), 64)
		w.WriteBits(binary.BigEndian.Uint64(avatarID.Hash[8:]), 64)
		w.WriteBits(uint64(avatarID.Version), 32)
	} else {
		w.WriteBits(uint64(h.Object)<<1, 33)
		w.WriteVarint(h.Result)
		w.WriteVarint(h.Base)
	}
	w.WriteBits(0x7f, 7)
	w.WriteBool(s.Alive)
	w.WriteBits(uint64(min(max(s.Health, -10), 10)+10), 5)
	heat, err := heatCodec.Encode(s.Heat)
	if err != nil {
		return dst, err
	}
	w.WriteBits(heat, 11)
	at, err := positionCodec.Encode(s.Position)
	if err != nil {
		return dst, err
	}
	w.WriteBits(at[0]<<22|at[1]<<11|at[2], 33)
	w.WriteBits(quant.Quat10.Encode(s.Rotation), 32)
	if len(s.Name) > 32 {
		return dst, netpeer.ErrBytesTooLong
	}
	w.WriteVarint(uint64(len(s.Name)))
	w.WriteBytes(s.Name)
	if max(len(s.Slots.Removed), len(s.Slots.Added), len(s.Slots.Changed)) > 4 || repeatsByHand(&s.Slots) {
		return dst, netpeer.ErrDuplicateID
	}
	w.WriteVarint(uint64(len(s.Slots.Removed)))
	for _, id := range s.Slots.Removed {
		w.WriteVarint(uint64(id.Index))
		w.WriteVarint(uint64(id.Generation))
	}
	item := avatar.Field(fieldSlots).Item()
	for _, list := range [...][]netpeer.Element{s.Slots.Added, s.Slots.Changed} {
		w.WriteVarint(uint64(len(list)))
		for i := range list {
			w.WriteVarint(uint64(list[i].ID.Index))
			w.WriteVarint(uint64(list[i].ID.Generation))
			w.WriteVarint(list[i].Key)
			n, err := list[i].Value.Int(item)
			if err != nil {
				return dst, err
			}
			w.WriteBits(uint64(n), 7)
		}
	}
	return w.Bytes(), nil
}

// repeatsByHand compares all pairs, of which a class of four slots has few.
func repeatsByHand(d *netpeer.CollectionDelta) bool {
	var ids [12]netpeer.ElementID
	all := append(ids[:0], d.Removed...)
	for i := range d.Added {
		all = append(all, d.Added[i].ID)
	}
	for i := range d.Changed {
		all = append(all, d.Changed[i].ID)
	}
	for i := range all {
		for j := range i {
			if all[i] == all[j] {
				return true
			}
		}
	}
	return false
}

// decodeByHand reads a state that was written whole.
func (s *state) decodeByHand(b []byte) (h netpeer.Header, err error) {
	var r bitpack.Reader
	r.Reset(b)
	bits := func(n uint) (v uint64) {
		if err == nil {
			v, err = r.ReadBits(n)
		}
		return v
	}
	varint := func() (v uint64) {
		if err == nil {
			v, err = r.ReadVarint()
		}
		return v
	}
	id := func() (id netpeer.ElementID) {
		if err == nil {
			id.Index, err = r.ReadVarint32()
		}
		if err == nil {
			id.Generation, err = r.ReadVarint32()
		}
		return id
	}
	v := bits(33)
	h.Object, h.Full = uint32(v>>1), v&1 != 0
	h.Result = varint()
	if h.Full {
		binary.BigEndian.PutUint64(h.Identity.Hash[:8], bits(64))
		binary.BigEndian.PutUint64(h.Identity.Hash[8:], bits(64))
		h.Identity.Version = uint32(bits(32))
		if h.Identity != avatarID {
			return h, netpeer.ErrSchemaMismatch
		}
	} else {
		h.Base = varint()
	}
	if bits(7) != 0x7f {
		return h, netpeer.ErrField
	}
	s.Alive = bits(1) != 0
	health := bits(5)
	if health > 20 {
		return h, quant.ErrInvalidCode
	}
	s.Health = int64(health) - 10
	heat := bits(11)
	if err == nil {
		s.Heat, err = heatCodec.Decode(heat)
	}
	at := bits(33)
	if err == nil {
		s.Position, err = positionCodec.Decode([3]uint64{at >> 22, at >> 11 & 0x7ff, at & 0x7ff})
	}
	s.Rotation = quant.Quat10.Decode(bits(32))
	n := varint()
	if n > 32 {
		return h, netpeer.ErrBytesTooLong
	}
	s.Name = append(s.Name[:0], make([]byte, n)...)
	if err == nil {
		err = r.ReadBytes(s.Name)
	}
	s.Slots.Reset()
	n = varint()
	if n > 4 {
		return h, netpeer.ErrTooManyItems
	}
	for range n {
		s.Slots.Removed = append(s.Slots.Removed, id())
	}
	item := avatar.Field(fieldSlots).Item()
	for _, list := range [...]*[]netpeer.Element{&s.Slots.Added, &s.Slots.Changed} {
		n := varint()
		if n > 4 {
			return h, netpeer.ErrTooManyItems
		}
		for range n {
			e := netpeer.Element{ID: id(), Key: varint()}
			code := bits(7)
			if code > 100 {
				return h, quant.ErrInvalidCode
			}
			if err == nil {
				e.Value, err = item.Int(int64(code))
			}
			*list = append(*list, e)
		}
	}
	if err == nil && repeatsByHand(&s.Slots) {
		err = netpeer.ErrDuplicateID
	}
	if err == nil {
		err = r.Finish()
	}
	return h, err
}

// All ways to write a bunch give the same bytes, and all ways to read it the same state.
func TestAllPathsAgree(t *testing.T) {
	s := sampleState()
	for _, h := range []netpeer.Header{fullHeader, deltaHeader} {
		want, err := s.encodeByHand(nil, h)
		require.NoError(t, err)
		if h.Full {
			require.Len(t, want, 57)
		}
		got, err := avatar.AppendBunch(nil, s.bunch(h))
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = s.encode(new(netpeer.Encoder), nil, h)
		require.NoError(t, err)
		require.Equal(t, want, got)

		var byHand, streamed state
		_, err = byHand.decodeByHand(want)
		require.NoError(t, err)
		require.NoError(t, streamed.decode(new(netpeer.Decoder), want))
		again, err := byHand.encodeByHand(nil, h)
		require.NoError(t, err)
		require.Equal(t, want, again)
		again, err = streamed.encodeByHand(nil, h)
		require.NoError(t, err)
		require.Equal(t, want, again)
	}
}

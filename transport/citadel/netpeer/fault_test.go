package netpeer_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// delta writes the start of a bunch, up to and with the mask.
func delta(w *bitpack.Writer, mask uint64, fields uint) {
	w.WriteBits(9<<1, 33)
	w.WriteVarint(2)
	w.WriteVarint(1)
	w.WriteBits(mask, fields)
}

func schemaOf(fields ...netpeer.Field) *netpeer.Schema {
	return must(netpeer.NewSchema(schema.Identity{Version: 1}, fields...))
}

// A bunch of a list that lies about its length is refused, and so is the list if the lie moves its end; nothing is
// made of what would follow.
func TestLengthInListIsALie(t *testing.T) {
	s := sampleState()
	one := must(avatar.AppendBunch(nil, s.bunch(fullHeader)))
	two := must(avatar.AppendBunch(nil, s.bunch(deltaHeader)))
	list := must(netpeer.AppendBunches(nil, [][]byte{one, two, one}))
	require.Equal(t, byte(len(one)), list[1])
	second := 2 + len(one)
	require.Equal(t, byte(len(two)), list[second])
	decode := func(list []byte) (n int, err error) {
		var b netpeer.Bunch
		for body, err := range netpeer.Bunches(list) {
			if err != nil {
				require.Nil(t, body)
				return n, err
			}
			if err := netpeer.ParseBunch(body, avatar, nil, &b); err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	n, err := decode(list)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	for lie := range 128 {
		for i, at := range []int{1, second} {
			bad := slices.Clone(list)
			if bad[at] == byte(lie) {
				continue
			}
			bad[at] = byte(lie)
			n, err = decode(bad)
			require.Equal(t, i, n, "length %d", lie)
			require.Error(t, err)
		}
	}
	for _, count := range []byte{0, 1, 2, 4, 127} {
		bad := slices.Clone(list)
		bad[0] = count
		n, err = decode(bad)
		require.Equal(t, min(3, int(count)), n)
		require.ErrorIs(t, err, wire.ErrTooShort)
	}
	for end := range list {
		_, err = decode(list[:end])
		require.Error(t, err)
	}
	_, err = decode(append(slices.Clone(list), 0))
	require.ErrorIs(t, err, wire.ErrTooShort)
}

// The same id may not occur twice, wherever the two are.
func TestDuplicateElementID(t *testing.T) {
	s := schemaOf(netpeer.Collection(netpeer.Bool(), 10))
	f := s.Field(0)
	yes := must(f.Item().Bool(true))
	a, b := netpeer.ElementID{Index: 300, Generation: 1}, netpeer.ElementID{Index: 1, Generation: 300}
	element := func(id netpeer.ElementID) netpeer.Element { return netpeer.Element{ID: id, Value: yes} }
	for from := range 3 {
		for to := range 3 {
			put := func(d *netpeer.CollectionDelta, list int, id netpeer.ElementID) {
				switch list {
				case 0:
					d.Removed = append(d.Removed, id)
				case 1:
					d.Added = append(d.Added, element(id))
				case 2:
					d.Changed = append(d.Changed, element(id))
				}
			}
			var d netpeer.CollectionDelta
			put(&d, from, a)
			put(&d, to, netpeer.ElementID{Index: 300, Generation: 2}) // another generation is another element
			put(&d, from, b)
			bunch := &netpeer.Bunch{Header: deltaHeader, Changes: []netpeer.Change{{Value: must(f.Collection(&d))}}}
			body, err := s.AppendBunch(nil, bunch)
			require.NoError(t, err)
			var got netpeer.Bunch
			require.NoError(t, netpeer.ParseBunch(body, s, nil, &got))

			put(&d, to, a)
			out, err := s.AppendBunch([]byte("kept"), bunch)
			require.ErrorIs(t, err, netpeer.ErrDuplicateID)
			require.Equal(t, "kept", string(out))

			// A peer that does not check sends it all the same.
			var w bitpack.Writer
			w.Reset(nil)
			delta(&w, 1, 1)
			id := func(id netpeer.ElementID) {
				w.WriteVarint(uint64(id.Index))
				w.WriteVarint(uint64(id.Generation))
			}
			w.WriteVarint(uint64(len(d.Removed)))
			for _, r := range d.Removed {
				id(r)
			}
			for _, list := range [][]netpeer.Element{d.Added, d.Changed} {
				w.WriteVarint(uint64(len(list)))
				for _, e := range list {
					id(e.ID)
					w.WriteVarint(e.Key)
					w.WriteBool(true)
				}
			}
			require.ErrorIs(t, netpeer.ParseBunch(w.Bytes(), s, nil, &got), netpeer.ErrDuplicateID)
			require.Empty(t, got.Changes)
		}
	}
}

// An error at the very end of a bunch leaves nothing of what was sound before it.
func TestNothingIsHalfApplied(t *testing.T) {
	good := must(avatar.AppendBunch(nil, sampleState().bunch(fullHeader)))
	bad := append(slices.Clone(good), 0)
	var b netpeer.Bunch
	require.NoError(t, netpeer.ParseBunch(good, avatar, nil, &b))
	require.Len(t, b.Changes, 7)
	require.ErrorIs(t, netpeer.ParseBunch(bad, avatar, nil, &b), bitpack.ErrPadding)
	require.Zero(t, b.Header)
	require.Empty(t, b.Changes)

	// The decoder's values are the caller's business, but End tells.
	var d netpeer.Decoder
	var s state
	require.ErrorIs(t, s.decode(&d, bad), bitpack.ErrPadding)
	require.ErrorIs(t, d.End(), bitpack.ErrPadding, "still")

	acks := []netpeer.AckEntry{{Object: 1}}
	require.Error(t, netpeer.ParseAcks([]byte{1, 0}, &acks))
	require.Empty(t, acks)
	table := []netpeer.TableEntry{{Class: 1}}
	require.Error(t, netpeer.ParseTable([]byte{1, 0}, &table))
	require.Empty(t, table)
}

// Lengths and counts beyond what is there are refused without any narrowing, also where an int has 32 bits.
func TestHugeLengths(t *testing.T) {
	bytesAndList := schemaOf(netpeer.Bytes(math.MaxUint32), netpeer.Collection(netpeer.Bytes(math.MaxUint32), math.MaxUint32))
	var b netpeer.Bunch
	var acks []netpeer.AckEntry
	var table []netpeer.TableEntry
	const there = 40
	for _, n := range []uint64{there + 1, 1 << 31, 1<<31 + 1, 1 << 32, 1<<32 + 1, 1 << 63, math.MaxUint64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			body := func(mask uint64, prefix ...uint64) []byte {
				var w bitpack.Writer
				w.Reset(nil)
				delta(&w, mask, 2)
				for _, v := range append(prefix, n) {
					w.WriteVarint(v)
				}
				w.WriteBytes(make([]byte, there))
				return w.Bytes()
			}
			tooMuch := func(err error, capped error) {
				if n <= netpeer.MaxItems {
					capped = bitpack.ErrOverrun
				}
				require.ErrorIs(t, err, capped)
			}
			tooMuch(netpeer.ParseBunch(body(0b10), bytesAndList, nil, &b), netpeer.ErrBytesTooLong)
			for _, prefix := range [][]uint64{{}, {0}, {0, 0}} { // removed, added, changed
				err := netpeer.ParseBunch(body(0b01, prefix...), bytesAndList, nil, &b)
				if n == there+1 {
					require.Error(t, err) // zeros are elements too: alike, or too few
					continue
				}
				require.ErrorIs(t, err, netpeer.ErrTooManyItems)
			}
			// An element's byte string.
			tooMuch(netpeer.ParseBunch(body(0b01, 0, 1, 5, 5, 5), bytesAndList, nil, &b), netpeer.ErrBytesTooLong)
			// Its index, its generation.
			for _, prefix := range [][]uint64{{1}, {1, 7}, {0, 1}, {0, 1, 7}} {
				err := netpeer.ParseBunch(body(0b01, prefix...), bytesAndList, nil, &b)
				if n > math.MaxUint32 {
					require.ErrorIs(t, err, bitpack.ErrVarintOverflow)
				}
			}

			tooMuch(netpeer.ParseAcks(append(bitpack.AppendVarint(nil, n), make([]byte, there)...), &acks), netpeer.ErrTooManyItems)
			tooMuch(netpeer.ParseTable(append(bitpack.AppendVarint(nil, n), make([]byte, there)...), &table), netpeer.ErrTooManyItems)
			for _, err := range netpeer.Bunches(append(bitpack.AppendVarint([]byte{1}, n), make([]byte, there)...)) {
				require.ErrorIs(t, err, wire.ErrTooShort)
			}
			for _, err := range netpeer.Bunches(bitpack.AppendVarint(nil, n)) {
				if n > netpeer.MaxBunches {
					require.ErrorIs(t, err, netpeer.ErrTooManyBunches)
				} else {
					require.ErrorIs(t, err, wire.ErrTooShort)
				}
			}
		})
	}
}

// allocated returns how many bytes f allocates. It calls f several times and takes the least, because the runtime
// allocates now and then for itself.
func allocated(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// What a body claims costs no memory until it is there: elements without a size, byte strings, entries of tables.
func TestAllocationIsBoundedByWhatArrived(t *testing.T) {
	nothing := netpeer.Int(3, 3)
	wide := schemaOf(netpeer.Bytes(math.MaxUint32), netpeer.Collection(nothing, math.MaxUint32))
	claim := func(mask uint64, counts ...uint64) []byte {
		var w bitpack.Writer
		w.Reset(nil)
		delta(&w, mask, 2)
		for _, n := range counts {
			w.WriteVarint(n)
		}
		return w.Bytes()
	}
	const most = 4096
	for name, body := range map[string][]byte{
		"removed":     claim(0b01, netpeer.MaxItems),
		"added":       claim(0b01, 0, netpeer.MaxItems),
		"changed":     claim(0b01, 0, 0, netpeer.MaxItems),
		"byte string": claim(0b10, netpeer.MaxBytes),
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			require.Less(t, allocated(func() { err = netpeer.ParseBunch(body, wide, nil, new(netpeer.Bunch)) }), uint64(most))
			require.ErrorIs(t, err, bitpack.ErrOverrun)
		})
	}
	t.Run("tables", func(t *testing.T) {
		var acks []netpeer.AckEntry
		var table []netpeer.TableEntry
		body := bitpack.AppendVarint(nil, netpeer.MaxEntries)
		require.Less(t, allocated(func() {
			acks, table = nil, nil
			require.Error(t, netpeer.ParseAcks(body, &acks))
			require.Error(t, netpeer.ParseTable(body, &table))
		}), uint64(most)*4) // require makes some
		require.Less(t, cap(acks)+cap(table), 4)
	})
	t.Run("what is there", func(t *testing.T) {
		// The smallest elements there are, as many as may be: about 27 bytes for each of three on the wire, once.
		var w bitpack.Writer
		w.Reset(nil)
		delta(&w, 0b01, 2)
		w.WriteVarint(0)
		w.WriteVarint(20000)
		for i := range uint64(20000) {
			w.WriteVarint(i % 128)
			w.WriteVarint(i / 128 % 128)
			w.WriteVarint(0)
		}
		w.WriteVarint(0)
		body := w.Bytes()
		var b netpeer.Bunch
		var err error
		size := allocated(func() {
			b = netpeer.Bunch{}
			err = netpeer.ParseBunch(body, wide, nil, &b)
		})
		require.ErrorIs(t, err, netpeer.ErrDuplicateID)
		require.Less(t, size, uint64(80*len(body)), "the race detector doubles it")
		require.Less(t, allocated(func() { err = netpeer.ParseBunch(body, wide, nil, &b) }), uint64(most))
	})
}

// The largest collection there can be, in no order, and one element more.
func TestLargestCollection(t *testing.T) {
	s := schemaOf(netpeer.Collection(netpeer.Int(3, 3), math.MaxUint32))
	f := s.Field(0)
	var d netpeer.CollectionDelta
	for i := range uint32(netpeer.MaxItems) {
		id := netpeer.ElementID{Index: i * 40503 % netpeer.MaxItems, Generation: i & 1}
		if i%2 == 0 {
			d.Removed = append(d.Removed, id)
		} else {
			d.Changed = append(d.Changed, netpeer.Element{ID: id, Value: must(f.Item().Int(3))})
		}
	}
	bunch := &netpeer.Bunch{Header: deltaHeader, Changes: []netpeer.Change{{Value: must(f.Collection(&d))}}}
	body, err := s.AppendBunch(nil, bunch)
	require.NoError(t, err)
	budget := netpeer.NewBudget(netpeer.MaxItems)
	var got netpeer.Bunch
	require.NoError(t, netpeer.ParseBunch(body, s, &budget, &got))
	require.Zero(t, budget.Left())
	require.True(t, got.Changes[0].Value.Equal(&bunch.Changes[0].Value))

	last := &d.Changed[len(d.Changed)-1].ID
	*last = d.Removed[0]
	_, err = s.AppendBunch(nil, bunch)
	require.ErrorIs(t, err, netpeer.ErrDuplicateID)
	d.Removed = append(d.Removed, netpeer.ElementID{Index: math.MaxUint32})
	_, err = s.AppendBunch(nil, bunch)
	require.ErrorIs(t, err, netpeer.ErrTooManyItems, "all three lists together, before uniqueness")
}

// Whether a value is sent is the mask's business and not that of the value: zeros are sent too.
func TestZeroIsSent(t *testing.T) {
	scalar := netpeer.Scalar(must(quant.NewScalar(0, 1, 10)))
	s := schemaOf(netpeer.Bool(), netpeer.Int(0, 9), scalar, netpeer.Bytes(5), netpeer.Collection(netpeer.Bool(), 5), netpeer.Int(4, 4))
	b := &netpeer.Bunch{Header: deltaHeader, Changes: []netpeer.Change{
		{Field: 0, Value: must(s.Field(0).Bool(false))},
		{Field: 1, Value: must(s.Field(1).Int(0))},
		{Field: 2, Value: must(s.Field(2).Scalar(0))},
		{Field: 3, Value: must(s.Field(3).Bytes(nil))},
		{Field: 4, Value: must(s.Field(4).Collection(nil))},
		{Field: 5, Value: must(s.Field(5).Int(4))},
	}}
	body, err := s.AppendBunch(nil, b)
	require.NoError(t, err)
	var got netpeer.Bunch
	require.NoError(t, netpeer.ParseBunch(body, s, nil, &got))
	require.Len(t, got.Changes, 6)
	for i := range got.Changes {
		require.Equal(t, i, got.Changes[i].Field)
		require.True(t, got.Changes[i].Value.Equal(&b.Changes[i].Value))
		require.True(t, b.Changes[i].Value.Equal(&got.Changes[i].Value))
	}
}

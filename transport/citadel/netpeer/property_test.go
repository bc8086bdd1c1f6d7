package netpeer_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// Random bunches of random schemas: every way to write them gives the bytes of the model, and what is read is what
// was meant, to within a step of its codec.
func TestRandomBunches(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var e netpeer.Encoder
	var d netpeer.Decoder
	var got netpeer.Bunch
	var streamed netpeer.CollectionDelta
	for i := range 250 {
		fields := r.IntN(20)
		if i%10 == 0 {
			fields = r.IntN(200) // masks of several words
		}
		m := randomModel(r, fields)
		s := m.schema()
		b := m.bunch(s)
		want, _ := m.encode()

		body, err := s.AppendBunch([]byte("kept"), b)
		require.NoError(t, err)
		require.Equal(t, "kept"+string(want), string(body))

		values := make([]netpeer.Prepared, len(b.Changes))
		var arena []byte
		e.Begin([]byte("kept"), s, m.header)
		for i := range b.Changes {
			c := &b.Changes[i]
			arena, values[i], err = s.Prepare(arena, c.Field, &c.Value)
			require.NoError(t, err)
			require.Equal(t, c.Field, values[i].Field())
			if r.IntN(2) == 0 {
				e.Prepared(&values[i])
			} else {
				e.Value(c.Field, &c.Value)
			}
		}
		body, err = s.AppendPrepared([]byte("kept"), m.header, values)
		require.NoError(t, err)
		require.Equal(t, "kept"+string(want), string(body))
		body, err = e.End()
		require.NoError(t, err)
		require.Equal(t, "kept"+string(want), string(body))

		h := m.header
		if h.Full {
			h.Base, h.Identity = 0, m.id
		}
		peeked, err := netpeer.PeekHeader(want)
		require.NoError(t, err)
		require.Equal(t, h, peeked)
		require.NoError(t, netpeer.ParseBunch(want, s, nil, &got))
		require.Equal(t, h, got.Header)
		require.Len(t, got.Changes, len(m.values))
		for i := range got.Changes {
			c := &got.Changes[i]
			require.True(t, i == 0 || got.Changes[i-1].Field < c.Field)
			require.True(t, c.Value.Equal(&b.Changes[i].Value))
			m.fields[c.Field].requireNear(t, m.values[c.Field], s.Field(c.Field), &c.Value)
		}

		// The stream of fields is the same, whichever of them are skipped.
		d.Budget = netpeer.Budget{}
		require.NoError(t, d.Begin(want))
		require.Equal(t, h, d.Header)
		require.NoError(t, d.Open(s))
		i := 0
		for field, ok := d.Next(); ok; field, ok = d.Next() {
			require.Equal(t, got.Changes[i].Field, field)
			if r.IntN(4) > 0 {
				v := readStreamed(&d, s.Field(field), &streamed)
				require.True(t, v.Equal(&got.Changes[i].Value) || !requantises(s.Field(field)))
			}
			i++
		}
		require.Len(t, got.Changes, i)
		require.NoError(t, d.End())
	}
}

// requantises reports whether numbers of a field always get their codes back.
func requantises(f *netpeer.Field) bool {
	return f.Kind() != netpeer.KindQuat
}

// readStreamed makes a value of what a decoder reads.
func readStreamed(d *netpeer.Decoder, f *netpeer.Field, delta *netpeer.CollectionDelta) netpeer.Value {
	switch f.Kind() {
	case netpeer.KindBool:
		return must(f.Bool(d.Bool()))
	case netpeer.KindInt:
		return must(f.Int(d.Int()))
	case netpeer.KindScalar:
		return must(f.Scalar(d.Scalar()))
	case netpeer.KindVector:
		return must(f.Vector(d.Vector()))
	case netpeer.KindQuat:
		return must(f.Quat(d.Quat()))
	case netpeer.KindBytes:
		return must(f.Bytes(d.AppendBytes(nil)))
	}
	d.Collection(delta)
	return must(f.Collection(delta))
}

// A body that ends early is refused. Cut within a byte, and the byte filled with zeros, it may be the body of
// another bunch, if that is shorter; but it is then the one body of that bunch.
func TestEveryBitLength(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	var got netpeer.Bunch
	var d netpeer.Decoder
	for range 25 {
		m := randomModel(r, r.IntN(20))
		s := m.schema()
		body, bits := m.encode()
		for n := range bits {
			cut := slices.Clone(body[:(n+7)/8])
			if n%8 > 0 {
				cut[n/8] &^= 0xff >> (n % 8)
			}
			err := netpeer.ParseBunch(cut, s, nil, &got)
			checkVerdict(t, cut, s, err, &d, &got)
			if err == nil && n%8 == 0 {
				t.Fatalf("%d of %d bits of %x are accepted", n, bits, body)
			}
		}
		require.Error(t, netpeer.ParseBunch(append(body, 0), s, nil, &got), "a byte too many")
		if bits%8 > 0 {
			body[len(body)-1] |= 1
			require.Error(t, netpeer.ParseBunch(body, s, nil, &got), "padding is zero")
		}
	}
}

// skipAll decodes a body without looking at any value.
func skipAll(d *netpeer.Decoder, body []byte, s *netpeer.Schema) error {
	d.Budget = netpeer.Budget{}
	if err := d.Begin(body); err != nil {
		return err
	}
	if err := d.Open(s); err != nil {
		return err
	}
	return d.End()
}

// What is accepted has one encoding, also after any damage.
func TestDamagedBodies(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 3))
	var got netpeer.Bunch
	var d netpeer.Decoder
	accepted := 0
	for range 100 {
		m := randomModel(r, r.IntN(12))
		s := m.schema()
		body, _ := m.encode()
		for range 60 {
			bad := slices.Clone(body)
			for range 1 + r.IntN(3) {
				switch at := r.IntN(len(bad)); r.IntN(4) {
				case 0:
					bad[at] ^= 1 << r.IntN(8)
				case 1:
					bad[at] = byte(r.Uint32())
				case 2:
					bad = slices.Insert(bad, at, byte(r.Uint32()))
				case 3:
					bad = append(slices.Delete(bad, at, at+1), 0)
				}
			}
			err := netpeer.ParseBunch(bad, s, nil, &got)
			checkVerdict(t, bad, s, err, &d, &got)
			if err == nil {
				accepted++
			}
		}
	}
	require.Greater(t, accepted, 300, "the damage was not all fatal")
}

// checkVerdict checks what a parse of a body came to: after an error nothing is left, and else the bunch encodes
// to the body. The other decoder must be of the same opinion. This is in inner loops, where package require would
// take most of the time.
func checkVerdict(t *testing.T, body []byte, s *netpeer.Schema, err error, d *netpeer.Decoder, got *netpeer.Bunch) {
	if skipped := skipAll(d, body, s); skipped != err {
		t.Fatalf("%x: %v, but skipped: %v", body, err, skipped)
	}
	if err != nil {
		if got.Header != (netpeer.Header{}) || len(got.Changes) > 0 {
			t.Fatalf("%x: %v leaves %+v", body, err, got)
		}
		return
	}
	if again, err := s.AppendBunch(nil, got); err != nil || !bytes.Equal(again, body) {
		t.Fatalf("%x encodes to %x, %v", body, again, err)
	}
}

// Tables too: every prefix is refused, and every table survives.
func TestRandomTables(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 4))
	var acks []netpeer.AckEntry
	var table []netpeer.TableEntry
	for range 30 {
		wantAcks := make([]netpeer.AckEntry, r.IntN(20))
		for i := range wantAcks {
			wantAcks[i] = netpeer.AckEntry{Object: r.Uint32(), Result: r.Uint64() >> r.IntN(64), History: r.Uint32()}
		}
		body := must(netpeer.AppendAcks(nil, wantAcks))
		require.NoError(t, netpeer.ParseAcks(body, &acks))
		require.Equal(t, wantAcks, append([]netpeer.AckEntry{}, acks...))
		for n := range body {
			if err := netpeer.ParseAcks(body[:n], &acks); err == nil || len(acks) > 0 {
				t.Fatalf("%d bytes of %x: %v, %v", n, body, acks, err)
			}
		}
		require.Error(t, netpeer.ParseAcks(append(body, 0), &acks))

		wantTable := make([]netpeer.TableEntry, r.IntN(20))
		for i := range wantTable {
			wantTable[i].Class, wantTable[i].Identity.Version = r.Uint32(), r.Uint32()
			copy(wantTable[i].Identity.Hash[:], randomBytes(r, 16))
		}
		body = must(netpeer.AppendTable(nil, wantTable))
		require.NoError(t, netpeer.ParseTable(body, &table))
		require.Equal(t, wantTable, append([]netpeer.TableEntry{}, table...))
		for n := range body {
			if err := netpeer.ParseTable(body[:n], &table); err == nil || len(table) > 0 {
				t.Fatalf("%d bytes of %x: %v, %v", n, body, table, err)
			}
		}
		require.Error(t, netpeer.ParseTable(append(body, 0), &table))
	}
}

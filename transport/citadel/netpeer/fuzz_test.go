package netpeer_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// fuzzSchemas are what FuzzBunch chooses from. Those that are random come from a fixed seed.
var fuzzSchemas = func() []*netpeer.Schema {
	nothing := netpeer.Int(3, 3)
	all := []*netpeer.Schema{
		avatar,
		schemaOf(),
		schemaOf(make300()...),
		schemaOf(netpeer.Bytes(math.MaxUint32), netpeer.Collection(nothing, math.MaxUint32), netpeer.Collection(netpeer.Bytes(math.MaxUint32), math.MaxUint32)),
		schemaOf(netpeer.Int(math.MinInt64, math.MaxInt64), netpeer.Collection(netpeer.Int(math.MinInt64, math.MaxInt64), 9), netpeer.Collection(netpeer.Vector(positionCodec), 9)),
	}
	r := rand.New(rand.NewPCG(7, 5))
	for range 11 {
		all = append(all, randomModel(r, 1+r.IntN(10)).schema())
	}
	return all
}()

// FuzzBunch decodes a body by a schema, in both ways and with a small budget too. What is accepted encodes to the
// same bytes, from values, from prepared values and field by field; what is refused leaves nothing.
func FuzzBunch(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 6))
	for i := range fuzzSchemas[:2] {
		b := netpeer.Bunch{Header: deltaHeader}
		f.Add(uint8(i), uint16(50), must(fuzzSchemas[i].AppendBunch(nil, &b)))
	}
	f.Add(uint8(0), uint16(9), must(avatar.AppendBunch(nil, sampleState().bunch(fullHeader))))
	f.Add(uint8(3), uint16(9), must(fuzzSchemas[3].AppendBunch(nil, randomBunchOf(r, fuzzSchemas[3]))))
	f.Fuzz(func(t *testing.T, choice uint8, limit uint16, body []byte) {
		s := fuzzSchemas[int(choice)%len(fuzzSchemas)]
		var b, small netpeer.Bunch
		var d netpeer.Decoder
		budget := netpeer.NewBudget(int(limit))
		errSmall := netpeer.ParseBunch(body, s, &budget, &small)
		err := netpeer.ParseBunch(body, s, nil, &b)
		if err != nil {
			if b.Header != (netpeer.Header{}) || len(b.Changes) != 0 || errSmall == nil || skipAll(&d, body, s) != err {
				t.Fatalf("%x: %v leaves %v, with a small budget %v", body, err, b, errSmall)
			}
			return
		}
		if (errSmall != nil) != (errSmall == netpeer.ErrBudget) {
			t.Fatalf("%x: a small budget leads to %v", body, errSmall)
		}
		if err := skipAll(&d, body, s); err != nil {
			t.Fatalf("%x: skipped: %v", body, err)
		}
		again, err := s.AppendBunch(nil, &b)
		if err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%x encodes to %x, %v", body, again, err)
		}
		var e netpeer.Encoder
		e.Begin(nil, s, b.Header)
		var arena []byte
		prepared := make([]netpeer.Prepared, len(b.Changes))
		for i := range b.Changes {
			c := &b.Changes[i]
			e.Value(c.Field, &c.Value)
			if arena, prepared[i], err = s.Prepare(arena, c.Field, &c.Value); err != nil {
				t.Fatal(err)
			}
		}
		if again, err = e.End(); err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%x streams as %x, %v", body, again, err)
		}
		if again, err = s.AppendPrepared(nil, b.Header, prepared); err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%x splices to %x, %v", body, again, err)
		}
	})
}

// randomBunchOf returns a bunch of a schema of byte strings and collections.
func randomBunchOf(r *rand.Rand, s *netpeer.Schema) *netpeer.Bunch {
	b := &netpeer.Bunch{Header: deltaHeader}
	for i := range s.Len() {
		f := s.Field(i)
		v, err := f.Bytes(randomBytes(r, 9))
		if f.Item() != nil {
			v, err = f.Collection(&netpeer.CollectionDelta{Removed: []netpeer.ElementID{{Index: r.Uint32(), Generation: 1}}})
		}
		b.Changes = append(b.Changes, netpeer.Change{Field: i, Value: must(v, err)})
	}
	return b
}

// FuzzBunches splits a list, whose parts join to the same list.
func FuzzBunches(f *testing.F) {
	one := must(avatar.AppendBunch(nil, sampleState().bunch(fullHeader)))
	f.Add(must(netpeer.AppendBunches(nil, [][]byte{one, {}, one})))
	f.Add([]byte{0x81, 0x20})
	f.Fuzz(func(t *testing.T, list []byte) {
		var bunches [][]byte
		var failed error
		for b, err := range netpeer.Bunches(list) {
			if failed != nil {
				t.Fatalf("%x goes on after %v", list, failed)
			}
			if failed = err; err == nil {
				bunches = append(bunches, b)
			}
		}
		if len(bunches) > netpeer.MaxBunches {
			t.Fatalf("%d bunches", len(bunches))
		}
		if failed != nil {
			return
		}
		if again, err := netpeer.AppendBunches(nil, bunches); err != nil || !bytes.Equal(again, list) {
			t.Fatalf("%x joins to %x, %v", list, again, err)
		}
	})
}

// FuzzTables decodes acks and schema tables, which encode to the same bytes.
func FuzzTables(f *testing.F) {
	f.Add(false, must(netpeer.AppendAcks(nil, []netpeer.AckEntry{{Object: 42, Result: 300, History: 5}, {}})))
	f.Add(true, must(netpeer.AppendTable(nil, []netpeer.TableEntry{{Class: 4, Identity: avatarID}})))
	f.Fuzz(func(t *testing.T, schemas bool, body []byte) {
		var again []byte
		var err error
		if schemas {
			var entries []netpeer.TableEntry
			if netpeer.ParseTable(body, &entries) != nil {
				return
			}
			again, err = netpeer.AppendTable(nil, entries)
		} else {
			var entries []netpeer.AckEntry
			if netpeer.ParseAcks(body, &entries) != nil {
				return
			}
			again, err = netpeer.AppendAcks(nil, entries)
		}
		if err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%x encodes to %x, %v", body, again, err)
		}
	})
}

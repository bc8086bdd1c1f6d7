package netpeer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
)

// After a first message nothing allocates, and refusing never does.
func TestNoAllocations(t *testing.T) {
	s := sampleState()
	s.Slots.Added[0].ID, s.Slots.Changed[0].ID = s.Slots.Changed[0].ID, s.Slots.Added[0].ID // so that ids are sorted
	full, delta := s.bunch(fullHeader), s.bunch(deltaHeader)
	body, deltaBody := must(avatar.AppendBunch(nil, full)), must(avatar.AppendBunch(nil, delta))
	list := must(netpeer.AppendBunches(nil, [][]byte{body, deltaBody}))
	acks := must(netpeer.AppendAcks(nil, make([]netpeer.AckEntry, 40)))
	table := must(netpeer.AppendTable(nil, make([]netpeer.TableEntry, 40)))

	dst := make([]byte, 0, 4096)
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	refused := func(err error) {
		if err == nil {
			panic("not refused")
		}
	}
	var (
		e         netpeer.Encoder
		d         netpeer.Decoder
		b         netpeer.Bunch
		out       state
		prepared  = make([]netpeer.Prepared, avatar.Len())
		arena     []byte
		entries   []netpeer.AckEntry
		tableRows []netpeer.TableEntry
	)
	big := schemaOf(make300()...)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"append", func() { _, err := avatar.AppendBunch(dst, full); check(err) }},
		{"encoder", func() { _, err := s.encode(&e, dst, fullHeader); check(err) }},
		{"encoder of a large class", func() {
			e.Begin(dst, big, deltaHeader)
			e.Bool(299, true)
			_, err := e.End()
			check(err)
		}},
		{"prepare", func() {
			arena = arena[:0]
			for i := range full.Changes {
				var err error
				arena, prepared[i], err = avatar.Prepare(arena, i, &full.Changes[i].Value)
				check(err)
			}
		}},
		{"append prepared", func() { _, err := avatar.AppendPrepared(dst, fullHeader, prepared); check(err) }},
		{"peek", func() { _, err := netpeer.PeekHeader(body); check(err) }},
		{"parse", func() { check(netpeer.ParseBunch(body, avatar, nil, &b)) }},
		{"decoder", func() {
			d.Budget = netpeer.Budget{}
			check(out.decode(&d, body))
		}},
		{"skip", func() { check(skipAll(&d, body, avatar)) }},
		{"list", func() {
			var budget netpeer.Budget
			for body, err := range netpeer.Bunches(list) {
				check(err)
				check(netpeer.ParseBunch(body, avatar, &budget, &b))
			}
		}},
		{"append list", func() { _, err := netpeer.AppendBunches(dst, [][]byte{body, deltaBody}); check(err) }},
		{"acks", func() { check(netpeer.ParseAcks(acks, &entries)) }},
		{"append acks", func() { _, err := netpeer.AppendAcks(dst, entries); check(err) }},
		{"table", func() { check(netpeer.ParseTable(table, &tableRows)) }},
		{"append table", func() { _, err := netpeer.AppendTable(dst, tableRows); check(err) }},
		{"refuse", func() {
			for n := range body {
				refused(netpeer.ParseBunch(body[:n], avatar, nil, &b))
				refused(skipAll(&d, body[:n], avatar))
			}
		}},
		{"compare", func() {
			for i := range full.Changes {
				if !full.Changes[i].Value.Equal(&delta.Changes[i].Value) {
					panic("not equal")
				}
			}
		}},
		{"make values", func() {
			v, err := avatar.Field(fieldPosition).Vector(s.Position)
			check(err)
			delta.Changes[fieldPosition].Value = v
			_, err = v.Vector(avatar.Field(fieldPosition))
			check(err)
		}},
	} {
		require.Zero(t, testing.AllocsPerRun(100, c.run), c.name)
	}
}

// make300 returns the fields of a class that has more than a word holds bits.
func make300() []netpeer.Field {
	fields := make([]netpeer.Field, 300)
	for i := range fields {
		fields[i] = netpeer.Bool()
	}
	return fields
}

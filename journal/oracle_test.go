package journal_test

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
)

// oracle is a journal as one would write it without caring about its size: a slice in revision order and maps
// of netcode.MaxRevision that ever was.
type oracle struct {
	limit           int
	records         []journal.Record
	revision, floor netcode.Revision

	known    map[netcode.Key]bool
	admitted map[netcode.Key]bool // of the present records
	floors   map[netcode.AuthorID]netcode.Revision
	highest  map[netcode.AuthorID]netcode.Sequence
}

func newOracle(limit int) *oracle {
	o := &oracle{limit: limit}
	o.forget()
	return o
}

func (o *oracle) forget() {
	o.records = nil
	o.known = map[netcode.Key]bool{}
	o.admitted = map[netcode.Key]bool{}
	o.floors = map[netcode.AuthorID]netcode.Revision{}
	o.highest = map[netcode.AuthorID]netcode.Sequence{}
}

func (o *oracle) index(key netcode.Key) int {
	return slices.IndexFunc(o.records, func(r journal.Record) bool { return r.Header.Key == key })
}

func (o *oracle) append(r journal.Record) bool {
	if o.known[r.Header.Key] {
		return false
	}
	o.replace(r)
	return true
}

func (o *oracle) replace(r journal.Record) {
	key := r.Header.Key
	if i := o.index(key); i >= 0 {
		o.records = slices.Delete(o.records, i, i+1)
	}
	o.revision++
	r.Revision = o.revision
	r.RequestPayload = payload(string(r.RequestPayload))
	r.FinalPayload = payload(string(r.FinalPayload))
	o.records = append(o.records, r)
	o.known[key] = true
	o.highest[key.Author] = max(o.highest[key.Author], key.Sequence)
	if r.Result == netcode.Accepted {
		o.admitted[key] = true
	}

	refused := o.filter(func(r journal.Record) bool {
		return r.Header.Key.Author == key.Author && !o.admitted[r.Header.Key]
	})
	if o.limit >= 0 && len(refused) > o.limit {
		o.floors[key.Author] = refused[0].Revision
		o.drop(o.index(refused[0].Header.Key))
	}
}

func (o *oracle) cancel(key netcode.Key) {
	if i := o.index(key); i >= 0 {
		r := o.records[i]
		r.Cancelled = true
		o.replace(r)
		return
	}
	h := netcode.Header{Key: key, Type: 0, Step: -1 << 63, Order: 0}
	o.replace(journal.Record{Header: h, Request: h, Result: netcode.Cancelled, Cancelled: true})
}

func (o *oracle) clear() {
	o.forget()
	o.revision++
	o.floor = o.revision
}

func (o *oracle) drop(i int) {
	delete(o.admitted, o.records[i].Header.Key)
	o.records = slices.Delete(o.records, i, i+1)
}

func (o *oracle) compact(before netcode.Step, older netcode.Revision, keep int) (dropped int) {
	for len(o.records) > max(keep, 0) {
		r := o.records[0]
		if r.Revision >= older || r.Result == netcode.Accepted && !r.Cancelled && r.Header.Step >= before {
			break
		}
		o.floor = r.Revision
		o.drop(0)
		dropped++
	}
	return dropped
}

func (o *oracle) filter(keep func(journal.Record) bool) []journal.Record {
	var out []journal.Record
	for _, r := range o.records {
		if keep(r) {
			out = append(out, r)
		}
	}
	return out
}

func (o *oracle) acceptedAfter(c netcode.Cursor) []journal.Record {
	out := o.filter(func(r journal.Record) bool {
		return r.Result == netcode.Accepted && !r.Cancelled && (r.Header.Step > c.Step || r.Header.Order > c.Order)
	})
	slices.SortFunc(out, func(a, b journal.Record) int {
		return cmp.Or(a.Header.Compare(b.Header), cmp.Compare(a.Header.Key.Session, b.Header.Key.Session))
	})
	return out
}

func (o *oracle) changesAfter(after netcode.Revision) ([]journal.Record, bool) {
	if after < o.floor || after > o.revision {
		return nil, false
	}
	return o.filter(func(r journal.Record) bool { return r.Revision > after }), true
}

func (o *oracle) outcomesAfter(author netcode.AuthorID, last netcode.Sequence, hasLast bool) []journal.Record {
	out := o.filter(func(r journal.Record) bool {
		return r.Header.Key.Author == author && (!hasLast || r.Header.Key.Sequence > last)
	})
	slices.SortFunc(out, func(a, b journal.Record) int {
		ak, bk := a.Header.Key, b.Header.Key
		return cmp.Or(cmp.Compare(ak.Sequence, bk.Sequence), cmp.Compare(ak.Session, bk.Session))
	})
	return out
}

func (o *oracle) authorFloor(author netcode.AuthorID) netcode.Revision {
	return max(o.floor, o.floors[author])
}

// same compares records, their payloads by content and by being nil when empty.
func same(a, b journal.Record) bool {
	return a.Header == b.Header && a.Request == b.Request && a.Result == b.Result &&
		a.Revision == b.Revision && a.Cancelled == b.Cancelled &&
		samePayload(a.RequestPayload, b.RequestPayload) && samePayload(a.FinalPayload, b.FinalPayload)
}

func samePayload(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

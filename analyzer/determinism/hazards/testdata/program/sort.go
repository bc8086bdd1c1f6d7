package main

import (
	"cmp"
	"slices"
	"sort"
)

type runner struct {
	lap    uint32
	number uint32 // does not decide
	name   []byte
}

func field1000() []runner {
	var s source
	rs := make([]runner, 1000)
	for i := range rs {
		rs[i] = runner{lap: uint32(s.next() % 100), number: uint32(i)}
	}
	return rs
}

func numbersOf(rs []runner) uint64 {
	var d digest
	for _, r := range rs {
		d.add(uint64(r.number))
	}
	return uint64(d)
}

func sortSlice() uint64 {
	rs := field1000()
	sort.Slice(rs, func(i, j int) bool { return rs[i].lap < rs[j].lap })
	return numbersOf(rs)
}

func sortFunc() uint64 {
	rs := field1000()
	slices.SortFunc(rs, func(a, b runner) int { return cmp.Compare(a.lap, b.lap) })
	return numbersOf(rs)
}

type byLap []runner

func (l byLap) Len() int           { return len(l) }
func (l byLap) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l byLap) Less(i, j int) bool { return l[i].lap < l[j].lap }

func sortInterface() uint64 {
	rs := field1000()
	sort.Sort(byLap(rs))
	return numbersOf(rs)
}

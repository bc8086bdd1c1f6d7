package main

import "math"

func numbers() map[uint32]float64 {
	var s source
	m := map[uint32]float64{}
	for i := range uint32(1000) {
		m[i] = s.number()
	}
	return m
}

func mapFloat() uint64 {
	m, sum := numbers(), 0.0
	for _, x := range m {
		sum += x
	}
	return math.Float64bits(sum)
}

func mapAppend() uint64 {
	var d digest
	var order []uint32
	m := numbers()
	for k := range m {
		order = append(order, k)
	}
	for _, k := range order {
		d.add(uint64(k))
	}
	return uint64(d)
}

func mapArgmax() uint64 {
	m := numbers()
	var best float64
	var who uint32
	for k := range m {
		if level := float64(k % 7); level > best {
			best, who = level, k
		}
	}
	return uint64(who)
}

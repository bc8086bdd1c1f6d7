// Package bench compares packages of Ariadne with libraries that do the same work. It is a module of its own, so that
// nobody who uses Ariadne has to know those libraries.
//
// The contenders of a benchmark take turns, a few microseconds each, within one run. What disturbs the machine then
// disturbs all of them, and the ratios hold where the nanoseconds do not. A figure is the median of the turns. All do
// the same work, and a contender whose result differs fails the benchmark.
//
//	go test -bench . github.com/ariadne-netcode/ariadne/bench
package bench

// Package determinism defines an Analyzer that finds code which computes different things on different machines, or
// on one machine twice, where a session needs it to be the same.
//
// # Analyzer determinism
//
// determinism: report nondeterministic code in simulations
//
// All peers of a session run the same simulation, and run parts of it again after every rollback. The analyzer
// reports what may come out differently there:
//
//   - fused: x*y + z, which some compilers compute in one rounding (arm64, s390x, amd64 with GOAMD64=v3 and others).
//     The fix rounds the product: float64(x*y) + z. Products are followed through variables, fields and calls.
//     Products of complex numbers hide the same sums.
//   - math: functions whose last bits depend on the target, such as math.Sin; not math.Sqrt and its like.
//   - floatint: conversion of a floating-point number to an integer without visible bounds.
//   - maporder: iteration over a map or sync.Map whose order can reach the state.
//   - concurrency: go, select, channel operations, sync.Pool.
//   - clock: time.Now, timers, the local time zone.
//   - random: generators that the state does not hold: top-level math/rand and math/rand/v2, crypto/rand.
//   - hash: hash/maphash, which every process seeds for itself, and encoding/gob.
//   - sort: an unstable sort by a comparison that can tie.
//   - address: addresses of variables as text or as numbers.
//   - width: int, uint and uintptr in the state, which have 32 bits on some machines.
//   - environment: files, network, environment variables, the runtime, the native byte order.
//
// It looks at the methods Tick, AppendBinary and UnmarshalBinary of every type that implements netcode.Simulation,
// at the functions that are given to session.Handlers and session.Config.Validators, at the Execute method of every
// netcode.Action, at whatever is marked with
//
//	//netcode:deterministic
//
// (a function, a type with its methods, an interface method with its implementations, a package), and at everything
// that these reach: calls, method values, closures, functions in variables, methods behind interfaces, instances of
// generic functions. Functions of other packages are reported where they are called, unless their own package
// has reported them already.
//
// One line is excused by a comment on it, or on a line of its own above it:
//
//	//netcode:nondeterministic the log is not part of the state
//
// The reason is mandatory. An excuse for a line with nothing to excuse is reported too.
//
// Test files are not reported on unless the flag -determinism.tests asks for it, and generated files never are: what
// is wrong in them is reported where other code calls them.
package determinism

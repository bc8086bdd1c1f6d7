// Package rollback holds the models that decide when commands run: [Model] corrects the past, [Lockstep]
// waits for the future.
//
// A model owns the order of things, not the things themselves. The game hands it a [netcode.Simulation] and
// entries; the model saves, executes, ticks, and hands every action back exactly once.
//
// # Rollback
//
// [Model] runs each step at once with the commands it has. Before step s it saves the simulation's bytes as
// snapshot s, then it executes the commands of s in their order, then it ticks. The newest Depth snapshots
// are kept, so after step c the steps max(first, c-Depth+1) through c can be run again, where first is the
// start step, or the step after a loaded one.
//
// A command that is set, moved or removed at a step that has already run marks that step. The next
// [Model.Tick], or [Model.Settle], loads the snapshot of the smallest mark and runs again from there. A
// replacement that changes neither what the step executes nor in which sequence marks nothing, which is why a
// prediction that turns out right costs no replay.
//
// For the same reason what an executor does must not depend on Header.Order: a new order that leaves the sequence
// as it was is not replayed. Sessions pass zero to executors in its place.
//
// # Lockstep
//
// [Lockstep] never runs a step twice. The authority moves requests Delay steps ahead, everybody else runs a
// step only after it was confirmed, and an executed command is history.
//
// # Failure
//
// Application code may fail: an executor or a tick panics, a state cannot be appended or loaded. The step
// that failed never stays half applied. The simulation is put back to the snapshot from before that step, and
// the model is faulted: calls return the same [*netcode.FaultError] until [Model.Load] brings in a sound
// state.
//
// # Ownership
//
// A successful Set takes the entry's action and keeps a reference to its payload bytes until the action is
// released. Simulations and actions must not call back into the model that runs them; such calls are refused
// with [ErrReentrant]. Neither model is safe for concurrent use.
package rollback

package netcode

// Trace is a set of optional hooks, called synchronously at the moment a thing happens. Nil functions are
// skipped and cost a branch. A hook must not call back into the session that called it.
//
// Executors run again on every replay, so side effects that must happen once per command (a sound, a line
// in a kill feed) belong to Confirmed, which is called once per accepted command, not to Executed.
type Trace struct {
	// Executed is called after a command was executed. Replay says that its step had been executed before.
	Executed func(h Header, replay bool)

	// Rollback is called before steps from to through, both included, are executed again.
	Rollback func(from, through Step)

	// Predicted is called when a command was put into the local model before the authority answered.
	Predicted func(h Header)

	// Confirmed is called once for every command that the authority accepted, with its final header. Changed
	// says that this peer had predicted the command and that it came out differently.
	Confirmed func(h Header, changed bool)

	// Withdrawn is called when a command that was in the model was taken out of it: a refused prediction or a
	// cancelled command.
	Withdrawn func(h Header, result Result)
}

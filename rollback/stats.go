package rollback

// Stats counts what a model did since it was made. Loading a state resets nothing.
type Stats struct {
	Executions      uint64 // commands executed, each replay counted again
	Rollbacks       uint64 // replays begun
	ReplayedSteps   uint64 // steps that replays set out to run again
	DeepestRollback int64  // most steps of one replay
	Commands        int    // commands held now
}

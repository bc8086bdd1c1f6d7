package motion

// NewQueueAt returns a queue that has let everything up to a number through.
func NewQueueAt[T any](acked uint32) *Queue[T] { return &Queue[T]{acked: acked} }

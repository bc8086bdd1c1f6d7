package negative

import "container/heap"

type job struct{ at, id int64 }

type jobs []job

func (q jobs) Len() int      { return len(q) }
func (q jobs) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q jobs) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].id < q[j].id
}
func (q *jobs) Push(x any) { *q = append(*q, x.(job)) }

func (q *jobs) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

//netcode:deterministic
func next(q *jobs) job {
	heap.Init(q)
	return heap.Pop(q).(job)
}

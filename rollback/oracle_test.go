package rollback_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

// oracle is the slow, obvious model. It keeps every command that was ever executed and computes each state
// from the very beginning.
type oracle struct {
	depth       int64
	base        ledgerState // at the end of step first-1
	first, step netcode.Step
	held        map[netcode.Key]netcode.Entry
	past        []netcode.Entry // no longer held, but executed
	marks       []netcode.Step
	shown       ledgerState // what the simulation holds while marks are outstanding
}

func newOracle(start netcode.Step, depth int) *oracle {
	o := &oracle{depth: int64(depth)}
	o.reset(start-1, ledgerState{})
	return o
}

func (o *oracle) reset(step netcode.Step, state ledgerState) {
	o.base, o.shown = state, state
	o.first, o.step = step+1, step
	o.held = make(map[netcode.Key]netcode.Entry)
	o.past, o.marks = nil, nil
}

// firstRetained follows the sentence of the specification: max(first, c-depth+1).
func (o *oracle) firstRetained() netcode.Step {
	if o.step < o.first {
		return o.first
	}
	oldest, ok := o.step.Add(-o.depth + 1)
	if !ok {
		return o.first
	}
	return max(o.first, oldest)
}

// sequence describes what a step executes, in order.
func (o *oracle) sequence(step netcode.Step) string {
	var list []netcode.Entry
	for _, e := range o.held {
		if e.Header.Step == step {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b netcode.Entry) int { return a.CompareExecution(&b) })
	text := ""
	for _, e := range list {
		text += fmt.Sprintf("%v %v %x;", e.Header.Key, e.Header.Type, e.Payload)
	}
	return text
}

// change runs fn and marks the executed ones of the given steps whose sequence it changed.
func (o *oracle) change(fn func(), steps ...netcode.Step) {
	before := make([]string, len(steps))
	for i, s := range steps {
		before[i] = o.sequence(s)
	}
	fn()
	for i, s := range steps {
		if s <= o.step && o.sequence(s) != before[i] {
			o.marks = append(o.marks, s)
		}
	}
}

func (o *oracle) set(e netcode.Entry) {
	steps := []netcode.Step{e.Header.Step}
	if old, ok := o.held[e.Header.Key]; ok {
		steps = append(steps, old.Header.Step)
	}
	o.change(func() { o.held[e.Header.Key] = e }, steps...)
}

func (o *oracle) remove(k netcode.Key) bool {
	e, ok := o.held[k]
	if ok {
		o.change(func() { delete(o.held, k) }, e.Header.Step)
	}
	return ok
}

// tick returns how many steps are replayed.
func (o *oracle) tick(to netcode.Step) (replayed int64) {
	if len(o.marks) > 0 {
		replayed = o.step.Sub(slices.Min(o.marks)) + 1
		o.marks = nil
	}
	o.step = to
	o.shown = o.through(to)
	for k, e := range o.held {
		if e.Header.Step < o.firstRetained() {
			o.past = append(o.past, e)
			delete(o.held, k)
		}
	}
	return replayed
}

// through computes the state at the end of a step from scratch.
func (o *oracle) through(step netcode.Step) ledgerState {
	entries := slices.Clone(o.past)
	for _, e := range o.held {
		entries = append(entries, e)
	}
	return expect(o.base, o.first, step, entries...)
}

// walk drives a model and the oracle through the same operations and compares them after each.
type walk struct {
	*rig
	o      *oracle
	choose func(n int) int // a number below n
	keys   []netcode.Key
	saved  [][]byte

	rollbacks, refusals, quiet int // what has happened, so that a test can tell whether anything did
}

func newWalk(t *testing.T, start netcode.Step, depth int, choose func(int) int, keys []netcode.Key) *walk {
	r := newRig(t, rollback.Config{Start: start, Depth: depth})
	return &walk{rig: r, o: newOracle(start, depth), choose: choose, keys: keys}
}

// someKeys returns keys of a few authors.
func someKeys() []netcode.Key {
	var keys []netcode.Key
	for author := range netcode.AuthorID(4) {
		for sequence := range netcode.Sequence(10) {
			keys = append(keys, netcode.Key{Session: 7, Author: author, Sequence: sequence})
		}
	}
	return keys
}

// finish forgets all commands: in the end everything must have been given back once.
func (w *walk) finish() {
	if w.o.step == netcode.MaxStep {
		return // no state can be loaded that nothing follows
	}
	state, err := w.m.AppendState(nil)
	require.NoError(w.t, err)
	w.load(state)
	w.compare()
}

func (w *walk) op() {
	switch w.choose(20) {
	case 0, 1, 2, 3, 4:
		w.setSome(w.keys[w.choose(len(w.keys))])
	case 5, 6, 16, 17, 18, 19:
		w.confirmSome()
	case 7:
		k := w.keys[w.choose(len(w.keys))]
		require.Equal(w.t, w.o.remove(k), w.m.Remove(k))
	case 8, 9, 10, 11, 12:
		w.tickBy(int64(w.choose(5)) - 1)
	case 13:
		before := w.m.Stats()
		require.NoError(w.t, w.m.Settle())
		w.replayed(before, w.o.tick(w.o.step))
	case 14:
		w.save()
	case 15:
		w.loadSome()
	}
}

// setSome puts in a command at a random step, around the present one and the edges of the window.
func (w *walk) setSome(k netcode.Key) {
	from := w.o.firstRetained()
	if w.choose(2) == 0 {
		from = w.o.step
	}
	step, ok := from.Add(int64(w.choose(8)) - 3)
	if w.choose(12) == 0 {
		step, ok = w.o.step.Add(int64(100 + w.choose(400)))
	}
	if !ok {
		return
	}
	w.setAt(netcode.Header{
		Key:   k,
		Type:  netcode.TypeID(1 + w.choose(2)),
		Step:  step,
		Order: netcode.Order(w.choose(5)),
	}, int32(w.choose(3)))
}

// confirmSome sets what is held already, usually with another order: a prediction that turns out right, or
// nearly.
func (w *walk) confirmSome() {
	k := w.keys[w.choose(len(w.keys))]
	e, ok := w.o.held[k]
	if !ok {
		return
	}
	h, p := e.Header, e.Action.(*action).payload
	if w.choose(2) == 0 {
		h.Order = netcode.Order(w.choose(5))
	}
	w.setAt(h, p.Value)
}

func (w *walk) setAt(h netcode.Header, value int32) {
	e := w.entry(w.game, h, payload{Value: value, ID: uint64(h.Key.Author), Seed: uint64(h.Key.Sequence)})
	e.Predicted = w.choose(2) == 0
	_, held := w.o.held[h.Key]
	before := w.o.sequence(h.Step)
	moved := held && w.o.held[h.Key].Header.Step != h.Step

	changed, err := w.m.Set(e)
	if h.Step < w.o.firstRetained() {
		require.ErrorIs(w.t, err, netcode.ErrHistoryExceeded)
		require.Zero(w.t, e.Action.(*action).released)
		e.Action.Release() // it stayed ours
		w.refusals++
		return
	}
	require.NoError(w.t, err)
	w.o.set(e)
	require.Equal(w.t, moved || w.o.sequence(h.Step) != before, changed)
	if held && !changed {
		w.quiet++
	}
}

func (w *walk) tickBy(n int64) {
	to, ok := w.o.step.Add(n)
	if !ok {
		return
	}
	before := w.m.Stats()
	err := w.m.Tick(to)
	if n < 0 {
		require.ErrorIs(w.t, err, netcode.ErrStepRange)
		w.refusals++
		return
	}
	require.NoError(w.t, err)
	w.replayed(before, w.o.tick(to))
}

// replayed checks the counters after a tick that should have replayed n steps.
func (w *walk) replayed(before rollback.Stats, n int64) {
	after := w.m.Stats()
	require.Equal(w.t, uint64(n), after.ReplayedSteps-before.ReplayedSteps)
	require.Equal(w.t, n > 0, after.Rollbacks > before.Rollbacks)
	require.GreaterOrEqual(w.t, after.DeepestRollback, n)
	if n > 0 {
		w.rollbacks++
	}
}

func (w *walk) save() {
	state, err := w.m.AppendState(nil)
	require.NoError(w.t, err)
	anchor, _, err := w.m.AppendAnchor(nil)
	require.NoError(w.t, err)
	w.saved = append(w.saved, state, anchor)
}

func (w *walk) loadSome() {
	if len(w.saved) == 0 || w.choose(3) == 0 {
		broken := make([]byte, w.choose(60))
		if len(broken) == 40 {
			broken = broken[1:]
		}
		require.Error(w.t, w.m.Load(broken))
		w.refusals++
		return
	}
	state := w.saved[w.choose(len(w.saved))]
	if netcode.Step(binary.LittleEndian.Uint64(state)) == netcode.MaxStep {
		require.ErrorIs(w.t, w.m.Load(state), netcode.ErrStepRange)
		w.refusals++
		return
	}
	w.load(state)
}

func (w *walk) load(state []byte) {
	require.NoError(w.t, w.m.Load(state))
	w.o.reset(netcode.Step(binary.LittleEndian.Uint64(state)), parseLedger(state[8:]))
	w.released()
}

// compare checks everything that can be seen from outside.
func (w *walk) compare() {
	w.t.Helper()
	o := w.o
	require.Equal(w.t, o.step, w.m.Step())
	require.Equal(w.t, o.firstRetained(), w.m.FirstRetained())
	require.Equal(w.t, len(o.held), w.m.Stats().Commands)
	require.Nil(w.t, w.m.Fault())
	from, pending := w.m.Pending()
	require.Equal(w.t, len(o.marks) > 0, pending)
	if pending {
		require.Equal(w.t, slices.Min(o.marks), from)
	}

	_, state := w.state()
	require.Equal(w.t, o.shown, state)

	anchor, at, err := w.m.AppendAnchor([]byte("before"))
	require.NoError(w.t, err)
	require.Equal(w.t, o.firstRetained()-1, at)
	require.Equal(w.t, o.through(at).append(binary.LittleEndian.AppendUint64([]byte("before"), uint64(at))), anchor)

	var live []netcode.Entry
	for _, e := range o.held {
		live = append(live, e)
	}
	w.released(live...)
}

func TestModelAgainstOracle(t *testing.T) {
	starts := []netcode.Step{0, 1, -40, netcode.MinStep + 1, netcode.MaxStep - 150}
	var rollbacks, refusals, quiet int
	for _, depth := range []int{1, 2, 3, 5, 7, 8, 120} {
		for seed, start := range starts {
			t.Run(fmt.Sprintf("depth=%d/start=%d", depth, start), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(seed), uint64(depth)))
				w := newWalk(t, start, depth, random.IntN, someKeys())
				for range 300 {
					w.op()
					w.compare()
				}
				w.finish()
				rollbacks, refusals, quiet = rollbacks+w.rollbacks, refusals+w.refusals, quiet+w.quiet
			})
		}
	}
	require.Greater(t, rollbacks, 300)
	require.Greater(t, refusals, 300)
	require.Greater(t, quiet, 100)
}

func FuzzModel(f *testing.F) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 300)
		for i := range script {
			script[i] = byte(random.IntN(256))
		}
		f.Add(uint8(1+seed*3), int64(seed), script)
	}
	f.Fuzz(func(t *testing.T, depth uint8, start int64, script []byte) {
		if netcode.Step(start) == netcode.MinStep {
			start++
		}
		script = script[:min(len(script), 1000)]
		choose := func(n int) int {
			if len(script) == 0 {
				return 0
			}
			c := int(script[0])
			script = script[1:]
			return c % n
		}
		w := newWalk(t, netcode.Step(start), 1+int(depth%16), choose, someKeys())
		for len(script) > 0 {
			w.op()
			w.compare()
		}
		w.finish()
	})
}

package rollback_test

import (
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

const (
	benchDepth    = 120
	benchCommands = 2 // per step
	benchRollback = 8 // steps
)

var benchSizes = []struct {
	name  string
	bytes int
}{{"1KiB", 1 << 10}, {"64KiB", 64 << 10}, {"1MiB", 1 << 20}}

// world is a state of which a tick touches one percent and a command one byte. Its size is a power of two.
type world struct {
	state []byte
}

func (w *world) Tick(step netcode.Step) {
	mask := len(w.state) - 1
	at := int(step) * 97
	for range len(w.state) / 100 {
		w.state[at&mask]++
		at += 97
	}
}

func (w *world) push(at int, v byte) { w.state[at&(len(w.state)-1)] += v }

func (w *world) AppendBinary(dst []byte) ([]byte, error) { return append(dst, w.state...), nil }

func (w *world) UnmarshalBinary(state []byte) error {
	if len(state) != len(w.state) {
		return fmt.Errorf("world: %d bytes, want %d", len(state), len(w.state))
	}
	copy(w.state, state)
	return nil
}

// push is a command on a world. Releasing it does nothing, so that a few of them can be used over and over.
type push struct {
	world *world
	at    int
	v     byte
}

func (p *push) Execute() { p.world.push(p.at, p.v) }
func (p *push) Release() {}

// bare is what a game would write by hand: a preallocated ring of states and of the commands to replay, and
// nothing to manage. What it stores of a command is what it needs to execute it.
type bare struct {
	world world
	ring  [benchDepth]kept
	step  netcode.Step
}

type kept struct {
	state    []byte
	commands [benchCommands]poke
}

// poke is a push that does not say where to.
type poke struct {
	at int
	v  byte
}

func newBare(size int) *bare {
	b := &bare{world: world{state: make([]byte, size)}}
	for i := range b.ring {
		b.ring[i].state = make([]byte, size)
	}
	return b
}

func (b *bare) at(s netcode.Step) *kept { return &b.ring[uint64(s)%benchDepth] }

// set stores the commands of a step.
func (k *kept) set(first, second *push) {
	k.commands = [benchCommands]poke{{first.at, first.v}, {second.at, second.v}}
}

func (b *bare) save(k *kept) { copy(k.state, b.world.state) }
func (b *bare) load(k *kept) { copy(b.world.state, k.state) }

func (b *bare) run(s netcode.Step, k *kept) {
	b.world.push(k.commands[0].at, k.commands[0].v)
	b.world.push(k.commands[1].at, k.commands[1].v)
	b.world.Tick(s)
}

// rewind loads step s and runs through the last step again, without commands.
func (b *bare) rewind(s netcode.Step) {
	b.load(b.at(s))
	b.world.Tick(s)
	for s < b.step {
		s++
		b.save(b.at(s))
		b.world.Tick(s)
	}
}

// rewindWith is rewind with two commands in every step.
func (b *bare) rewindWith(s netcode.Step) {
	k := b.at(s)
	b.load(k)
	b.run(s, k)
	for s < b.step {
		s++
		k = b.at(s)
		b.save(k)
		b.run(s, k)
	}
}

// feed is the input of a benchmark, two commands a step, for either side of a comparison. The entries are
// prepared: what changes from one use to the next is brought up to date after a use.
type feed struct {
	entries [8 * benchCommands]netcode.Entry
	pushes  [8 * benchCommands]push
	next    int
}

func newFeed(w *world) *feed {
	f := new(feed)
	for i := range f.entries {
		f.pushes[i] = push{world: w, at: i * 31, v: byte(i)}
		f.entries[i] = netcode.Entry{
			Header: netcode.Header{
				Key:   netcode.Key{Session: 7, Author: netcode.AuthorID(1 + i%benchCommands), Sequence: netcode.Sequence(i / benchCommands)},
				Type:  3,
				Step:  netcode.Step(1 + i/benchCommands),
				Order: netcode.Order(i),
			},
			Payload: make([]byte, 20),
			Action:  &f.pushes[i],
		}
	}
	return f
}

// pair returns the commands of the next step.
func (f *feed) pair() (first, second *netcode.Entry) {
	i := f.next
	f.next = (i + benchCommands) % len(f.entries)
	return &f.entries[i], &f.entries[i+1]
}

// done prepares an entry for its next use.
func (f *feed) done(e *netcode.Entry) {
	const steps = len(f.entries) / benchCommands
	e.Header.Key.Sequence += netcode.Sequence(steps)
	e.Header.Step += netcode.Step(steps)
	e.Header.Order += netcode.Order(len(f.entries))
}

func newBenchModel(b testing.TB, w *world) *rollback.Model {
	m, err := rollback.New(w, rollback.Config{Start: 1, Depth: benchDepth})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// stepOnTime sets two commands for the next step and runs it.
func stepOnTime(m *rollback.Model, f *feed) error {
	s := m.Step() + 1
	first, second := f.pair()
	if _, err := m.Set(*first); err != nil {
		return err
	}
	if _, err := m.Set(*second); err != nil {
		return err
	}
	f.done(first)
	f.done(second)
	return m.Tick(s)
}

// BenchmarkStepOnTime compares a step with two commands, which are handed in right before it, to the same work
// without a model: storing the commands in preallocated room, saving the state, executing, ticking.
func BenchmarkStepOnTime(b *testing.B) {
	for _, size := range benchSizes {
		b.Run("state="+size.name+"/impl=bare", func(b *testing.B) {
			x := newBare(size.bytes)
			f := newFeed(&x.world)
			for range 2 * benchDepth {
				x.step++
				x.save(x.at(x.step))
			}
			b.ReportAllocs()
			for b.Loop() {
				x.step++
				first, second := f.pair()
				k := x.at(x.step)
				k.set(first.Action.(*push), second.Action.(*push))
				f.done(first)
				f.done(second)
				x.save(k)
				x.run(x.step, k)
			}
		})
		b.Run("state="+size.name+"/impl=model", func(b *testing.B) {
			w := &world{state: make([]byte, size.bytes)}
			m, f := newBenchModel(b, w), newFeed(w)
			for range 2 * benchDepth {
				if err := stepOnTime(m, f); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() { // stepOnTime, but without a call, as above
				s := m.Step() + 1
				first, second := f.pair()
				if _, err := m.Set(*first); err != nil {
					b.Fatal(err)
				}
				if _, err := m.Set(*second); err != nil {
					b.Fatal(err)
				}
				f.done(first)
				f.done(second)
				if err := m.Tick(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRollback changes a command eight steps back and replays: one load, eight ticks, seven saves, with
// or without commands in the steps.
func BenchmarkRollback(b *testing.B) {
	for _, size := range benchSizes {
		for _, commands := range []int{0, benchCommands} {
			name := fmt.Sprintf("steps=%d/commands=%d/state=%s", benchRollback, commands, size.name)
			b.Run(name+"/impl=bare", func(b *testing.B) {
				x := newBare(size.bytes)
				f := newFeed(&x.world)
				for range 2 * benchDepth {
					x.step++
					k := x.at(x.step)
					k.set(&f.pushes[0], &f.pushes[1])
					x.save(k)
					x.run(x.step, k)
				}
				b.ReportAllocs()
				for b.Loop() {
					if commands == 0 {
						x.rewind(x.step - benchRollback + 1)
					} else {
						x.rewindWith(x.step - benchRollback + 1)
					}
				}
			})
			b.Run(name+"/impl=model", func(b *testing.B) {
				w := &world{state: make([]byte, size.bytes)}
				m, f := newBenchModel(b, w), newFeed(w)
				for range 2 * benchDepth {
					var err error
					if commands == 0 {
						err = m.Tick(m.Step() + 1)
					} else {
						err = stepOnTime(m, f)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				late := f.entries[0]
				late.Header.Step = m.Step() - benchRollback + 1
				late.Action = nil
				payloads := [2][]byte{{0}, {1}}
				turn := 0
				b.ReportAllocs()
				for b.Loop() {
					turn ^= 1
					late.Payload = payloads[turn]
					if _, err := m.Set(late); err != nil {
						b.Fatal(err)
					}
					if err := m.Settle(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkRightPrediction replaces a prediction by the same command with the authority's word, which must
// not replay anything.
func BenchmarkRightPrediction(b *testing.B) {
	w := &world{state: make([]byte, 1<<10)}
	m, f := newBenchModel(b, w), newFeed(w)
	for range benchDepth {
		if err := stepOnTime(m, f); err != nil {
			b.Fatal(err)
		}
	}
	e := f.entries[0]
	e.Header.Step = m.Step() - benchRollback
	if _, err := m.Set(e); err != nil {
		b.Fatal(err)
	}
	if err := m.Settle(); err != nil {
		b.Fatal(err)
	}
	before := m.Stats().ReplayedSteps
	b.ReportAllocs()
	for b.Loop() {
		e.Predicted = !e.Predicted
		if _, err := m.Set(e); err != nil {
			b.Fatal(err)
		}
		if err := m.Settle(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(m.Stats().ReplayedSteps-before), "replayed")
}

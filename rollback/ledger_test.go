package rollback_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

// model is what both models offer.
type model interface {
	Step() netcode.Step
	FirstRetained() netcode.Step
	Schedule(requested netcode.Step) (netcode.Step, error)
	Predicts() bool
	Set(entry netcode.Entry) (changed bool, err error)
	Remove(key netcode.Key) bool
	Tick(to netcode.Step) error
	Settle() error
	AppendState(dst []byte) ([]byte, error)
	AppendAnchor(dst []byte) ([]byte, netcode.Step, error)
	Load(state []byte) error
	Stats() rollback.Stats
	Fault() *netcode.FaultError
	Pending() (netcode.Step, bool)
}

var (
	_ model = (*rollback.Model)(nil)
	_ model = (*rollback.Lockstep)(nil)
)

var errLedgerState = errors.New("ledger: state is not 32 bytes long")

// ledger is the game of the conformance data, with hooks to misbehave.
type ledger struct {
	ledgerState
	executions int

	onTick, onSave, onLoad func() // called halfway through, if set
	saveErr, loadErr       error
}

type ledgerState struct {
	Value          int32
	ExecutionCount int32
	LastID         uint64
	LastSeed       uint64
	TickSum        uint64
}

func (s *ledgerState) add(p payload) {
	s.Value = s.Value*31 + p.Value
	s.ExecutionCount++
	s.LastID = p.ID
	s.LastSeed = p.Seed
}

func (s *ledgerState) tick(step netcode.Step) { s.TickSum = s.TickSum*1000003 + uint64(step) }

func (s ledgerState) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.Value))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(s.ExecutionCount))
	dst = binary.LittleEndian.AppendUint64(dst, s.LastID)
	dst = binary.LittleEndian.AppendUint64(dst, s.LastSeed)
	return binary.LittleEndian.AppendUint64(dst, s.TickSum)
}

func parseLedger(b []byte) ledgerState {
	return ledgerState{
		Value:          int32(binary.LittleEndian.Uint32(b)),
		ExecutionCount: int32(binary.LittleEndian.Uint32(b[4:])),
		LastID:         binary.LittleEndian.Uint64(b[8:]),
		LastSeed:       binary.LittleEndian.Uint64(b[16:]),
		TickSum:        binary.LittleEndian.Uint64(b[24:]),
	}
}

func (l *ledger) Tick(step netcode.Step) {
	l.TickSum = l.TickSum*1000003 + uint64(step)
	if l.onTick != nil {
		l.onTick()
	}
}

func (l *ledger) AppendBinary(dst []byte) ([]byte, error) {
	dst = l.append(dst)
	if l.onSave != nil {
		l.onSave()
	}
	return dst, l.saveErr
}

// UnmarshalBinary is careless on purpose: it has changed the state when it refuses.
func (l *ledger) UnmarshalBinary(b []byte) error {
	if len(b) < 32 {
		l.Value, l.TickSum = -1, 0xDEAD
		return errLedgerState
	}
	l.ledgerState = parseLedger(b)
	if l.onLoad != nil {
		l.onLoad()
	}
	if len(b) != 32 {
		return errLedgerState
	}
	return l.loadErr
}

type payload struct {
	Value    int32
	ID, Seed uint64
}

func (p payload) append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(p.Value))
	dst = binary.LittleEndian.AppendUint64(dst, p.ID)
	return binary.LittleEndian.AppendUint64(dst, p.Seed)
}

// actions makes actions and checks on them.
type actions struct {
	t   testing.TB
	all []*action
}

// action adds to a ledger.
type action struct {
	of        *actions
	game      *ledger
	payload   payload
	run       func() // called halfway through Execute, if set
	onRelease func()
	released  int
}

func (a *action) Execute() {
	if a.released != 0 {
		a.of.t.Errorf("action %+v executed after its release", a.payload)
	}
	a.game.executions++
	a.game.Value = a.game.Value*31 + a.payload.Value
	if a.run != nil {
		a.run()
	}
	a.game.ExecutionCount++
	a.game.LastID, a.game.LastSeed = a.payload.ID, a.payload.Seed
}

func (a *action) Release() {
	a.released++
	if a.onRelease != nil {
		a.onRelease()
	}
}

// entry makes an entry with its own action.
func (as *actions) entry(game *ledger, h netcode.Header, p payload) netcode.Entry {
	a := &action{of: as, game: game, payload: p}
	as.all = append(as.all, a)
	return netcode.Entry{Header: h, Payload: p.append(nil), Action: a}
}

// released checks that every action but those of the entries was released once, and those never.
func (as *actions) released(except ...netcode.Entry) {
	as.t.Helper()
	for i, a := range as.all {
		want := 1
		if slices.ContainsFunc(except, func(e netcode.Entry) bool { return e.Action == a }) {
			want = 0
		}
		require.Equal(as.t, want, a.released, "releases of action %d, %+v", i, a.payload)
	}
}

// rig is a model under test with its game.
type rig struct {
	t    *testing.T
	game *ledger
	*actions
	m    model
	next netcode.Sequence
}

func newRig(t *testing.T, cfg rollback.Config) *rig {
	t.Helper()
	r := &rig{t: t, game: new(ledger), actions: &actions{t: t}}
	m, err := rollback.New(r.game, cfg)
	require.NoError(t, err)
	r.m = m
	return r
}

func newLockstepRig(t *testing.T, cfg rollback.LockstepConfig) (*rig, *rollback.Lockstep) {
	t.Helper()
	r := &rig{t: t, game: new(ledger), actions: &actions{t: t}}
	m, err := rollback.NewLockstep(r.game, cfg)
	require.NoError(t, err)
	r.m = m
	return r, m
}

// add makes an entry of author 1 with a fresh sequence, whose order is the sequence.
func (r *rig) add(step netcode.Step, value int32) netcode.Entry {
	r.next++
	return r.entry(r.game, netcode.Header{
		Key:   netcode.Key{Session: 7, Author: 1, Sequence: r.next},
		Type:  1,
		Step:  step,
		Order: netcode.Order(r.next),
	}, payload{Value: value, ID: uint64(r.next)})
}

func (r *rig) set(e netcode.Entry) netcode.Entry {
	r.t.Helper()
	_, err := r.m.Set(e)
	require.NoError(r.t, err)
	return e
}

func (r *rig) tick(to netcode.Step) {
	r.t.Helper()
	require.NoError(r.t, r.m.Tick(to))
	require.Equal(r.t, to, r.m.Step())
}

// state returns the model's step and the ledger as AppendState tells them.
func (r *rig) state() (netcode.Step, ledgerState) {
	r.t.Helper()
	b, err := r.m.AppendState(nil)
	require.NoError(r.t, err)
	require.Len(r.t, b, 40)
	step := netcode.Step(binary.LittleEndian.Uint64(b))
	require.Equal(r.t, r.m.Step(), step)
	require.Equal(r.t, r.game.ledgerState, parseLedger(b[8:]))
	return step, parseLedger(b[8:])
}

// expect computes what a ledger holds after steps first..last with the given entries, from a start state.
func expect(from ledgerState, first, last netcode.Step, entries ...netcode.Entry) ledgerState {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b netcode.Entry) int { return a.CompareExecution(&b) })
	for s := first; ; s++ {
		if s > last {
			return from
		}
		for _, e := range entries {
			if e.Header.Step == s {
				from.add(e.Action.(*action).payload)
			}
		}
		from.tick(s)
		if s == netcode.MaxStep {
			return from
		}
	}
}

package session_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// The "ledger" is the game of the session conformance data: its state is a hash of everything that was ever
// executed, so two peers that agree about it agree about the whole history.

const (
	idAdd   netcode.TypeID = 0x4D415A4500000003
	idAddNP netcode.TypeID = 0x4D415A4500000004
)

// Predicted and unpredicted command, alike but for their type.
type (
	add   struct{ entry }
	addNP struct{ entry }
)

type entry struct {
	Value    int32
	ID, Seed uint64
}

func (e *entry) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint32(b, uint32(e.Value))
	b = binary.LittleEndian.AppendUint64(b, e.ID)
	return binary.LittleEndian.AppendUint64(b, e.Seed), nil
}

var errSize = errors.New("ledger: wrong size")

func (e *entry) UnmarshalBinary(b []byte) error {
	if len(b) != 20 {
		return errSize
	}
	e.Value = int32(binary.LittleEndian.Uint32(b))
	e.ID = binary.LittleEndian.Uint64(b[4:])
	e.Seed = binary.LittleEndian.Uint64(b[12:])
	return nil
}

type ledger struct {
	Value, ExecutionCount     int32
	LastID, LastSeed, TickSum uint64

	executions int // not state: counts executor calls, replays included
}

func (l *ledger) execute(e entry) {
	l.Value = l.Value*31 + e.Value
	l.ExecutionCount++
	l.LastID, l.LastSeed = e.ID, e.Seed
	l.executions++
}

func (l *ledger) Tick(s netcode.Step) { l.TickSum = l.TickSum*1000003 + uint64(s) }

func (l *ledger) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint32(b, uint32(l.Value))
	b = binary.LittleEndian.AppendUint32(b, uint32(l.ExecutionCount))
	b = binary.LittleEndian.AppendUint64(b, l.LastID)
	b = binary.LittleEndian.AppendUint64(b, l.LastSeed)
	return binary.LittleEndian.AppendUint64(b, l.TickSum), nil
}

func (l *ledger) UnmarshalBinary(b []byte) error {
	if len(b) != 32 {
		return errSize
	}
	l.Value = int32(binary.LittleEndian.Uint32(b))
	l.ExecutionCount = int32(binary.LittleEndian.Uint32(b[4:]))
	l.LastID = binary.LittleEndian.Uint64(b[8:])
	l.LastSeed = binary.LittleEndian.Uint64(b[16:])
	l.TickSum = binary.LittleEndian.Uint64(b[24:])
	return nil
}

func (l *ledger) bytes() []byte {
	b, _ := l.AppendBinary(nil)
	return b
}

// peer is a host that plays the ledger.
type peer struct {
	*session.Host
	ledger *ledger
	add    *session.Commands[add]
	addNP  *session.Commands[addNP]
}

func (p *peer) send(command string, value int32, step netcode.Step) (netcode.Key, error) {
	if command == "add" {
		return p.add.Send(add{entry{Value: value}}, step)
	}
	return p.addNP.Send(addNP{entry{Value: value}}, step)
}

// peerConfig is session.Config with the parts that the ledger brings filled in by newPeer.
type peerConfig struct {
	session.Config
	depth     int
	noMutator bool // leaves payloads alone, so that predictions can be right
	lockstep  bool
}

func newPeer(t testing.TB, c peerConfig) *peer {
	t.Helper()
	p := &peer{ledger: new(ledger)}
	c.Registry = registry.New()
	typeAdd, err := registry.Register(c.Registry, idAdd, registry.Options[add]{Predicted: true})
	require.NoError(t, err)
	typeAddNP, err := registry.Register(c.Registry, idAddNP, registry.Options[addNP]{})
	require.NoError(t, err)
	if c.Model == nil {
		if c.lockstep {
			c.Model, err = rollback.NewLockstep(p.ledger, rollback.LockstepConfig{
				Start: c.Start.Step, Delay: 3, Authority: c.Mode.Authority(), Trace: c.Trace,
			})
		} else {
			c.Model, err = rollback.New(p.ledger, rollback.Config{Start: c.Start.Step, Depth: c.depth, Trace: c.Trace})
		}
		require.NoError(t, err)
	}
	p.Host, err = session.NewHost(c.Config)
	require.NoError(t, err)
	p.add, err = session.Handle(p.Host, typeAdd, ledgerHandlers(p.ledger, c.noMutator, func(a *add) *entry { return &a.entry }))
	require.NoError(t, err)
	p.addNP, err = session.Handle(p.Host, typeAddNP, ledgerHandlers(p.ledger, c.noMutator, func(a *addNP) *entry { return &a.entry }))
	require.NoError(t, err)
	return p
}

func ledgerHandlers[T any](l *ledger, noMutator bool, of func(*T) *entry) session.Handlers[T] {
	h := session.Handlers[T]{
		Validate: func(c netcode.Command[T], at netcode.Step) error {
			if v := of(&c.Payload).Value; v < 0 || v > 1000 {
				return fmt.Errorf("value %d is out of range", v)
			}
			if c.Header.Step.Sub(at) > 64 {
				return fmt.Errorf("step %d is too far ahead of %d", c.Header.Step, at)
			}
			return nil
		},
		Mutate: func(c *netcode.Command[T], prep *netcode.Preparation) (err error) {
			e := of(&c.Payload)
			if e.ID, err = prep.ReserveIDs(4); err != nil {
				return err
			}
			e.Seed = prep.NextSeed()
			return nil
		},
		Execute: func(c netcode.Command[T]) { l.execute(*of(&c.Payload)) },
	}
	if noMutator {
		h.Mutate = nil
	}
	return h
}

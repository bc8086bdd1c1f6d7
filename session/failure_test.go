package session_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ariadne-netcode/ariadne/journal"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// failing is a payload whose codec, mutator or executor fails on demand.
type failing struct{ entry }

func (f *failing) AppendBinary(b []byte) ([]byte, error) {
	switch f.Value {
	case 1:
		return nil, errors.New("encode fails")
	case 2:
		panic("encode panics")
	case 8: // set by the mutator
		return b, errors.New("encode fails after the mutation")
	}
	return f.entry.AppendBinary(b)
}

func (f *failing) UnmarshalBinary(b []byte) error {
	err := f.entry.UnmarshalBinary(b)
	if f.Value == 9 {
		panic("decode panics")
	}
	return err
}

func TestFailingHandlersLeaveNothingBehind(t *testing.T) {
	const id = 55
	var host *session.Host
	model, err := rollback.New(new(ledger), rollback.Config{Start: 1})
	require.NoError(t, err)
	reg := registry.New()
	typ, err := registry.Register(reg, id, registry.Options[failing]{})
	require.NoError(t, err)
	executed := 0
	host, err = session.NewHost(session.Config{Start: start(), Mode: netcode.Local, Registry: reg, Model: model})
	require.NoError(t, err)
	commands, err := session.Handle(host, typ, session.Handlers[failing]{
		Validate: func(c netcode.Command[failing], _ netcode.Step) error {
			if c.Payload.Value == 3 {
				panic(errors.New("validate panics"))
			}
			return nil
		},
		Mutate: func(c *netcode.Command[failing], prep *netcode.Preparation) error {
			c.Payload.ID, _ = prep.NextID()
			switch c.Payload.Value {
			case 4:
				return errors.New("mutate fails")
			case 5:
				panic("mutate panics")
			case 6:
				c.Payload.Value = 8
			case 7:
				c.Payload.Value = 9
			case 10:
				_, err := host.Cancel(key(100, 0))
				require.ErrorIs(t, err, session.ErrBusy)
				require.ErrorIs(t, host.Tick(5), session.ErrBusy)
				return err
			}
			return nil
		},
		Execute: func(netcode.Command[failing]) { executed++ },
	})
	require.NoError(t, err)

	sequence := uint64(0)
	for _, c := range []struct {
		value int32
		says  string
		used  bool // the sequence
	}{
		{1, "encode fails", false},
		{2, "encode panics", false},
		{3, "validate panics", true},
		{4, "mutate fails", true},
		{5, "mutate panics", true},
		{6, "encode fails after the mutation", true},
		{7, "decode panics", true},
		{10, "inside one of its own handlers", true},
	} {
		_, err := commands.Send(failing{entry{Value: c.value}}, 2)
		require.ErrorContains(t, err, c.says)
		if c.used {
			var refused *session.RefusedError
			require.ErrorAs(t, err, &refused, c.says)
			sequence++
		}
		require.EqualValues(t, sequence, host.NextSequence(), c.says)
		require.NoError(t, host.Fault(), c.says)
	}
	// Neither an order nor an id was burned.
	k, err := commands.Send(failing{entry{Value: 20}}, 2)
	require.NoError(t, err)
	r, _ := host.Record(k)
	require.EqualValues(t, 1, r.Header.Order)
	payload, ok := commands.Payload(k)
	require.True(t, ok)
	require.EqualValues(t, 1, payload.ID)
	require.NoError(t, host.Tick(3))
	require.Equal(t, 1, executed)
}

func TestFailedExecutorIsAContainedState(t *testing.T) {
	p := localPeer(t, nil)
	boom := true
	typ, err := registry.Register(p.Config().Registry, 66, registry.Options[failing]{})
	require.NoError(t, err)
	commands, err := session.Handle(p.Host, typ, session.Handlers[failing]{Execute: func(netcode.Command[failing]) {
		if boom {
			panic("boom")
		}
	}})
	require.NoError(t, err)
	require.NoError(t, p.Tick(2))
	snapshot, err := p.Capture()
	require.NoError(t, err)
	_, err = p.send("add", 1, 4)
	require.NoError(t, err)
	k, err := commands.Send(failing{}, 4)
	require.NoError(t, err)
	require.NoError(t, p.Tick(3))
	good := p.ledger.bytes()
	p.Events()

	err = p.Tick(6)
	var fault *netcode.FaultError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, netcode.Step(4), fault.Step)
	require.True(t, fault.HasKey)
	require.Equal(t, k, fault.Key)
	require.Equal(t, netcode.Step(3), p.Step(), "the last step that succeeded")
	require.Equal(t, good, p.ledger.bytes(), "nothing of step 4 remains")
	require.ErrorIs(t, p.Fault(), netcode.ErrFaulted)
	events := p.Events()
	require.Equal(t, session.Faulted, events[len(events)-1].Kind)

	// Everything is refused, until a snapshot is restored.
	_, err = p.send("add", 1, 5)
	require.ErrorIs(t, err, netcode.ErrFaulted)
	require.ErrorIs(t, p.Tick(6), netcode.ErrFaulted)
	_, err = p.Cancel(k)
	require.ErrorIs(t, err, netcode.ErrFaulted)
	boom = false
	require.NoError(t, p.Restore(snapshot))
	require.NoError(t, p.Fault())
	require.NoError(t, p.Tick(6))
}

func TestRestoreValidatesFirstAndSwapsLast(t *testing.T) {
	p := localPeer(t, nil)
	_, err := p.send("add", 5, 2)
	require.NoError(t, err)
	require.NoError(t, p.Tick(3))
	good, err := p.Capture()
	require.NoError(t, err)
	before, revision := p.ledger.bytes(), len(p.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep}))

	edit := func(f func(*session.Snapshot)) session.Snapshot {
		s := good
		s.Model = bytes.Clone(s.Model)
		f(&s)
		return s
	}
	for name, s := range map[string]session.Snapshot{
		"session":        edit(func(s *session.Snapshot) { s.Session++ }),
		"protocol":       edit(func(s *session.Snapshot) { s.Protocol++ }),
		"step":           edit(func(s *session.Snapshot) { s.Cursor.Step++ }),
		"order headroom": edit(func(s *session.Snapshot) { s.Cursor.Order = netcode.MaxOrder }),
		"short model":    edit(func(s *session.Snapshot) { s.Model = s.Model[:7] }),
		"trial decode":   edit(func(s *session.Snapshot) { s.Model = s.Model[:20] }),
		"last step": edit(func(s *session.Snapshot) {
			s.Cursor.Step = netcode.MaxStep
			copy(s.Model, "\xff\xff\xff\xff\xff\xff\xff\x7f")
		}),
	} {
		require.Error(t, p.Restore(s), name)
		require.NoError(t, p.Fault(), name)
		require.Equal(t, netcode.Step(3), p.Step(), name)
		require.Equal(t, before, p.ledger.bytes(), name)
		require.Len(t, p.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep}), revision, name)
	}
	// The live simulation does not share memory with the snapshot: it can be restored again and again.
	for range 3 {
		require.NoError(t, p.Restore(good))
		require.NoError(t, p.Tick(9))
	}
	want := p.ledger.bytes()
	require.NoError(t, p.Restore(good))
	require.NoError(t, p.Tick(9))
	require.Equal(t, want, p.ledger.bytes())
}

// brokenJournal fails from some moment on, as one on a full disk would.
type brokenJournal struct {
	*journal.Memory
	broken bool
}

func (b *brokenJournal) Append(r journal.Record) error {
	if b.broken {
		return errors.New("disk full")
	}
	return b.Memory.Append(r)
}

func TestFailedJournalStopsTheHost(t *testing.T) {
	j := &brokenJournal{Memory: journal.NewMemory(journal.Config{})}
	p := localPeer(t, func(c *peerConfig) { c.Journal = j })
	_, err := p.send("add", 1, 1)
	require.NoError(t, err)
	j.broken = true
	_, err = p.send("add", 2, 1)
	require.ErrorIs(t, err, session.ErrJournal)
	require.ErrorIs(t, p.Fault(), session.ErrJournal)
	require.Len(t, p.AppendAccepted(nil, netcode.Cursor{Step: netcode.MinStep}), 1)
	require.ErrorIs(t, p.Tick(1), session.ErrJournal)
}

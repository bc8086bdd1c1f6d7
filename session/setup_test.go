package session_test

import (
	"errors"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	model, err := rollback.New(new(ledger), rollback.Config{Start: 1})
	require.NoError(t, err)
	good := session.Config{Mode: netcode.Local, Start: start(), Registry: registry.New(), Model: model}
	_, err = session.NewHost(good)
	require.NoError(t, err)
	for field, edit := range map[string]func(*session.Config){
		"Mode":             func(c *session.Config) { c.Mode = 0 },
		"Registry":         func(c *session.Config) { c.Registry = nil },
		"Model is nil":     func(c *session.Config) { c.Model = nil },
		"Start.Step":       func(c *session.Config) { c.Start.Step = 7 },
		"Model has":        func(c *session.Config) { c.Start.Step = netcode.MinStep },
		"Limits.Lead":      func(c *session.Config) { c.Limits.Lead = -1 },
		"Limits.Payload":   func(c *session.Config) { c.Limits.Payload = -1 },
		"Limits.PerAuthor": func(c *session.Config) { c.Limits.PerAuthor = -1 },
		"Limits.Pending":   func(c *session.Config) { c.Limits.Pending = -1 },
		"Limits.Retain":    func(c *session.Config) { c.Limits.Retain = -1 },
		"Limits.Events":    func(c *session.Config) { c.Limits.Events = -1 },
		"Limits.Gaps":      func(c *session.Config) { c.Limits.Gaps = -1 },
	} {
		c := good
		edit(&c)
		_, err := session.NewHost(c)
		require.ErrorContains(t, err, field)
	}
}

func TestHandleIsForRegisteredTypesOnce(t *testing.T) {
	p := localPeer(t, nil)
	known, ok := registry.Of[add](p.Config().Registry)
	require.True(t, ok)
	_, err := session.Handle(p.Host, known, session.Handlers[add]{})
	require.ErrorIs(t, err, session.ErrHandled)

	elsewhere := registry.New()
	typ, err := registry.Register(elsewhere, 9, registry.Options[failing]{})
	require.NoError(t, err)
	_, err = session.Handle(p.Host, typ, session.Handlers[failing]{})
	require.ErrorIs(t, err, session.ErrNotRegistered)
}

func TestModesAreNotMixedUp(t *testing.T) {
	local := localPeer(t, nil)
	require.ErrorIs(t, session.NewServer(new(wire)).Add(local.Host), session.ErrWrongMode)
	_, err := session.NewClient(local.Host, new(wire))
	require.ErrorIs(t, err, session.ErrWrongMode)
	_, err = local.ApplyOutcome(protocol.Outcome{})
	require.ErrorIs(t, err, session.ErrWrongMode)

	w := play(t, "session", "player ann 7", "connect ann")
	require.ErrorIs(t, w.router.Add(w.server.Host), session.ErrHosted)
	require.ErrorIs(t, w.router.Bind(w.player("ann").conn, 1, 9), session.ErrBound)
	require.ErrorIs(t, w.router.Bind(50, 2, 9), session.ErrNoSession)
	require.ErrorIs(t, w.router.Bind(50, 1, 100), session.ErrNotYours, "nobody speaks for the authority")
	require.Nil(t, w.router.Remove(2))
	require.Equal(t, w.player("ann").Host, w.player("ann").client.Host())
}

func TestCommonValidatorsComeFirstAndInOrder(t *testing.T) {
	var asked []string
	refuse := ""
	validator := func(name string) session.Validator {
		return func(h netcode.Header, payload []byte, at netcode.Step) error {
			asked = append(asked, name)
			require.Equal(t, netcode.Step(4), h.Step, "the requested step")
			require.Equal(t, netcode.Step(0), at)
			require.Len(t, payload, 20)
			switch refuse {
			case name:
				return errors.New(name + " refuses")
			case name + " panics":
				panic("oh")
			}
			return nil
		}
	}
	p := localPeer(t, func(c *peerConfig) {
		c.Validators = []session.Validator{validator("first"), validator("second")}
	})
	for _, c := range []struct {
		refuse string
		value  int32
		asked  []string
		says   string
	}{
		{"", 1, []string{"first", "second"}, ""},
		{"first", 1, []string{"first"}, "first refuses"},
		{"second", 1, []string{"first", "second"}, "second refuses"},
		{"second panics", 1, []string{"first", "second"}, "panic: oh"},
		{"", 2000, []string{"first", "second"}, "out of range"},
	} {
		asked, refuse = nil, c.refuse
		_, err := p.send("add", c.value, 4)
		require.Equal(t, c.asked, asked)
		if c.says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.says)
		}
	}
}

func TestOversizedPayloadsAreRefused(t *testing.T) {
	w := &stage{t: t}
	w.command("session")
	w.serve(func(c *peerConfig) { c.Limits.Payload = 20 })
	w.play("player ann 7", "enter ann")
	r, err := w.router.Receive(w.player("ann").conn, (&protocol.Proposal{
		Header: netcode.Header{Key: key(7, 0), Type: idAdd, Step: 2}, Payload: make([]byte, 21),
	}).Append(nil))
	require.Equal(t, netcode.InvalidMessage, r)
	require.ErrorIs(t, err, session.ErrPayloadSize)
	record, ok := w.server.Record(key(7, 0))
	require.True(t, ok)
	require.Empty(t, record.RequestPayload, "what is too large is not kept either")
}

func TestNames(t *testing.T) {
	require.Equal(t, "ready", session.Ready.String())
	require.Equal(t, "state(9)", session.State(9).String())
	require.Equal(t, "rolled back", session.RolledBack.String())
	require.Equal(t, "event(0)", session.EventKind(0).String())
	require.Equal(t, "event(99)", session.EventKind(99).String())
}

package netcode_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
)

func TestResultStrings(t *testing.T) {
	// The position in the list is the value on the wire.
	names := []string{"accepted", "rejected", "conflict", "cancelled", "unknown_type", "invalid_message"}
	for i, name := range names {
		r := netcode.Result(i)
		require.True(t, r.Valid(), name)
		require.Equal(t, name, r.String())
	}
	require.Equal(t, netcode.InvalidMessage, netcode.Result(len(names)-1))
	for _, r := range []netcode.Result{netcode.Result(len(names)), 255} {
		require.False(t, r.Valid())
	}
	require.Equal(t, "result(6)", netcode.Result(6).String())
	require.Equal(t, "result(255)", netcode.Result(255).String())
}

func TestModes(t *testing.T) {
	for m, want := range map[netcode.Mode]struct {
		name      string
		authority bool
	}{
		0:              {"invalid", false},
		netcode.Local:  {"local", true},
		netcode.Server: {"server", true},
		netcode.Client: {"client", false},
		4:              {"mode(4)", false},
		255:            {"mode(255)", false},
	} {
		require.Equal(t, want.name, m.String())
		require.Equal(t, want.authority, m.Authority(), want.name)
	}
}

func TestStartPreparationState(t *testing.T) {
	require.Equal(t, netcode.PreparationState{NextID: 1, RandomState: 77}, netcode.Start{Seed: 77}.PreparationState())
	require.Equal(t, netcode.PreparationState{NextID: 900}, netcode.Start{FirstID: 900}.PreparationState())
}

func TestFaultError(t *testing.T) {
	cause := errors.New("division by zero")
	err := error(&netcode.FaultError{Step: 12, Doing: "tick", Cause: cause})
	require.ErrorIs(t, err, netcode.ErrFaulted)
	require.ErrorIs(t, err, cause)
	require.NotErrorIs(t, err, netcode.ErrStepRange)
	require.EqualError(t, err, "netcode: tick step 12: division by zero")

	err = &netcode.FaultError{
		Step: -4, Doing: "execute", Cause: cause, HasKey: true,
		Key: netcode.Key{Session: 1, Author: 7, Sequence: 31},
	}
	fault, ok := errors.AsType[*netcode.FaultError](err)
	require.True(t, ok)
	require.Equal(t, netcode.Step(-4), fault.Step)
	require.EqualError(t, err, "netcode: execute command 7/31 at step -4: division by zero")
}

// countingAction counts what a model does with an entry.
type countingAction struct{ executed, released int }

func (a *countingAction) Execute() { a.executed++ }
func (a *countingAction) Release() { a.released++ }

func TestEntryAction(t *testing.T) {
	var a countingAction
	e := netcode.Entry{Action: &a}
	e.Execute()
	e.Execute()
	e.Release()
	require.Equal(t, countingAction{executed: 2, released: 1}, a)

	// A command without an executor does nothing.
	none := netcode.Entry{}
	require.NotPanics(t, func() {
		none.Execute()
		none.Release()
	})
}

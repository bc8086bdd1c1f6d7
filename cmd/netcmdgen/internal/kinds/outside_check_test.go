package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds"
	"github.com/ariadne-netcode/ariadne/registry"
)

// Commands of an external test have a table of their own, which goes well with the other one.
func TestOutside(t *testing.T) {
	r := registry.New()
	_, err := kinds.RegisterCommands(r)
	require.NoError(t, err)
	types, err := RegisterCommandsTest(r)
	require.NoError(t, err)
	require.Equal(t, registry.IDOf[Outside](), types.Outside.ID())

	p, err := types.Outside.AppendPayload(nil, &Outside{Cell: kinds.Cell{X: 1, Y: 2, Open: true}, Dir: kinds.East})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2, 1, 1}, p)
	require.Error(t, types.Outside.DecodePayload(new(Outside), []byte{1, 2, 1, 2}))
}

package game_test

import (
	"encoding"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/examples/maze/game"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/registry/payload"
)

// codec is what every command's pointer implements.
type codec interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

func payloads() map[string]struct{ sample, empty codec } {
	return map[string]struct{ sample, empty codec }{
		"616e6e000000000000000000":             {&game.Join{Name: game.NewName("ann")}, &game.Join{}},
		"03":                                   {&game.Move{Dir: game.South}, &game.Move{}},
		"0509":                                 {&game.ToggleDoor{Door: game.Pos{X: 5, Y: 9}}, &game.ToggleDoor{}},
		"0509d204":                             {&game.Search{Chest: game.Pos{X: 5, Y: 9}, Gold: 1234}, &game.Search{}},
		"020008070605040302011817161514131211": {&game.DropLoot{Gold: 2, First: 0x0102030405060708, Seed: 0x1112131415161718}, &game.DropLoot{}},
	}
}

// The bytes are part of the protocol.
func TestPayloads(t *testing.T) {
	for golden, p := range payloads() {
		data, err := p.sample.AppendBinary([]byte{0xFF})
		require.NoError(t, err)
		require.Equal(t, "ff"+golden, hex.EncodeToString(data), "%T", p.sample)
		data = data[1:]
		require.NoError(t, p.empty.UnmarshalBinary(data))
		require.Equal(t, p.sample, p.empty)

		for n := range data {
			require.ErrorIs(t, p.empty.UnmarshalBinary(data[:n]), payload.ErrShort)
		}
		require.ErrorIs(t, p.empty.UnmarshalBinary(append(data, 0)), payload.ErrTrailing)
		require.Equal(t, p.sample, p.empty, "a refused payload changes nothing")
	}
}

func FuzzPayloads(f *testing.F) {
	for golden := range payloads() {
		data, err := hex.DecodeString(golden)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		taken := 0
		for _, p := range payloads() {
			if err := p.empty.UnmarshalBinary(data); err != nil {
				_, ok := errors.AsType[*payload.Error](err)
				require.True(t, ok, err)
				continue
			}
			taken++
			again, err := p.empty.AppendBinary(nil)
			require.NoError(t, err)
			require.Equal(t, data, again)
		}
		require.LessOrEqual(t, taken, 1, "all sizes differ")
	})
}

func TestRegisterCommands(t *testing.T) {
	r := registry.New()
	types, err := game.RegisterCommands(r)
	require.NoError(t, err)
	again, err := game.RegisterCommands(r)
	require.NoError(t, err, "registering again is harmless")
	require.Equal(t, types, again)
	var predicted []string
	for info := range r.All() {
		if info.Predicted {
			predicted = append(predicted, info.Name)
		}
	}
	require.Equal(t, 5, r.Len())
	const pkg = "github.com/ariadne-netcode/ariadne/examples/maze/game."
	require.Equal(t, []string{pkg + "Move", pkg + "ToggleDoor", pkg + "Search"}, predicted)
}

package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The catalog's directions and deliveries are those of the protocol's documents: one letter each for who sends
// (client, server, both) and how (reliable, unreliable; lower case: normally so).
func TestCatalog(t *testing.T) {
	want := map[wire.Kind]string{
		1: "Cu", 2: "SU", 3: "CR", 4: "SR", 5: "CR", 6: "SR",
		7: "BR", 8: "SU", 9: "CU", 10: "CU", 11: "SR", 12: "SR",
		13: "Br", 14: "CR", 15: "SR",
		16: "CR", 17: "SR", 18: "SR", 19: "SR", 20: "CU",
		21: "CR", 22: "CR", 23: "SR", 24: "BR", 25: "CR",
		26: "SR", 27: "SR", 28: "SR",
		29: "BR", 30: "SU", 31: "CU", 32: "SR", 33: "SR", 34: "SR",
		35: "??", 36: "??", 37: "??", 38: "??", 39: "??", 40: "??", 41: "??", 42: "??", 43: "??",
		0xC001: "BR", 0xC002: "BR", 0xC003: "BR",
	}
	direction := map[wire.Direction]string{
		wire.DirectionUnspecified: "?", wire.ToServer: "C", wire.ToClient: "S", wire.BothWays: "B",
	}
	delivery := map[wire.Delivery]string{
		wire.DeliveryUnspecified: "?", wire.Reliable: "R", wire.Unreliable: "U",
		wire.NormallyReliable: "r", wire.NormallyUnreliable: "u",
	}
	got := map[wire.Kind]string{}
	names := map[string]wire.Kind{}
	for n := range 1 << 16 {
		kind := wire.Kind(n)
		info, ok := kind.Info()
		if !ok {
			require.Zero(t, info)
			require.True(t, strings.HasPrefix(kind.String(), "kind("), kind)
			continue
		}
		require.Equal(t, info.Name, kind.String())
		require.NotContains(t, names, info.Name)
		names[info.Name] = kind
		got[kind] = direction[info.Direction] + delivery[info.Delivery]
	}
	require.Equal(t, want, got)
}

func TestCatalogWords(t *testing.T) {
	require.Equal(t, "kind(99)", wire.Kind(99).String())
	require.Equal(t, "session_part", wire.KindSessionPart.String())
	for d, want := range map[wire.Direction]string{
		wire.DirectionUnspecified: "unspecified", wire.ToServer: "client to server", wire.ToClient: "server to client",
		wire.BothWays: "both ways", 9: "direction(9)",
	} {
		require.Equal(t, want, d.String())
	}
	for d, want := range map[wire.Delivery]string{
		wire.DeliveryUnspecified: "unspecified", wire.Reliable: "reliable", wire.Unreliable: "unreliable",
		wire.NormallyReliable: "normally reliable", wire.NormallyUnreliable: "normally unreliable", 9: "delivery(9)",
	} {
		require.Equal(t, want, d.String())
	}
}

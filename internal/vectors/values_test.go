package vectors

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValuesRoundTrip(t *testing.T) {
	type all struct {
		Hex Hex
		U   U64
		I   I64
	}
	for text, want := range map[string]all{
		`{"Hex":"","U":"0","I":"0"}`:                                          {Hex{}, 0, 0},
		`{"Hex":"00ff7a","U":"18446744073709551615","I":"-1"}`:                {Hex{0, 0xff, 0x7a}, math.MaxUint64, -1},
		`{"Hex":"0a","U":"9007199254740993","I":"-9223372036854775808"}`:      {Hex{10}, 1<<53 + 1, math.MinInt64},
		`{"Hex":"deadbeef","U":"10","I":"9223372036854775807"}`:               {Hex{0xde, 0xad, 0xbe, 0xef}, 10, math.MaxInt64},
		`{"Hex":"0123456789abcdef","U":"5566829866805886979","I":"-1000000"}`: {Hex{1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}, 0x4D415A4500000003, -1000000},
	} {
		got, err := decode[all]([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		back, err := json.Marshal(got)
		require.NoError(t, err)
		require.Equal(t, text, string(back))
	}
}

func TestAbsentIsNotEmpty(t *testing.T) {
	type fields struct {
		Hex Hex  `json:"hex"`
		U   *U64 `json:"u"`
		I   *I64 `json:"i"`
	}
	got, err := decode[fields]([]byte(`{}`))
	require.NoError(t, err)
	require.Nil(t, got.Hex)
	require.Nil(t, got.U)
	require.Nil(t, got.I)

	got, err = decode[fields]([]byte(`{"hex":"","u":"0","i":null}`))
	require.NoError(t, err)
	require.NotNil(t, got.Hex)
	require.Empty(t, got.Hex)
	require.Equal(t, new(U64), got.U)
	require.Nil(t, got.I, "a pointer may be null")
}

func TestValuesAreStrict(t *testing.T) {
	refuses := func(t *testing.T, decode func([]byte) error, texts ...string) {
		for _, text := range texts {
			require.Error(t, decode([]byte(text)), text)
		}
	}
	shared := []string{`null`, `true`, `{}`, `[]`, `7`, `7.0`, `1e3`, `"`, `" 1"`, `"1 "`, `"\u0031"`, `"x"`, `"é"`}

	t.Run("Hex", func(t *testing.T) {
		dec := func(b []byte) error { _, err := decode[Hex](b); return err }
		refuses(t, dec, shared...)
		refuses(t, dec, `"0"`, `"000"`, `"AB"`, `"aB"`, `"0x00"`, `"0g"`)
	})
	t.Run("U64", func(t *testing.T) {
		dec := func(b []byte) error { _, err := decode[U64](b); return err }
		refuses(t, dec, shared...)
		refuses(t, dec, `""`, `"00"`, `"01"`, `"+1"`, `"-0"`, `"-1"`, `"1_0"`, `"0x1"`, `"1.0"`, `"18446744073709551616"`)
	})
	t.Run("I64", func(t *testing.T) {
		dec := func(b []byte) error { _, err := decode[I64](b); return err }
		refuses(t, dec, shared...)
		refuses(t, dec, `""`, `"-"`, `"00"`, `"-01"`, `"+1"`, `"-0"`, `"0x1"`, `"9223372036854775808"`, `"-9223372036854775809"`)
	})
}

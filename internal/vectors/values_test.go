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

func TestFloatsRoundTrip(t *testing.T) {
	type all struct {
		F F32
		D F64
		V Vec3
		Q Quat
	}
	const text = `{"F":"80000000","D":"7ff0000000000001","V":["3f800000","7fa00001","00000001"],"Q":["ff800000","7f7fffff","00000000","c0000000"]}`
	got, err := decode[all]([]byte(text))
	require.NoError(t, err)
	require.Equal(t, all{
		F: 0x80000000, D: 0x7ff0000000000001,
		V: Vec3{0x3f800000, 0x7fa00001, 1}, Q: Quat{0xff800000, 0x7f7fffff, 0, 0xc0000000},
	}, got, "signs of zero and payloads of NaNs are kept")
	back, err := json.Marshal(got)
	require.NoError(t, err)
	require.Equal(t, text, string(back))

	require.Equal(t, got.Q, Bits4(got.Q.Floats()))
	require.Equal(t, [4]float32{float32(math.Inf(-1)), math.MaxFloat32, 0, -2}, got.Q.Floats())
	require.Equal(t, [3]float32{1, 0, math.SmallestNonzeroFloat32}, Vec3{got.V[0], 0, got.V[2]}.Floats())
	require.Equal(t, Vec3{0x3f800000, 0xbf000000, 0x80000000}, Bits3([3]float32{1, -0.5, float32(math.Copysign(0, -1))}))
	require.EqualValues(t, 0x80000000, Bits32(got.F.Float()))
	require.Equal(t, F64(0x3ff8000000000000), Bits64(1.5))
	require.Equal(t, 1.5, Bits64(1.5).Float())
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
	t.Run("F32", func(t *testing.T) {
		dec := func(b []byte) error { _, err := decode[F32](b); return err }
		refuses(t, dec, shared...)
		refuses(t, dec, `""`, `"3f80000"`, `"3f8000000"`, `"3f80000000"`, `"3F800000"`, `"0x3f8000"`, `"3f80000g"`, `"-3f80000"`, `1.0`)
	})
	t.Run("F64", func(t *testing.T) {
		dec := func(b []byte) error { _, err := decode[F64](b); return err }
		refuses(t, dec, shared...)
		refuses(t, dec, `""`, `"3f800000"`, `"3ff00000000000"`, `"3ff000000000000000"`, `"3FF0000000000000"`, `"3ff000000000000g"`, `1.0`)
	})
	t.Run("Vec3 and Quat", func(t *testing.T) {
		dec := func(b []byte) error { _, err := decode[Vec3](b); return err }
		refuses(t, dec, `["3f800000",null,"3f800000"]`, `["3f800000","3f800000",1]`)
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

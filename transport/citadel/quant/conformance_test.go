package quant_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
)

// floatBits is a float32 as the eight hexadecimal digits of its bits.
type floatBits vectors.Hex

func (f *floatBits) UnmarshalJSON(b []byte) error {
	if err := (*vectors.Hex)(f).UnmarshalJSON(b); err != nil {
		return err
	}
	if len(*f) != 4 {
		return fmt.Errorf("%x is no float32", []byte(*f))
	}
	return nil
}

func (f floatBits) float() float32 {
	return math.Float32frombits(uint32(f[0])<<24 | uint32(f[1])<<16 | uint32(f[2])<<8 | uint32(f[3]))
}

func floats3(f [3]floatBits) [3]float32 { return [3]float32{f[0].float(), f[1].float(), f[2].float()} }

func floats4(f [4]floatBits) [4]float32 {
	return [4]float32{f[0].float(), f[1].float(), f[2].float(), f[3].float()}
}

// source is what every file says about itself.
type source struct {
	Family string `json:"family"`
	Set    string `json:"set"`
	Seed   string `json:"seed"`
	Source string `json:"source"`
}

// plain are the numbers that the vectors repeat in decimal, for people to read.
type plain any

// specErrors are the vectors' classes of what a constructor refuses. Here they are one error, bounds that are no
// numbers being invalid bounds.
var specErrors = map[string]error{"invalid_spec": quant.ErrInvalidSpec, "non_finite": quant.ErrInvalidSpec}

var codecErrors = map[string]error{
	"non_finite":   quant.ErrNotANumber,
	"invalid_code": quant.ErrInvalidCode,
	"bit_overrun":  bitpack.ErrOverrun,
}

// checkVerdict compares an outcome with a vector's.
func checkVerdict(t *testing.T, ok bool, class string, err error) {
	t.Helper()
	if ok {
		require.NoError(t, err)
		return
	}
	require.NotNil(t, codecErrors[class], "class %q", class)
	require.ErrorIs(t, err, codecErrors[class])
}

type scalarFile struct {
	source
	Encode       []scalarVector `json:"encode"`
	Decode       []scalarVector `json:"decode"`
	InvalidSpecs []scalarVector `json:"invalid_specs"`
}

type scalarVector struct {
	ID          string       `json:"id"`
	Note        string       `json:"note"`
	Min         plain        `json:"min"`
	MinBits     floatBits    `json:"min_bits"`
	Max         plain        `json:"max"`
	MaxBits     floatBits    `json:"max_bits"`
	PerUnit     uint32       `json:"values_per_unit"`
	SpecBits    uint         `json:"spec_bits"`
	CodeCount   vectors.U64  `json:"code_count"`
	Value       plain        `json:"value"`
	ValueBits   floatBits    `json:"value_bits"`
	OK          bool         `json:"ok"`
	Error       string       `json:"error"`
	Code        vectors.U64  `json:"code"`
	BitLen      uint64       `json:"bit_len"`
	Bytes       vectors.Hex  `json:"bytes_hex"`
	Decoded     plain        `json:"decoded"`
	DecodedBits floatBits    `json:"decoded_bits"`
	ReencodesTo *vectors.U64 `json:"reencodes_to"`
}

func (v scalarVector) spec() (quant.Scalar, error) {
	return quant.NewScalar(v.MinBits.float(), v.MaxBits.float(), v.PerUnit)
}

// requireFloat compares bits, so that zeros have signs.
func requireFloat(t *testing.T, want floatBits, got float32) {
	t.Helper()
	require.Equal(t, math.Float32bits(want.float()), math.Float32bits(got), "want %g, got %g", want.float(), got)
}

func TestConformanceScalar(t *testing.T) {
	vectors.EachFile(t, "citadel", "scalar.json", func(t *testing.T, f scalarFile) {
		for _, v := range f.Encode {
			t.Run(v.ID, func(t *testing.T) {
				s, err := v.spec()
				require.NoError(t, err)
				require.Equal(t, v.SpecBits, s.Bits())
				require.Equal(t, uint64(v.CodeCount), s.MaxCode()+1)
				code, err := s.Encode(v.ValueBits.float())
				checkVerdict(t, v.OK, v.Error, err)
				if !v.OK {
					return
				}
				require.Equal(t, uint64(v.Code), code, "%s", v.Note)
				var w bitpack.Writer
				w.WriteBits(code, s.Bits())
				require.Equal(t, v.BitLen, w.Len())
				require.Equal(t, []byte(v.Bytes), w.Bytes())
				got, err := s.Decode(code)
				require.NoError(t, err)
				requireFloat(t, v.DecodedBits, got)
			})
		}
		for _, v := range f.Decode {
			t.Run(v.ID, func(t *testing.T) {
				s, err := v.spec()
				require.NoError(t, err)
				require.Equal(t, v.SpecBits, s.Bits())
				if v.Bytes != nil { // a code that does not fit its bits has no bytes
					var r bitpack.Reader
					r.Reset(v.Bytes)
					code, err := r.ReadBits(s.Bits())
					require.NoError(t, err)
					require.Equal(t, uint64(v.Code), code)
					require.NoError(t, r.Finish())
				}
				got, err := s.Decode(uint64(v.Code))
				checkVerdict(t, v.OK, v.Error, err)
				if !v.OK {
					return
				}
				requireFloat(t, v.DecodedBits, got)
				again, err := s.Encode(got)
				require.NoError(t, err)
				require.Equal(t, uint64(*v.ReencodesTo), again)
			})
		}
		for _, v := range f.InvalidSpecs {
			t.Run(v.ID, func(t *testing.T) {
				_, err := v.spec()
				require.NotNil(t, specErrors[v.Error], "class %q", v.Error)
				require.ErrorIs(t, err, specErrors[v.Error])
			})
		}
	})
}

type vectorFile struct {
	source
	Encode       []vectorVector `json:"encode"`
	Decode       []vectorVector `json:"decode"`
	InvalidSpecs []vectorVector `json:"invalid_specs"`
}

type vectorVector struct {
	ID           string         `json:"id"`
	Min          plain          `json:"min"`
	MinBits      [3]floatBits   `json:"min_bits"`
	Max          plain          `json:"max"`
	MaxBits      [3]floatBits   `json:"max_bits"`
	PerUnit      uint32         `json:"values_per_unit"`
	AxisBits     [3]uint        `json:"axis_bits"`
	Position     plain          `json:"position"`
	PositionBits [3]floatBits   `json:"position_bits"`
	OK           bool           `json:"ok"`
	Error        string         `json:"error"`
	Codes        [3]vectors.U64 `json:"codes"`
	Truncated    bool           `json:"truncated"`
	BitLen       uint64         `json:"bit_len"`
	Bytes        vectors.Hex    `json:"bytes_hex"`
	Decoded      plain          `json:"decoded"`
	DecodedBits  [3]floatBits   `json:"decoded_bits"`
}

func (v vectorVector) spec() (quant.Vector, error) {
	return quant.NewVector(floats3(v.MinBits), floats3(v.MaxBits), v.PerUnit)
}

func TestConformanceVector(t *testing.T) {
	vectors.EachFile(t, "citadel", "vector3.json", func(t *testing.T, f vectorFile) {
		for _, v := range f.Encode {
			t.Run(v.ID, func(t *testing.T) {
				spec, err := v.spec()
				require.NoError(t, err)
				require.Equal(t, v.AxisBits, [3]uint{spec[0].Bits(), spec[1].Bits(), spec[2].Bits()})
				codes, err := spec.Encode(floats3(v.PositionBits))
				checkVerdict(t, v.OK, v.Error, err)
				if !v.OK {
					require.Zero(t, codes)
					return
				}
				var w bitpack.Writer
				for i, code := range codes {
					require.Equal(t, uint64(v.Codes[i]), code)
					w.WriteBits(code, spec[i].Bits())
				}
				require.Equal(t, v.BitLen, w.Len())
				require.Equal(t, v.BitLen, uint64(spec.Bits()))
				require.Equal(t, []byte(v.Bytes), w.Bytes())
				got, err := spec.Decode(codes)
				require.NoError(t, err)
				for i := range got {
					requireFloat(t, v.DecodedBits[i], got[i])
				}
			})
		}
		for _, v := range f.Decode {
			t.Run(v.ID, func(t *testing.T) {
				spec, err := v.spec()
				require.NoError(t, err)
				got, err := readVector(spec, v.Bytes)
				// An invalid code before the place where the bytes were cut counts for more than the cut.
				require.False(t, v.Truncated && v.OK)
				checkVerdict(t, v.OK, v.Error, err)
				if !v.OK {
					return
				}
				for i := range got {
					requireFloat(t, v.DecodedBits[i], got[i])
				}
			})
		}
		for _, v := range f.InvalidSpecs {
			t.Run(v.ID, func(t *testing.T) {
				_, err := v.spec()
				require.NotNil(t, specErrors[v.Error], "class %q", v.Error)
				require.ErrorIs(t, err, specErrors[v.Error])
			})
		}
	})
}

// readVector reads a vector from the start of a bit stream, one axis after the other.
func readVector(spec quant.Vector, b []byte) (p [3]float32, err error) {
	var r bitpack.Reader
	r.Reset(b)
	for i, s := range spec {
		code, err := r.ReadBits(s.Bits())
		if err != nil {
			return p, err
		}
		if p[i], err = s.Decode(code); err != nil {
			return p, err
		}
	}
	return p, r.Finish()
}

type quatFile struct {
	source
	Modes  []modeVector `json:"modes"`
	Encode []quatVector `json:"encode"`
	Decode []quatVector `json:"decode"`
}

type modeVector struct {
	Bits      uint8 `json:"bits_per_component"`
	OK        bool  `json:"ok"`
	TotalBits uint  `json:"total_bits"`
	CodecID   int   `json:"codec_id"` // a number of schemas, which this package knows nothing of
}

type quatVector struct {
	ID            string         `json:"id"`
	Mode          quant.QuatMode `json:"mode"`
	Note          string         `json:"note"`
	Input         plain          `json:"input"`
	InputBits     [4]floatBits   `json:"input_bits"`
	Dropped       uint8          `json:"dropped_index"`
	Index         uint8          `json:"index"`
	Codes         [3]uint32      `json:"codes"`
	BitLen        uint64         `json:"bit_len"`
	Bytes         vectors.Hex    `json:"bytes_hex"`
	Decoded       plain          `json:"decoded"`
	DecodedBits   [4]floatBits   `json:"decoded_bits"`
	ReencodesSame *bool          `json:"reencodes_same"`
	OK            *bool          `json:"ok"` // absent if true
	Error         string         `json:"error"`
}

func TestConformanceQuat(t *testing.T) {
	vectors.EachFile(t, "citadel", "quat.json", func(t *testing.T, f quatFile) {
		for _, v := range f.Modes {
			m := quant.QuatMode(v.Bits)
			require.Equal(t, v.TotalBits, m.Bits(), "mode %d", v.Bits)
			if v.OK {
				require.NoError(t, m.Check())
			} else {
				require.ErrorIs(t, m.Check(), quant.ErrInvalidSpec)
			}
		}
		for _, v := range f.Encode {
			t.Run(v.ID, func(t *testing.T) {
				q := floats4(v.InputBits)
				index, codes := v.Mode.EncodeComponents(q)
				require.Equal(t, v.Dropped, index, "%s", v.Note)
				require.Equal(t, v.Codes, codes, "%s", v.Note)
				var w bitpack.Writer
				w.WriteBits(v.Mode.Encode(q), v.Mode.Bits())
				require.Equal(t, v.BitLen, w.Len())
				require.Equal(t, []byte(v.Bytes), w.Bytes())
				checkQuat(t, v)
			})
		}
		for _, v := range f.Decode {
			t.Run(v.ID, func(t *testing.T) {
				if v.OK != nil && !*v.OK {
					var r bitpack.Reader
					r.Reset(v.Bytes)
					_, err := r.ReadBits(v.Mode.Bits())
					checkVerdict(t, false, v.Error, err)
					return
				}
				got, err := v.Mode.DecodeComponents(v.Index, v.Codes)
				require.NoError(t, err)
				code := checkQuat(t, v)
				require.Equal(t, *v.ReencodesSame, v.Mode.Encode(got) == code)
			})
		}
	})
}

// checkQuat decodes the bytes of a vector, and returns the code that they are.
func checkQuat(t *testing.T, v quatVector) uint64 {
	var r bitpack.Reader
	r.Reset(v.Bytes)
	code, err := r.ReadBits(v.Mode.Bits())
	require.NoError(t, err)
	require.NoError(t, r.Finish())
	for i, c := range v.Mode.Decode(code) {
		requireFloat(t, v.DecodedBits[i], c)
	}
	return code
}

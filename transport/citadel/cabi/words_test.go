package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
)

// source is what every file says about itself.
type source struct {
	Family string `json:"family"`
	Set    string `json:"set"`
	Seed   string `json:"seed"`
	Source string `json:"source"`
}

// script is a list of words for the C program; see testdata/check.c.
type script struct{ strings.Builder }

func (s *script) words(words ...any) {
	for i, w := range words {
		if i > 0 {
			s.WriteByte(' ')
		}
		fmt.Fprint(s, w)
	}
	s.WriteByte('\n')
}

// bitsOf are the bits of floats, as words.
func bitsOf(hex ...string) string {
	for i, h := range hex {
		hex[i] = "x" + h
	}
	return strings.Join(hex, " ")
}

func bytesOf(b []byte) string { return fmt.Sprintf(":%x:", b) }

func flag(v bool) int {
	if v {
		return 1
	}
	return 0
}

type scalarSpec struct {
	Min     any    `json:"min"`
	MinBits string `json:"min_bits"`
	Max     any    `json:"max"`
	MaxBits string `json:"max_bits"`
	PerUnit uint32 `json:"values_per_unit"`
}

type scalarFile struct {
	source
	Encode []struct {
		scalarSpec
		ID          string      `json:"id"`
		Note        string      `json:"note"`
		SpecBits    int         `json:"spec_bits"`
		CodeCount   string      `json:"code_count"`
		Value       any         `json:"value"`
		ValueBits   string      `json:"value_bits"`
		OK          bool        `json:"ok"`
		Error       string      `json:"error"`
		Code        vectors.U64 `json:"code"`
		BitLen      int         `json:"bit_len"`
		Bytes       vectors.Hex `json:"bytes_hex"`
		Decoded     any         `json:"decoded"`
		DecodedBits string      `json:"decoded_bits"`
	} `json:"encode"`
	Decode []struct {
		scalarSpec
		ID          string      `json:"id"`
		SpecBits    int         `json:"spec_bits"`
		Code        vectors.U64 `json:"code"`
		Bytes       vectors.Hex `json:"bytes_hex"`
		OK          bool        `json:"ok"`
		Error       string      `json:"error"`
		Decoded     any         `json:"decoded"`
		DecodedBits string      `json:"decoded_bits"`
		Again       vectors.U64 `json:"reencodes_to"`
	} `json:"decode"`
	Invalid []struct {
		scalarSpec
		ID    string `json:"id"`
		Error string `json:"error"`
	} `json:"invalid_specs"`
}

func addScalars(t *testing.T, s *script) {
	vectors.EachFile(t, "citadel", "scalar.json", func(t *testing.T, f scalarFile) {
		for _, v := range f.Encode {
			s.words("scalar", bitsOf(v.MinBits, v.MaxBits), v.PerUnit, bitsOf(v.ValueBits))
			if !v.OK {
				require.Equal(t, "non_finite", v.Error)
				s.words(statusValue)
				continue
			}
			s.words(statusOK, uint64(v.Code))
		}
		for _, v := range f.Decode {
			s.words("scalar_code", bitsOf(v.MinBits, v.MaxBits), v.PerUnit, uint64(v.Code))
			if !v.OK {
				s.words(statusCode)
				continue
			}
			s.words(statusOK, bitsOf(v.DecodedBits))
		}
		for _, v := range f.Invalid {
			s.words("scalar", bitsOf(v.MinBits, v.MaxBits), v.PerUnit, bitsOf("00000000"), statusSpec)
			s.words("scalar_code", bitsOf(v.MinBits, v.MaxBits), v.PerUnit, 0, statusSpec)
		}
	})
}

type quatFile struct {
	source
	Modes []struct {
		Bits      uint32 `json:"bits_per_component"`
		OK        bool   `json:"ok"`
		TotalBits int    `json:"total_bits"`
		Codec     int    `json:"codec_id"`
	} `json:"modes"`
	Encode []struct {
		ID          string      `json:"id"`
		Mode        int         `json:"mode"`
		Note        string      `json:"note"`
		Input       any         `json:"input"`
		InputBits   []string    `json:"input_bits"`
		Index       int         `json:"dropped_index"`
		Codes       []uint32    `json:"codes"`
		BitLen      int         `json:"bit_len"`
		Bytes       vectors.Hex `json:"bytes_hex"`
		Decoded     any         `json:"decoded"`
		DecodedBits []string    `json:"decoded_bits"`
	} `json:"encode"`
	Decode []struct {
		ID          string      `json:"id"`
		Mode        int         `json:"mode"`
		Index       int         `json:"index"`
		Codes       []uint32    `json:"codes"`
		Bytes       vectors.Hex `json:"bytes_hex"`
		OK          *bool       `json:"ok"`
		Error       string      `json:"error"`
		Decoded     any         `json:"decoded"`
		DecodedBits []string    `json:"decoded_bits"`
		Same        bool        `json:"reencodes_same"`
	} `json:"decode"`
}

func addQuats(t *testing.T, s *script) {
	vectors.EachFile(t, "citadel", "quat.json", func(t *testing.T, f quatFile) {
		for _, v := range f.Modes {
			if !v.OK {
				s.words("quat", v.Bits, bitsOf("00000000", "00000000", "00000000", "3f800000"), statusSpec)
				s.words("quat_code", v.Bits, 0, 0, 0, 0, statusSpec)
			}
		}
		for _, v := range f.Encode {
			s.words("quat", v.Mode, bitsOf(v.InputBits...), statusOK, v.Index, v.Codes[0], v.Codes[1], v.Codes[2])
		}
		for _, v := range f.Decode {
			if v.Error != "" {
				require.Equal(t, "bit_overrun", v.Error, "bytes that end early, and nothing else, cannot be said in C")
				continue
			}
			s.words("quat_code", v.Mode, v.Index, v.Codes[0], v.Codes[1], v.Codes[2], statusOK, bitsOf(v.DecodedBits...))
			s.words("quat_code", v.Mode, v.Index, v.Codes[0], 1<<v.Mode, v.Codes[2], statusCode)
		}
	})
}

type hashVector struct {
	ID      string `json:"id"`
	Version uint32 `json:"layout_version"`
	Fields  []struct {
		ID        uint16      `json:"field_id"`
		Type      uint16      `json:"type_tag"`
		Codec     uint16      `json:"codec_id"`
		Cond      uint8       `json:"cond"`
		Authority uint8       `json:"authority"`
		Bounds    vectors.U64 `json:"bounds_shape"`
	} `json:"fields"`
	Digest   vectors.Hex `json:"digest_hex"`
	Preimage vectors.Hex `json:"preimage_hex"`
	Error    string      `json:"error"`
}

type hashFile struct {
	source
	Algorithm string       `json:"algorithm"`
	Vectors   []hashVector `json:"vectors"`
	Errors    []hashVector `json:"errors"`
}

func addHashes(t *testing.T, s *script) {
	vectors.EachFile(t, "citadel", "schema_hash.json", func(t *testing.T, f hashFile) {
		add := func(v hashVector) {
			s.words("schema_hash", v.Version, len(v.Fields))
			for _, f := range v.Fields {
				s.words(f.ID, f.Type, f.Codec, f.Cond, f.Authority, uint64(f.Bounds))
			}
		}
		for _, v := range f.Vectors {
			add(v)
			s.words(statusOK, bytesOf(v.Digest))
		}
		for _, v := range f.Errors {
			add(v)
			s.words(statusFields)
		}
	})
}

package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
)

type fieldVector struct {
	Kind     string          `json:"kind"`
	Min      json.RawMessage `json:"min"` // a decimal string, a number or three of them
	MinBits  json.RawMessage `json:"min_bits"`
	Max      json.RawMessage `json:"max"`
	MaxBits  json.RawMessage `json:"max_bits"`
	PerUnit  uint32          `json:"values_per_unit"`
	Bits     int             `json:"bits"`
	AxisBits []int           `json:"axis_bits"`
	Mode     int             `json:"mode"`
	MaxLen   uint32          `json:"max_len"`
	MaxItems uint32          `json:"max_items"`
	Item     *fieldVector    `json:"item"`
}

// text is a JSON string, one or several.
func text(t *testing.T, raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []string
	require.NoError(t, json.Unmarshal(raw, &many))
	return many
}

// kinds are the numbers that citadel.h has for them.
var kinds = map[string]int{"bool": 0, "int_range": 1, "scalar": 2, "vector3": 3, "quat": 4, "bytes": 5}

// parameters are a field's, as words.
func (f *fieldVector) parameters(t *testing.T, s *script) {
	switch f.Kind {
	case "int_range":
		s.words(text(t, f.Min)[0], text(t, f.Max)[0])
	case "scalar", "vector3":
		s.words(bitsOf(text(t, f.MinBits)...), bitsOf(text(t, f.MaxBits)...), f.PerUnit)
	case "quat":
		s.words(f.Mode)
	case "bytes":
		s.words(f.MaxLen)
	}
}

type valueVector struct {
	Bool       *bool            `json:"bool"`
	Int        *vectors.I64     `json:"int"`
	Scalar     any              `json:"scalar"`
	ScalarBits string           `json:"scalar_bits"`
	Vector     any              `json:"vector3"`
	VectorBits []string         `json:"vector3_bits"`
	Quat       any              `json:"quat"`
	QuatBits   []string         `json:"quat_bits"`
	Bytes      *vectors.Hex     `json:"bytes_hex"`
	Collection *collectionDelta `json:"collection"`
}

// kind is the kind of field that the value is for.
func (v *valueVector) kind() string {
	switch {
	case v.Bool != nil:
		return "bool"
	case v.Int != nil:
		return "int_range"
	case v.ScalarBits != "":
		return "scalar"
	case v.VectorBits != nil:
		return "vector3"
	case v.QuatBits != nil:
		return "quat"
	case v.Bytes != nil:
		return "bytes"
	}
	return "collection"
}

func (v *valueVector) words(s *script) {
	switch v.kind() {
	case "bool":
		s.words(flag(*v.Bool))
	case "int_range":
		s.words(int64(*v.Int))
	case "scalar":
		s.words(bitsOf(v.ScalarBits))
	case "vector3":
		s.words(bitsOf(v.VectorBits...))
	case "quat":
		s.words(bitsOf(v.QuatBits...))
	case "bytes":
		s.words(bytesOf(*v.Bytes))
	}
}

type elementVector struct {
	Index      uint32      `json:"index"`
	Generation uint32      `json:"generation"`
	Key        vectors.U64 `json:"key"`
	Value      valueVector `json:"value"`
}

type collectionDelta struct {
	Removed []elementVector `json:"removed"`
	Added   []elementVector `json:"added"`
	Changed []elementVector `json:"changed"`
}

type changeVector struct {
	Field uint32      `json:"field_id"`
	Value valueVector `json:"value"`
}

// words adds a field. The status that is expected is not among them.
func (c *changeVector) words(t *testing.T, s *script, f *fieldVector) {
	if f.Kind != "collection" {
		name := map[string]string{"bool": "add_bool", "int_range": "add_int", "scalar": "add_scalar", "vector3": "add_vector3",
			"quat": "add_quat", "bytes": "add_bytes"}[f.Kind]
		s.words(name, c.Field)
		f.parameters(t, s)
		c.Value.words(s)
		return
	}
	delta := c.Value.Collection
	s.words("add_collection", c.Field, f.MaxItems, kinds[f.Item.Kind])
	f.Item.parameters(t, s)
	s.words(len(delta.Removed), len(delta.Added), len(delta.Changed))
	for _, e := range delta.Removed {
		s.words(e.Index, e.Generation)
	}
	for _, list := range [][]elementVector{delta.Added, delta.Changed} {
		for _, e := range list {
			s.words(e.Index, e.Generation, uint64(e.Key))
			e.Value.words(s)
		}
	}
}

type schemaVector struct {
	ID      int           `json:"id"`
	Hash    vectors.Hex   `json:"hash_hex"`
	Version uint32        `json:"layout_version"`
	Fields  []fieldVector `json:"fields"`
}

type bunchVector struct {
	ID       string         `json:"id"`
	Note     string         `json:"note"`
	Schema   int            `json:"schema"`
	Object   uint32         `json:"object_id"`
	Full     bool           `json:"is_full"`
	Result   vectors.U64    `json:"result_id"`
	Base     vectors.U64    `json:"base_id"`
	Changes  []changeVector `json:"changes"`
	Body     vectors.Hex    `json:"body_hex"`
	Error    string         `json:"error"`
	BaseBack vectors.U64    `json:"decoded_base_id"`
	Decoded  any            `json:"decoded_changes"`
	Spent    int            `json:"budget_spent"`
	Same     bool           `json:"reencodes_same"`
	Peek     any            `json:"peek_full_schema"`
}

type netpeerFile struct {
	source
	Caps         json.RawMessage `json:"caps"`
	Schemas      []schemaVector  `json:"schemas"`
	BadSchemas   json.RawMessage `json:"bad_schemas"`
	Varints      json.RawMessage `json:"varints"`
	Bunches      []bunchVector   `json:"bunches"`
	EncodeErrors []bunchVector   `json:"encode_errors"`
	Coalesced    json.RawMessage `json:"coalesced"`
	Acks         json.RawMessage `json:"acks"`
	SchemaTables json.RawMessage `json:"schema_tables"`
}

// errorStatus is what adding a value returns for an error class.
var errorStatus = map[string]status{
	"field_out_of_range":   statusArgument,
	"bytes_too_long":       statusValue,
	"collection_too_large": statusValue,
	"duplicate_rep_id":     statusValue,
	"codec":                statusValue,
}

func addBunches(t *testing.T, s *script) {
	vectors.EachFile(t, "citadel", "netpeer.json", func(t *testing.T, f netpeerFile) {
		for _, v := range f.Bunches {
			schema := f.Schemas[v.Schema]
			s.words("new", v.Object, flag(v.Full), uint64(v.Result), uint64(v.Base), len(schema.Fields), statusOK)
			if v.Full {
				s.words("set_schema", bytesOf(schema.Hash), schema.Version, statusOK)
			}
			for _, c := range v.Changes {
				c.words(t, s, &schema.Fields[c.Field])
				s.words(statusOK)
			}
			s.words("finish", statusOK, bytesOf(v.Body))
		}

		untyped := 0
		for _, v := range f.EncodeErrors {
			schema := f.Schemas[v.Schema]
			begin := []any{"new", v.Object, flag(v.Full), uint64(v.Result), uint64(v.Base), len(schema.Fields)}
			switch v.Error {
			case "zero_token":
				s.words(append(begin, statusToken)...)
				continue
			case "value_kind_mismatch", "invalid_schema":
				// A value brings its kind along in C; it cannot be another one.
				untyped++
				continue
			}
			s.words(append(begin, statusOK)...)
			for _, c := range v.Changes {
				field := fieldVector{Kind: c.Value.kind()}
				if int(c.Field) < len(schema.Fields) {
					field = schema.Fields[c.Field]
				}
				c.words(t, s, &field)
				s.words(errorStatus[v.Error])
			}
			s.words("finish", statusFailed)
		}
		require.Less(t, untyped, len(f.EncodeErrors), "something is left to refuse")
	})
}

// addMistakes are the ones that the conformance data has no word for.
func addMistakes(s *script) {
	s.words("new 1 1 2 0 3", statusOK)
	s.words("finish", statusToken) // a full bunch without an identity
	s.words("new 1 0 2 1 3", statusOK)
	s.words("add_bool 1 1", statusOK)
	s.words("add_bool 1 1", statusArgument) // twice
	s.words("add_bool 2 1", statusFailed)
	s.words("finish", statusFailed)
	s.words("new 1 0 2 1 3", statusOK)
	s.words("add_int 0 5 4 5", statusSpec) // bounds the wrong way round
	s.words("finish", statusFailed)
	s.words("new 1 0 2 1 3", statusOK)
	s.words("add_quat 0 11 x00000000 x00000000 x00000000 x3f800000", statusSpec)
	s.words("finish", statusFailed)
	s.words("new 9 0 2 1 3", statusOK) // in any order
	s.words("add_bool 2 1", statusOK)
	s.words("add_bool 0 0", statusOK)
	s.words("finish", statusOK, ":000000090100d4:")
}

package conformance

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/valuevectors"
	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// netpeerFile is the frames of property replication.
type netpeerFile struct {
	source
	Caps struct {
		Bunches       int `json:"max_bunches_per_envelope"`
		Collection    int `json:"max_collection_ops"`
		Bytes         int `json:"max_bytes_field_len"`
		Alloc         int `json:"max_envelope_alloc"`
		AckEntries    int `json:"max_ack_entries"`
		SchemaEntries int `json:"max_schema_entries"`
		VarintGroups  int `json:"varint_max_groups"`
	} `json:"caps"`
	Schemas    []schemaVector `json:"schemas"`
	BadSchemas []struct {
		ID     string               `json:"id"`
		Note   string               `json:"note"`
		Fields []valuevectors.Field `json:"fields"`
		Error  string               `json:"error"`
	} `json:"bad_schemas"`
	Varints []struct {
		ID    string      `json:"id"`
		Value vectors.U64 `json:"value"`
		Hex   vectors.Hex `json:"hex"`
	} `json:"varints"`
	Bunches []struct {
		ID string `json:"id"`
		bunchVector
		Schema      int             `json:"schema"`
		Body        vectors.Hex     `json:"body_hex"`
		BudgetSpent int             `json:"budget_spent"`
		Reencodes   bool            `json:"reencodes_same"`
		Peek        *identityVector `json:"peek_full_schema"`
	} `json:"bunches"`
	EncodeErrors []struct {
		ID string `json:"id"`
		bunchVector
		Schema int    `json:"schema"`
		Note   string `json:"note"`
		Error  string `json:"error"`
	} `json:"encode_errors"`
	Coalesced []struct {
		ID      string        `json:"id"`
		Schema  int           `json:"schema"`
		Bunches []bunchVector `json:"bunches"`
		Body    vectors.Hex   `json:"body_hex"`
	} `json:"coalesced"`
	Acks []struct {
		ID      string `json:"id"`
		Entries []struct {
			Object  uint32      `json:"object_id"`
			Result  vectors.U64 `json:"acked_result_id"`
			History uint32      `json:"history"`
		} `json:"entries"`
		Body vectors.Hex `json:"body_hex"`
	} `json:"acks"`
	Tables []struct {
		ID      string `json:"id"`
		Entries []struct {
			Class uint32 `json:"class_id"`
			identityVector
		} `json:"entries"`
		Body vectors.Hex `json:"body_hex"`
	} `json:"schema_tables"`
}

type identityVector struct {
	Hash    vectors.Hex `json:"hash_hex"`
	Version uint32      `json:"layout_version"`
}

func (v identityVector) identity() schema.Identity {
	return schema.Identity{Hash: schema.Hash(v.Hash), Version: v.Version}
}

// schemaVector is an element of a table of schemas.
type schemaVector struct {
	ID int `json:"id"`
	identityVector
	Fields []valuevectors.Field `json:"fields"`
}

// schema returns the schema, and checks the widths that the data state.
func (v schemaVector) schema(t *testing.T) *netpeer.Schema {
	s, err := netpeer.NewSchema(v.identity(), requireCodecs(t, v.Fields)...)
	require.NoError(t, err)
	require.Equal(t, v.identity(), s.Identity())
	return s
}

type bunchVector struct {
	Object  uint32         `json:"object_id"`
	Full    bool           `json:"is_full"`
	Result  vectors.U64    `json:"result_id"`
	Base    vectors.U64    `json:"base_id"`
	Changes []changeVector `json:"changes"`

	DecodedBase    *vectors.U64   `json:"decoded_base_id"`
	DecodedChanges []changeVector `json:"decoded_changes"`
}

// bunch returns what the encoder is given.
func (v bunchVector) bunch(s *netpeer.Schema) (*netpeer.Bunch, error) {
	b := &netpeer.Bunch{Header: netpeer.Header{Object: v.Object, Full: v.Full, Result: uint64(v.Result), Base: uint64(v.Base)}}
	for _, c := range v.Changes {
		value, err := c.value(s)
		if err != nil {
			return nil, err
		}
		b.Changes = append(b.Changes, netpeer.Change{Field: c.Field, Value: value})
	}
	return b, nil
}

// requireDecoded checks a decoded bunch.
func (v bunchVector) requireDecoded(t *testing.T, s *netpeer.Schema, got *netpeer.Bunch) {
	want := netpeer.Header{Object: v.Object, Full: v.Full, Result: uint64(v.Result), Base: uint64(v.Base)}
	if v.Full {
		want.Base, want.Identity = 0, s.Identity()
	}
	if v.DecodedBase != nil {
		require.Equal(t, uint64(*v.DecodedBase), got.Base)
	}
	require.Equal(t, want, got.Header)
	require.Len(t, got.Changes, len(v.DecodedChanges))
	for i, c := range v.DecodedChanges {
		require.Equal(t, c.Field, got.Changes[i].Field)
		requireDecoded(t, c.Value, s.Field(c.Field), &got.Changes[i].Value)
	}
}

func TestConformanceNetpeer(t *testing.T) {
	vectors.EachFile(t, "citadel", "netpeer.json", func(t *testing.T, f netpeerFile) {
		require.Equal(t, []int{netpeer.MaxBunches, netpeer.MaxItems, netpeer.MaxBytes, netpeer.MaxAlloc, netpeer.MaxEntries, netpeer.MaxEntries},
			[]int{f.Caps.Bunches, f.Caps.Collection, f.Caps.Bytes, f.Caps.Alloc, f.Caps.AckEntries, f.Caps.SchemaEntries})
		require.Len(t, bitpack.AppendVarint(nil, math.MaxUint64), f.Caps.VarintGroups)

		var schemas []*netpeer.Schema
		for _, v := range f.Schemas {
			schemas = append(schemas, v.schema(t))
		}
		for _, v := range f.BadSchemas {
			t.Run(v.ID, func(t *testing.T) {
				_, err := netpeer.NewSchema(schema.Identity{}, requireCodecs(t, v.Fields)...)
				require.True(t, errorIs(err, v.Error), "%s: %v", v.Note, err)
			})
		}
		for _, v := range f.Varints {
			t.Run(v.ID, func(t *testing.T) {
				require.Equal(t, []byte(v.Hex), bitpack.AppendVarint(nil, uint64(v.Value)))
				got, n, err := bitpack.Varint(v.Hex)
				require.NoError(t, err)
				require.Equal(t, uint64(v.Value), got)
				require.Len(t, v.Hex, n)
			})
		}
		f.checkBunches(t, schemas)
		f.checkTables(t)
	})
}

func (f *netpeerFile) checkBunches(t *testing.T, schemas []*netpeer.Schema) {
	for _, v := range f.Bunches {
		t.Run(v.ID, func(t *testing.T) {
			s := at(t, schemas, v.Schema)
			b, err := v.bunch(s)
			require.NoError(t, err)
			body, err := s.AppendBunch([]byte("kept"), b)
			require.NoError(t, err)
			require.Equal(t, "kept"+string(v.Body), string(body))
			require.Equal(t, []byte(v.Body), prepared(t, s, b))

			h, err := netpeer.PeekHeader(v.Body)
			require.NoError(t, err)
			require.Equal(t, v.Peek != nil, h.Full)
			if v.Peek != nil {
				require.Equal(t, v.Peek.identity(), h.Identity)
			}

			budget := netpeer.NewBudget(v.BudgetSpent)
			var got netpeer.Bunch
			require.NoError(t, netpeer.ParseBunch(v.Body, s, &budget, &got))
			require.Zero(t, budget.Left())
			v.requireDecoded(t, s, &got)
			if v.BudgetSpent > 0 {
				budget = netpeer.NewBudget(v.BudgetSpent - 1)
				require.ErrorIs(t, netpeer.ParseBunch(v.Body, s, &budget, &got), netpeer.ErrBudget)
				require.NoError(t, netpeer.ParseBunch(v.Body, s, nil, &got))
			}

			again, err := s.AppendBunch(nil, &got)
			require.NoError(t, err)
			require.Equal(t, []byte(v.Body), again, "codes are what was sent")
			again, err = s.AppendBunch(nil, requantised(t, s, &got))
			require.NoError(t, err)
			require.Equal(t, v.Reencodes, bytes.Equal(v.Body, again))
		})
	}
	for _, v := range f.EncodeErrors {
		t.Run(v.ID, func(t *testing.T) {
			s := at(t, schemas, v.Schema)
			b, err := v.bunch(s)
			if err == nil {
				var out []byte
				out, err = s.AppendBunch([]byte("kept"), b)
				require.Equal(t, "kept", string(out))
			}
			require.True(t, errorIs(err, v.Error), "%s: %v", v.Note, err)
		})
	}
	for _, v := range f.Coalesced {
		t.Run(v.ID, func(t *testing.T) {
			s := at(t, schemas, v.Schema)
			var encoded [][]byte
			for _, v := range v.Bunches {
				b, err := v.bunch(s)
				require.NoError(t, err)
				body, err := s.AppendBunch(nil, b)
				require.NoError(t, err)
				encoded = append(encoded, body)
			}
			body, err := netpeer.AppendBunches([]byte("kept"), encoded)
			require.NoError(t, err)
			require.Equal(t, "kept"+string(v.Body), string(body))

			var budget netpeer.Budget
			var got netpeer.Bunch
			n := 0
			for body, err := range netpeer.Bunches(v.Body) {
				require.NoError(t, err)
				require.NoError(t, netpeer.ParseBunch(body, s, &budget, &got))
				require.Less(t, n, len(v.Bunches))
				v.Bunches[n].requireDecoded(t, s, &got)
				n++
			}
			require.Len(t, v.Bunches, n)
		})
	}
}

func (f *netpeerFile) checkTables(t *testing.T) {
	var acks []netpeer.AckEntry
	for _, v := range f.Acks {
		t.Run(v.ID, func(t *testing.T) {
			var want []netpeer.AckEntry
			for _, e := range v.Entries {
				want = append(want, netpeer.AckEntry{Object: e.Object, Result: uint64(e.Result), History: e.History})
			}
			require.NoError(t, netpeer.ParseAcks(v.Body, &acks))
			require.Equal(t, want, append([]netpeer.AckEntry(nil), acks...))
			body, err := netpeer.AppendAcks([]byte("kept"), want)
			require.NoError(t, err)
			require.Equal(t, "kept"+string(v.Body), string(body))
		})
	}
	var table []netpeer.TableEntry
	for _, v := range f.Tables {
		t.Run(v.ID, func(t *testing.T) {
			var want []netpeer.TableEntry
			for _, e := range v.Entries {
				want = append(want, netpeer.TableEntry{Class: e.Class, Identity: e.identity()})
			}
			require.NoError(t, netpeer.ParseTable(v.Body, &table))
			require.Equal(t, want, append([]netpeer.TableEntry(nil), table...))
			body, err := netpeer.AppendTable([]byte("kept"), want)
			require.NoError(t, err)
			require.Equal(t, "kept"+string(v.Body), string(body))
		})
	}
}

// prepared encodes a bunch by way of values that are packed one by one.
func prepared(t *testing.T, s *netpeer.Schema, b *netpeer.Bunch) []byte {
	var arena []byte
	values := make([]netpeer.Prepared, len(b.Changes))
	for i := range b.Changes {
		var err error
		arena, values[i], err = s.Prepare(arena, b.Changes[i].Field, &b.Changes[i].Value)
		require.NoError(t, err)
	}
	body, err := s.AppendPrepared(nil, b.Header, values)
	require.NoError(t, err)
	return body
}

// netpeerDecoders decode what malformed.json holds of property replication. What they return was turned into
// numbers in between, like the data.
var netpeerDecoders = map[string]decodeFunc{
	"rep_bunch": func(t *testing.T, c malformedContext, body []byte) ([]byte, error) {
		budget := netpeer.NewBudget(c.budget)
		return decodeBunch(t, c.schema.schema(t), body, &budget)
	},
	"rep_bunches": func(t *testing.T, c malformedContext, body []byte) ([]byte, error) {
		s, budget := c.schema.schema(t), netpeer.NewBudget(c.budget)
		var again [][]byte
		for body, err := range netpeer.Bunches(body) {
			if err != nil {
				return nil, err
			}
			b, err := decodeBunch(t, s, body, &budget)
			if err != nil {
				return nil, err
			}
			again = append(again, b)
		}
		return netpeer.AppendBunches(nil, again)
	},
	"rep_ack": func(t *testing.T, _ malformedContext, body []byte) ([]byte, error) {
		var entries []netpeer.AckEntry
		if err := netpeer.ParseAcks(body, &entries); err != nil {
			require.Empty(t, entries)
			return nil, err
		}
		return netpeer.AppendAcks(nil, entries)
	},
	"rep_schema_table": func(t *testing.T, _ malformedContext, body []byte) ([]byte, error) {
		var entries []netpeer.TableEntry
		if err := netpeer.ParseTable(body, &entries); err != nil {
			require.Empty(t, entries)
			return nil, err
		}
		return netpeer.AppendTable(nil, entries)
	},
}

func decodeBunch(t *testing.T, s *netpeer.Schema, body []byte, budget *netpeer.Budget) ([]byte, error) {
	b := netpeer.Bunch{Header: netpeer.Header{Object: 1, Full: true}, Changes: make([]netpeer.Change, 3)}
	if err := netpeer.ParseBunch(body, s, budget, &b); err != nil {
		require.Zero(t, b.Header)
		require.Empty(t, b.Changes)
		return nil, err
	}
	same, err := s.AppendBunch(nil, &b)
	require.NoError(t, err)
	require.True(t, bytes.Equal(body, same), "the codes are what was sent")
	return s.AppendBunch(nil, requantised(t, s, &b))
}

package schema_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

// head is what all files of the family begin with.
type head struct {
	Family string `json:"family"`
	Set    string `json:"set"`
	Seed   string `json:"seed"`
	Source string `json:"source"`
}

type hashFile struct {
	head
	Algorithm string       `json:"algorithm"`
	Vectors   []hashVector `json:"vectors"`
	Errors    []hashVector `json:"errors"`
}

type hashVector struct {
	ID            string      `json:"id"`
	LayoutVersion uint32      `json:"layout_version"`
	Fields        []hashField `json:"fields"`
	DigestHex     string      `json:"digest_hex"`
	PreimageHex   vectors.Hex `json:"preimage_hex"`
	Error         string      `json:"error"`
}

type hashField struct {
	FieldID     uint16      `json:"field_id"`
	TypeTag     uint16      `json:"type_tag"`
	CodecID     uint16      `json:"codec_id"`
	Cond        uint8       `json:"cond"`
	Authority   uint8       `json:"authority"`
	BoundsShape vectors.U64 `json:"bounds_shape"`
}

func (v hashVector) fields() (fields []schema.Field) {
	for _, f := range v.Fields {
		fields = append(fields, schema.Field{
			ID: f.FieldID, TypeTag: f.TypeTag, CodecID: f.CodecID, Cond: f.Cond, Authority: f.Authority,
			Bounds: uint64(f.BoundsShape),
		})
	}
	return fields
}

// The reasons why hashing is refused, as the files call them.
var hashErrors = map[string]error{
	"non_canonical_fields": schema.ErrFieldOrder,
	"too_many_fields":      schema.ErrTooManyFields,
}

func TestConformanceSchemaHash(t *testing.T) {
	vectors.EachFile(t, "citadel", "schema_hash.json", func(t *testing.T, f hashFile) {
		for _, v := range f.Vectors {
			t.Run(v.ID, func(t *testing.T) {
				hash, err := schema.HashFields(v.LayoutVersion, v.fields())
				require.NoError(t, err)
				require.Equal(t, v.DigestHex, hash.String())

				image, err := schema.AppendPreimage([]byte("kept"), v.LayoutVersion, v.fields())
				require.NoError(t, err)
				require.Equal(t, "kept", string(image[:4]))
				require.Equal(t, []byte(v.PreimageHex), image[4:])
			})
		}
		for _, v := range f.Errors {
			t.Run(v.ID, func(t *testing.T) {
				require.Contains(t, hashErrors, v.Error)
				_, err := schema.HashFields(v.LayoutVersion, v.fields())
				require.ErrorIs(t, err, hashErrors[v.Error])

				image, err := schema.AppendPreimage([]byte("kept"), v.LayoutVersion, v.fields())
				require.ErrorIs(t, err, hashErrors[v.Error])
				require.Equal(t, "kept", string(image))
			})
		}
	})
}

type layoutFile struct {
	head
	Cases  []layoutCase `json:"cases"`
	Pairs  []layoutPair `json:"pairs"`
	ByRule []layoutRule `json:"by_rule"`
}

type layoutCase struct {
	ID             string        `json:"id"`
	Note           string        `json:"note"`
	ClassID        uint32        `json:"class_id"`
	LayoutVersion  uint32        `json:"layout_version"`
	Fields         []layoutField `json:"fields"`
	PushFieldIDs   []int         `json:"push_field_ids"`
	ShadowFieldIDs []int         `json:"shadow_field_ids"`
	DigestHex      string        `json:"digest_hex"`
}

type layoutField struct {
	FieldID     uint16       `json:"field_id"`
	Name        string       `json:"name"`
	NameUTF8Hex vectors.Hex  `json:"name_utf8_hex"`
	Type        string       `json:"type"`
	TypeTag     uint16       `json:"type_tag"`
	CodecID     uint16       `json:"codec_id"`
	Condition   string       `json:"condition"`
	ConditionID uint8        `json:"condition_id"`
	Authority   string       `json:"authority"`
	AuthorityID uint8        `json:"authority_id"`
	Bounds      layoutBounds `json:"bounds"`
	PushBased   bool         `json:"push_based"`
	NameKey     vectors.U64  `json:"name_key"`
	BoundsShape vectors.U64  `json:"bounds_shape"`
	FoldedShape vectors.U64  `json:"folded_shape"`
}

type layoutBounds struct {
	Kind          string `json:"kind"`
	Min           any    `json:"min"` // a decimal string in an int range, else a number, which is not used
	Max           any    `json:"max"`
	MinBits       string `json:"min_bits"`
	MaxBits       string `json:"max_bits"`
	ValuesPerUnit uint32 `json:"values_per_unit"`
	MaxLen        uint32 `json:"max_len"`
	MaxItems      uint32 `json:"max_items"`
}

func (b layoutBounds) bounds(t *testing.T) schema.Bounds {
	integer := func(v any) int64 {
		i, err := strconv.ParseInt(v.(string), 10, 64)
		require.NoError(t, err)
		return i
	}
	float := func(s string) float32 {
		bits, err := strconv.ParseUint(s, 16, 32)
		require.NoError(t, err)
		return math.Float32frombits(uint32(bits))
	}
	switch b.Kind {
	case "none":
		return schema.NoBounds
	case "int_range":
		return schema.IntRange(integer(b.Min), integer(b.Max))
	case "scalar_range":
		return schema.ScalarRange(float(b.MinBits), float(b.MaxBits), b.ValuesPerUnit)
	case "max_len":
		return schema.MaxLen(b.MaxLen)
	case "max_cardinality":
		return schema.MaxCardinality(b.MaxItems)
	}
	t.Fatalf("bounds of kind %q", b.Kind)
	return schema.NoBounds
}

func (c layoutCase) layout(t *testing.T) schema.Layout {
	l := schema.Layout{Class: c.ClassID, Version: c.LayoutVersion}
	for _, f := range c.Fields {
		l.Properties = append(l.Properties, schema.Property{
			Name:      f.Name,
			Type:      schema.Type(f.TypeTag),
			Codec:     schema.CodecID(f.CodecID),
			Condition: schema.Condition(f.ConditionID),
			Authority: schema.Authority(f.AuthorityID),
			Bounds:    f.Bounds.bounds(t),
			Push:      f.PushBased,
		})
	}
	return l
}

func TestConformanceLayout(t *testing.T) {
	vectors.EachFile(t, "citadel", "layout.json", func(t *testing.T, f layoutFile) {
		identities := map[string]schema.Identity{}
		for _, c := range f.Cases {
			t.Run(c.ID, func(t *testing.T) {
				l := c.layout(t)
				checkProperties(t, c, l)
				id, err := l.Identity()
				require.NoError(t, err)
				require.Equal(t, c.DigestHex, id.Hash.String())
				require.Equal(t, c.LayoutVersion, id.Version)
				identities[c.ID] = id
			})
		}
		for _, p := range f.Pairs {
			t.Run(p.A+" "+p.B, func(t *testing.T) {
				require.Contains(t, identities, p.A)
				require.Contains(t, identities, p.B)
				require.Equal(t, p.SameDigest, identities[p.A].Hash == identities[p.B].Hash, "%s", p.Why)
			})
		}
		for _, r := range f.ByRule {
			t.Run(r.ID, func(t *testing.T) { checkRule(t, r) })
		}
	})
}

// checkProperties compares a layout's properties with the numbers that the vector gives for each.
func checkProperties(t *testing.T, c layoutCase, l schema.Layout) {
	fields, err := l.AppendFields(nil)
	require.NoError(t, err)
	var push, shadow []int
	for i, f := range c.Fields {
		p := l.Properties[i]
		require.Equal(t, string(f.NameUTF8Hex), p.Name)
		require.Equal(t, uint64(f.NameKey), schema.NameKey(p.Name))
		require.Equal(t, uint64(f.BoundsShape), p.Bounds.Shape(), "%v", p.Bounds)
		require.Equal(t, uint64(f.FoldedShape), p.Shape(), "%v", p.Bounds)
		require.Equal(t, f.Bounds.Kind, p.Bounds.Kind().String())
		require.Equal(t, f.Type, p.Type.String())
		require.Equal(t, f.Condition, p.Condition.String())
		require.Equal(t, f.Authority, p.Authority.String())
		require.Equal(t, schema.Field{
			ID: f.FieldID, TypeTag: f.TypeTag, CodecID: f.CodecID, Cond: f.ConditionID, Authority: f.AuthorityID,
			Bounds: uint64(f.FoldedShape),
		}, fields[i])
		if p.Push {
			push = append(push, i)
		} else {
			shadow = append(shadow, i)
		}
	}
	require.ElementsMatch(t, c.PushFieldIDs, push)
	require.ElementsMatch(t, c.ShadowFieldIDs, shadow)
}

type layoutPair struct {
	A          string `json:"a"`
	B          string `json:"b"`
	SameDigest bool   `json:"same_digest"`
	Why        string `json:"why"`
}

type layoutRule struct {
	ID            string       `json:"id"`
	Count         int          `json:"count"`
	LayoutVersion uint32       `json:"layout_version"`
	NameFormat    string       `json:"name_format"`
	TypeTag       uint16       `json:"type_tag"`
	CodecID       uint16       `json:"codec_id"`
	ConditionID   uint8        `json:"condition_id"`
	AuthorityID   uint8        `json:"authority_id"`
	Bounds        layoutBounds `json:"bounds"`
	OK            bool         `json:"ok"`
	DigestHex     string       `json:"digest_hex"`
	Error         string       `json:"error"`
}

func checkRule(t *testing.T, r layoutRule) {
	require.Equal(t, "f%d from 0", r.NameFormat)
	l := schema.Layout{Version: r.LayoutVersion}
	for i := range r.Count {
		l.Properties = append(l.Properties, schema.Property{
			Name:      fmt.Sprintf("f%d", i),
			Type:      schema.Type(r.TypeTag),
			Codec:     schema.CodecID(r.CodecID),
			Condition: schema.Condition(r.ConditionID),
			Authority: schema.Authority(r.AuthorityID),
			Bounds:    r.Bounds.bounds(t),
		})
	}
	hash, err := l.Hash()
	if !r.OK {
		require.Contains(t, hashErrors, r.Error)
		require.ErrorIs(t, err, hashErrors[r.Error])
		return
	}
	require.NoError(t, err)
	require.Equal(t, r.DigestHex, hex.EncodeToString(hash[:]))
	require.NoError(t, l.Validate(), "no name is taken twice")
}

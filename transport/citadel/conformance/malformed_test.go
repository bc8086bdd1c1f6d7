package conformance

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
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

// malformedFile is the corpus: bodies, damaged or not, and what the reference's decoders make of them.
type malformedFile struct {
	source
	Counts        map[string]int    `json:"counts"`
	DefaultBudget int               `json:"default_budget"`
	Hellos        []helloVector     `json:"hellos"`
	Schemas       []schemaVector    `json:"schemas"`
	Cases         []malformedVector `json:"cases"`
	Large         []malformedVector `json:"large"`
}

type malformedVector struct {
	ID       string      `json:"id"`
	Decoder  string      `json:"decoder"`
	Mutation string      `json:"mutation"`
	Note     string      `json:"note"`
	Hex      vectors.Hex `json:"hex"`
	Len      int         `json:"len"`
	Parts    []struct {
		Hex    vectors.Hex `json:"hex"`
		Repeat byte        `json:"repeat_byte"`
		Count  int         `json:"count"`
	} `json:"parts"`
	Hello     int             `json:"hello"`
	Schema    int             `json:"schema"`
	Budget    *int            `json:"budget"`
	Accepted  bool            `json:"accepted"`
	Error     string          `json:"error"`
	Reencoded json.RawMessage `json:"reencoded"`
}

// body is the case's body.
func (v malformedVector) body() []byte {
	if v.Parts == nil {
		return v.Hex
	}
	var b []byte
	for _, p := range v.Parts {
		b = append(b, p.Hex...)
		b = append(b, slices.Repeat([]byte{p.Repeat}, p.Count)...)
	}
	return b
}

// malformedContext is what a decoder may need besides the body.
type malformedContext struct {
	hello  helloVector
	schema schemaVector
	budget int
}

// decodeFunc decodes a body and returns what encoding the value gives. Nil bytes without an error mean that the
// value has no encoding.
type decodeFunc func(t *testing.T, c malformedContext, body []byte) (again []byte, err error)

// decoders are all decoders of the corpus.
func decoders() map[string]decodeFunc {
	all := map[string]decodeFunc{}
	for _, part := range []map[string]decodeFunc{wireDecoders, tsyncDecoders, netpeerDecoders} {
		maps.Copy(all, part)
	}
	return all
}

// errorIs reports whether err is of a class of the corpus. Decoders whose reference says nothing but no may refuse
// with any error.
func errorIs(err error, class string) bool {
	if class == "unspecified" {
		return err != nil
	}
	return slices.ContainsFunc(errorClasses[class], func(target error) bool { return errors.Is(err, target) })
}

func TestConformanceMalformed(t *testing.T) {
	vectors.EachFile(t, "citadel", "malformed.json", func(t *testing.T, f malformedFile) {
		all := decoders()
		met := map[string]bool{}
		for _, v := range slices.Concat(f.Cases, f.Large) {
			t.Run(v.ID, func(t *testing.T) {
				decode := all[v.Decoder]
				require.NotNil(t, decode, "decoder %q", v.Decoder)
				met[v.Decoder] = true
				c := malformedContext{hello: at(t, f.Hellos, v.Hello), schema: at(t, f.Schemas, v.Schema), budget: f.DefaultBudget}
				if v.Budget != nil {
					c.budget = *v.Budget
				}
				checkMalformed(t, v, c, decode)
			})
		}
		require.Len(t, met, len(all), "every decoder has cases: %v", met)
	})
}

func checkMalformed(t *testing.T, v malformedVector, c malformedContext, decode decodeFunc) {
	body := v.body()
	if v.Parts != nil {
		require.Len(t, body, v.Len)
	}
	again, err := decode(t, c, body)
	if !v.Accepted {
		require.Error(t, err, "%s", v.Mutation)
		require.True(t, errorIs(err, v.Error), "%v is not %s (%s)", err, v.Error, v.Mutation)
		return
	}
	require.NoError(t, err, "%s", v.Mutation)
	var want *string
	require.NoError(t, json.Unmarshal(v.Reencoded, &want))
	switch {
	case want == nil:
		require.Nil(t, again)
	case *want == "same":
		require.Equal(t, body, again)
	default:
		var h vectors.Hex
		require.NoError(t, json.Unmarshal(v.Reencoded, &h))
		require.Equal(t, []byte(h), again)
	}
}

// at returns an element of one of the file's tables.
func at[T any](t *testing.T, table []T, i int) T {
	require.Less(t, i, len(table))
	return table[i]
}

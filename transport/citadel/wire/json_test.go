package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// nested returns an object with values inside each other, itself counted.
func nested(depth int) string {
	return strings.Repeat(`{"a":[`, depth/2) + strings.Repeat(`{}`, depth%2) + strings.Repeat(`]}`, depth/2)
}

// The texts that no JSON body may be, whatever its kind.
var badTexts = map[string]string{
	"empty":                     ``,
	"space":                     " \n",
	"nothing but a brace":       `{`,
	"cut in a name":             `{"a`,
	"cut in a value":            `{"a":1`,
	"byte order mark":           "\ufeff{}",
	"trailing value":            `{} {}`,
	"trailing comma":            `{"a":1,}`,
	"trailing byte":             "{}\x00",
	"comment":                   `{/**/}`,
	"single quotes":             `{'a':1}`,
	"bare name":                 `{a:1}`,
	"leading zero":              `{"a":01}`,
	"plus":                      `{"a":+1}`,
	"hex":                       `{"a":0x1}`,
	"NaN":                       `{"a":NaN}`,
	"control character":         "{\"a\":\"\n\"}",
	"unknown escape":            `{"a":"\x41"}`,
	"invalid UTF-8 value":       "{\"a\":\"\xff\"}",
	"invalid UTF-8 name":        "{\"\xc3\":1}",
	"surrogate as UTF-8":        "{\"a\":\"\xed\xa0\x80\"}",
	"overlong UTF-8":            "{\"a\":\"\xc0\x80\"}",
	"high surrogate":            `{"a":"\ud83d"}`,
	"low surrogate":             `{"a":"\ude42"}`,
	"high and high surrogate":   `{"a":"\ud83d\ud83d"}`,
	"surrogates the wrong way":  `{"a":"\ude42\ud83d"}`,
	"high surrogate and escape": `{"a":"\ud83d\n"}`,
	"high surrogate in a name":  `{"\uD83D":1}`,
	"duplicate":                 `{"a":1,"a":1}`,
	"duplicate through escape":  `{"a":1,"\u0061":2}`,
	"duplicate inside":          `{"x":[{"b":{"a":1,"c":2,"a":3}}]}`,
	"duplicate empty names":     `{"":1,"":2}`,
	"too deep":                  nested(wire.MaxJSONDepth + 1),
	"far too deep":              strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
	"too long":                  `{"a":"` + strings.Repeat("a", wire.MaxJSON-7) + `"}`,
}

func TestJSONRefused(t *testing.T) {
	for name, text := range badTexts {
		t.Run(name, func(t *testing.T) {
			m, err := wire.ParseMatchmakerMatched([]byte(text))
			require.ErrorIs(t, err, wire.ErrJSON)
			require.Zero(t, m)
			n, err := wire.ParseNotification([]byte(text))
			require.ErrorIs(t, err, wire.ErrJSON)
			require.Zero(t, n)
			e, err := wire.ParseChatEvent([]byte(text))
			require.ErrorIs(t, err, wire.ErrJSON)
			require.Zero(t, e)
			id, err := wire.ParseID([]byte(text))
			require.ErrorIs(t, err, wire.ErrJSON)
			require.Zero(t, id)

			dst := []byte("kept")
			out, err := wire.AppendNotification(dst, wire.Notification{JSON: []byte(text)})
			require.ErrorIs(t, err, wire.ErrJSON)
			require.Equal(t, dst, out)
		})
	}
}

func TestJSONAccepted(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                `{}`,
		"space":                " \t\r\n{ \"a\" : [ 1 , { } , [ ] ] , \"b\" : null } \n",
		"same name elsewhere":  `{"a":{"a":{"a":1}},"b":{"a":1},"c":[{"a":1},{"a":1}]}`,
		"names differ in case": `{"a":1,"A":2}`,
		"surrogate pair":       `{"a":"\ud83d\ude42","\uD83D\uDE42":1}`,
		"escapes":              `{"a":"\"\\\/\b\f\n\r\t\u0000\uFFFD"}`,
		"numbers":              `{"a":[-0,1.5e+300,1E400,18446744073709551616]}`,
		"deepest":              nested(wire.MaxJSONDepth),
		"longest":              `{"a":"` + strings.Repeat("a", wire.MaxJSON-8) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			n, err := wire.ParseNotification([]byte(text))
			require.NoError(t, err)
			require.Equal(t, text, string(n.JSON))
			out, err := wire.AppendNotification([]byte("b"), n)
			require.NoError(t, err)
			require.Equal(t, "b"+text, string(out))
		})
	}
	for _, text := range []string{`[]`, `"a"`, `1`, `null`, `true`, ` [{}] `} {
		_, err := wire.ParseNotification([]byte(text))
		require.ErrorIs(t, err, wire.ErrMember, text)
	}
}

// Refusing takes memory in proportion to the text, whatever it is made of.
func TestJSONAllocationIsBounded(t *testing.T) {
	many := func(prefix string) string { // names, one of them twice
		var names strings.Builder
		for i := range 20_000 {
			names.WriteString(`"` + prefix + strconv.FormatInt(int64(i), 36) + `":0,`)
		}
		return `{` + names.String() + `"` + prefix + `0":0}`
	}
	for name, text := range map[string]string{
		"many names":         many(``),
		"many escaped names": many(`\u0041`),
		"many objects":       `{"a":[` + strings.Repeat(`{},`, 100_000) + `{"b":0,"b":0}]}`,
		"deep":               strings.Repeat(`{"a":`, 100_000),
		"deep and whole":     strings.Repeat(`[`, 9_000) + strings.Repeat(`]`, 9_000),
		"long string":        `{"a":"` + strings.Repeat(`\ud83d\ude42`, 20_000) + `\ud83d"}`,
		"too long":           strings.Repeat(" ", wire.MaxJSON+1),
	} {
		t.Run(name, func(t *testing.T) {
			b := []byte(text)
			perRun := allocatedBytes(3, func() {
				if _, err := wire.ParseChatEvent(b); !errors.Is(err, wire.ErrJSON) {
					t.Fatal(err)
				}
			})
			require.Less(t, perRun, 64*len(b)+4096)
		})
	}
}

func TestNotificationMember(t *testing.T) {
	n, err := wire.ParseNotification([]byte(`{"n": {"id":1} , "\u0069d" :18446744073709551615,"ID":"x"}`))
	require.NoError(t, err)
	raw, ok := n.Member("id")
	require.True(t, ok)
	require.Equal(t, `18446744073709551615`, string(raw))
	id, err := wire.ParseID(raw)
	require.NoError(t, err)
	require.Equal(t, wire.NumberID(1<<64-1), id)
	raw, ok = n.Member("n")
	require.True(t, ok)
	require.Equal(t, `{"id":1}`, string(raw))
	_, ok = n.Member("Id")
	require.False(t, ok)
	_, ok = wire.Notification{}.Member("id")
	require.False(t, ok)
}

func TestID(t *testing.T) {
	for text, want := range map[string]wire.ID{
		`"a"`: wire.TextID("a"), ` "\u0061" `: wire.TextID("a"), `""`: wire.TextID(""), `"7"`: wire.TextID("7"),
		`7`: wire.NumberID(7), `0`: wire.NumberID(0), `9007199254740993`: wire.NumberID(1<<53 + 1),
		`18446744073709551615`: wire.NumberID(1<<64 - 1),
	} {
		id, err := wire.ParseID([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, id)
		again, err := wire.ParseID([]byte(id.String()))
		require.NoError(t, err)
		require.Equal(t, id, again)
	}
	for _, text := range []string{`null`, `true`, `-1`, `-0`, `1.0`, `1e3`, `18446744073709551616`, `[]`, `{}`} {
		_, err := wire.ParseID([]byte(text))
		require.ErrorIs(t, err, wire.ErrMember, text)
	}
	s, ok := wire.TextID("a").Text()
	require.True(t, ok)
	require.Equal(t, "a", s)
	_, ok = wire.TextID("a").Number()
	require.False(t, ok)
	n, ok := wire.NumberID(3).Number()
	require.True(t, ok)
	require.Equal(t, uint64(3), n)
	_, ok = wire.NumberID(3).Text()
	require.False(t, ok)
	require.Equal(t, "null", wire.ID{}.String())
	require.NotEqual(t, wire.NumberID(0), wire.ID{})
	require.NotEqual(t, wire.TextID(""), wire.ID{})
}

// strictOracle reads JSON token by token, slowly: it returns the members of an object, or what is wrong. It does
// not know of half surrogate pairs.
func strictOracle(text []byte) (map[string]json.RawMessage, error) {
	bad := errors.New("bad")
	if len(text) > wire.MaxJSON || !utf8.Valid(text) {
		return nil, bad
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value func(depth int) error
	value = func(depth int) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		delim, ok := token.(json.Delim)
		if !ok {
			return nil
		}
		if depth > wire.MaxJSONDepth {
			return bad
		}
		seen := map[string]bool{}
		for d.More() {
			if delim == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				if seen[name.(string)] {
					return bad
				}
				seen[name.(string)] = true
			}
			if err := value(depth + 1); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	}
	if err := value(1); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, bad
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(text, &members)
	return members, err
}

// FuzzJSON compares what is accepted with the oracle, and takes each kind of body through its encoder.
func FuzzJSON(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(badTexts)) {
		if len(badTexts[name]) < 1000 {
			f.Add([]byte(badTexts[name]))
		}
	}
	for _, e := range chatEvents {
		f.Add([]byte(e.text))
	}
	f.Add([]byte(matched))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := wire.ParseNotification(text)
		members, oracleErr := strictOracle(text)
		halves := bytes.Contains(bytes.ToLower(text), []byte(`\ud`))
		accepted := oracleErr == nil && members != nil
		if (err == nil && !accepted) || (err != nil && accepted && !halves) {
			t.Fatalf("%v; oracle: %v", err, oracleErr)
		}
		if err == nil {
			for name, raw := range members {
				if got, ok := n.Member(name); !ok || !bytes.Equal(got, raw) {
					t.Fatalf("member %q is %s, not %s", name, got, raw)
				}
			}
		}

		if m, err := wire.ParseMatchmakerMatched(text); err == nil {
			b, err := wire.AppendMatchmakerMatched(nil, m)
			again, err2 := wire.ParseMatchmakerMatched(b)
			if err != nil || err2 != nil || again != m {
				t.Fatalf("%+v became %s (%v) and %+v (%v)", m, b, err, again, err2)
			}
		}
		if e, err := wire.ParseChatEvent(text); err == nil {
			b, err := wire.AppendChatEvent(nil, e)
			again, err2 := wire.ParseChatEvent(b)
			if err != nil || err2 != nil || !sameEvent(again, e) {
				t.Fatalf("%+v became %s (%v) and %+v (%v)", e, b, err, again, err2)
			}
			if twice, err := wire.AppendChatEvent(nil, again); err != nil || !bytes.Equal(twice, b) {
				t.Fatalf("%s became %s (%v)", b, twice, err)
			}
		}
	})
}

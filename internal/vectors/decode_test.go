package vectors

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type element struct {
	Name  string `json:"name"`
	Value U64    `json:"value"`
}

func TestReadArray(t *testing.T) {
	var names, raws []string
	n, err := readArray(strings.NewReader(`[
{"name":"a/1","value":"1"},
 {"id":"b-2"} , {"id":3}, {"name":""}, 7, [], "text"
]
`), func(name string, raw []byte) {
		names, raws = append(names, name), append(raws, string(raw))
	})
	require.NoError(t, err)
	require.Equal(t, 7, n)
	require.Equal(t, []string{"a/1", "b-2", "2", "3", "4", "5", "6"}, names)
	require.Equal(t, []string{`{"name":"a/1","value":"1"}`, `{"id":"b-2"}`, `{"id":3}`, `{"name":""}`, `7`, `[]`, `"text"`}, raws)
}

func TestReadArrayRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                "",
		"an object":              `{"a":1}`,
		"a string":               `"[]"`,
		"null":                   `null`,
		"an end that is missing": `[1,2`,
		"a cut element":          `[1,{"a":`,
		"a comma at the end":     `[1,]`,
		"the wrong bracket":      `[1}`,
		"trailing array":         `[1][2]`,
		"trailing bracket":       `[1]]`,
		"trailing text":          "[1]\n#",
		"trailing value":         "[1]\n0",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readArray(strings.NewReader(text), func(string, []byte) {})
			require.Error(t, err, text)
		})
	}

	n, err := readArray(strings.NewReader("[]\n"), func(string, []byte) {})
	require.NoError(t, err)
	require.Zero(t, n, "an empty array is counted as such; Each refuses it")

	_, err = readArray(strings.NewReader("[1"), func(string, []byte) {})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestReadObject(t *testing.T) {
	const whole, hollow = `{"a":[1],"b":{},"c":""}`, `{"a":[1],"b":[ ]}`
	raw, err := readObject(strings.NewReader(whole), true)
	require.NoError(t, err)
	require.Equal(t, whole, string(raw))

	_, err = readObject(strings.NewReader(hollow), true)
	require.ErrorContains(t, err, `"b"`)
	_, err = readObject(strings.NewReader(hollow), false)
	require.NoError(t, err)

	for _, text := range []string{"", "null", "[]", "1", `{"a":1}}`, `{"a":1}{}`, `{"a":`} {
		_, err := readObject(strings.NewReader(text), false)
		require.Error(t, err, text)
	}
}

func TestDecodeIsStrict(t *testing.T) {
	got, err := decode[element]([]byte(`{"name":"n","value":"5"}`))
	require.NoError(t, err)
	require.Equal(t, element{"n", 5}, got)

	_, err = decode[element]([]byte(`{"name":"n","valeu":"5"}`))
	require.ErrorContains(t, err, "valeu")
	_, err = decode[struct{ List []element }]([]byte(`{"list":[{"name":"n","extra":1}]}`))
	require.ErrorContains(t, err, "extra", "unknown fields are found at any depth")
	_, err = decode[element]([]byte(`{"name":7}`))
	require.Error(t, err)
	_, err = decode[element]([]byte(`{"name":"n"} 0`))
	require.Error(t, err)
	_, err = decode[element](nil)
	require.Error(t, err)
}

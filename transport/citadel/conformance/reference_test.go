package conformance

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// The reference page of the wire format holds examples and tables for people who write a peer in another
// language. What is wrong there costs them days, so nothing there is taken on trust.
const referencePage = "../../../docs/wire.md"

// block is a fenced block of the page.
type pageBlock struct {
	info  []string // the words behind the fence
	lines []string
	line  int // of the fence, from 1
}

func (b pageBlock) name() string { return fmt.Sprintf("line %d %s", b.line, strings.Join(b.info, " ")) }

// rows returns the block's lines, each cut where two or more spaces are.
func (b pageBlock) rows() (rows [][]string) {
	for _, l := range b.lines {
		rows = append(rows, columns.Split(l, -1))
	}
	return rows
}

var columns = regexp.MustCompile(` {2,}`)

// readPage returns the page's text outside of fenced blocks, by line, and the blocks.
func readPage(t *testing.T) (text []string, blocks []pageBlock) {
	t.Helper()
	page, err := os.ReadFile(referencePage)
	require.NoError(t, err)
	require.True(t, utf8.Valid(page))
	var open *pageBlock
	for i, l := range strings.Split(string(page), "\n") {
		fence, isFence := strings.CutPrefix(l, "```")
		switch {
		case open != nil && isFence:
			require.Empty(t, fence, "line %d: end of the block of line %d", i+1, open.line)
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.lines = append(open.lines, l)
		case isFence:
			open = &pageBlock{info: strings.Fields(fence), line: i + 1}
			require.NotEmpty(t, open.info, "line %d: what is in this block?", i+1)
		default:
			text = append(text, l)
		}
	}
	require.Nil(t, open, "a block without end")
	return text, blocks
}

// TestConformanceReferenceBodies decodes every example of a body and encodes it again.
func TestConformanceReferenceBodies(t *testing.T) {
	_, blocks := readPage(t)
	shown := map[wire.Kind]bool{}
	for _, b := range blocks {
		if b.info[0] != "wire" && b.info[0] != "json" {
			continue
		}
		t.Run(b.name(), func(t *testing.T) {
			// Kinds that have the same body may share an example.
			require.Equal(t, 1, len(b.info)%2)
			for pair := range slices.Chunk(b.info[1:], 2) {
				kind := pageKind(t, pair[0])
				info, ok := kind.Info()
				require.True(t, ok)
				require.Equal(t, info.Name, pair[1])
				shown[kind] = true
				testBody(t, kind, pair[0], b)
			}
		})
	}
	for kind := wire.KindPosition; kind <= wire.KindRoomReject; kind++ {
		require.True(t, shown[kind], "no example of %v", kind)
	}
	for _, kind := range []wire.Kind{wire.KindSession, wire.KindSessionPart, wire.KindGoodbye} {
		require.True(t, shown[kind], "no example of %v", kind)
	}
}

// pageKind reads the number of a kind.
func pageKind(t *testing.T, number string) wire.Kind {
	t.Helper()
	n, err := strconv.ParseUint(number, 0, 16)
	require.NoError(t, err)
	return wire.Kind(n)
}

// testBody decodes the example in a block as the body of a kind.
func testBody(t *testing.T, kind wire.Kind, number string, b pageBlock) {
	body, want := example(t, b)
	format, ok := bodyFormats[number]
	require.True(t, ok, "nothing decodes kind %v", kind)
	value, again, err := format(t, body)
	require.NoError(t, err)
	require.Equal(t, want, render(value))
	require.Equal(t, hex.EncodeToString(body), hex.EncodeToString(again))

	frame, err := wire.AppendFramed(nil, kind, body)
	require.NoError(t, err)
	e, size, err := wire.ParseFramed(frame)
	require.NoError(t, err)
	require.Equal(t, len(frame), size)
	require.Equal(t, wire.Envelope{Kind: kind, Body: body}, e)
}

// example returns the body that a block shows and what it says that the body means.
func example(t *testing.T, b pageBlock) (body []byte, want string) {
	t.Helper()
	at := slices.IndexFunc(b.lines, func(l string) bool { return strings.HasPrefix(l, "= ") })
	require.Positive(t, at, "no decoded value")
	var parts []string
	for _, l := range b.lines[at:] {
		part, ok := strings.CutPrefix(l, "= ")
		require.True(t, ok, "line %q behind the value", l)
		parts = append(parts, part)
	}
	want = strings.Join(parts, " ")
	if b.info[0] == "json" {
		return []byte(strings.Join(b.lines[:at], "\n")), want
	}
	return bitsOf(t, b.lines[:at]), want
}

// bitsOf joins the first columns of lines: hex digits, or bits behind a percent sign.
func bitsOf(t *testing.T, lines []string) []byte {
	t.Helper()
	var w bitpack.Writer
	for _, l := range lines {
		code := columns.Split(l, 2)[0]
		digits, base, width := code, 16, uint(4)
		if bin, ok := strings.CutPrefix(code, "%"); ok {
			digits, base, width = bin, 2, 1
		} else {
			require.Zero(t, len(code)%2, "half a byte in %q", l)
		}
		for _, d := range digits {
			v, err := strconv.ParseUint(string(d), base, 8)
			require.NoError(t, err, "in %q", l)
			w.WriteBits(v, width)
		}
	}
	require.NoError(t, w.Err())
	return w.Bytes()
}

// render writes a decoded value as the page does: structs and lists without what is zero, text in quotes, other
// bytes in hex.
func render(v any) string { return renderValue(reflect.ValueOf(v)) }

func renderValue(v reflect.Value) string {
	if list, ok := v.Interface().(members); ok {
		parts := make([]string, len(list))
		for i, m := range list {
			parts[i] = m.name + ":" + render(m.value)
		}
		return "{" + strings.Join(parts, " ") + "}"
	}
	if raw, ok := v.Interface().(json.RawMessage); ok {
		return string(raw)
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return renderValue(v.Elem())
	case reflect.Float32:
		return strconv.FormatFloat(v.Float(), 'g', -1, 32)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return renderBytes(v)
		}
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = renderValue(v.Index(i))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				return v.Interface().(fmt.Stringer).String()
			}
			if x := v.Field(i); !x.IsZero() && (x.Kind() != reflect.Slice || x.Len() > 0) {
				parts = append(parts, f.Name+":"+renderValue(x))
			}
		}
		return "{" + strings.Join(parts, " ") + "}"
	case reflect.String:
		return strconv.Quote(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10) // not by name: the names are Ariadne's
}

func renderBytes(v reflect.Value) string {
	b := make([]byte, v.Len())
	reflect.Copy(reflect.ValueOf(b), v)
	hidden := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if v.Kind() == reflect.Array || strings.ContainsFunc(string(b), hidden) {
		return hex.EncodeToString(b)
	}
	return `"` + string(b) + `"`
}

// members is a value whose members have names that no struct has.
type members []member

type member struct {
	name  string
	value any
}

// TestConformanceReferenceVerdicts tries the bodies that the page says are refused, or accepted although they
// look wrong.
func TestConformanceReferenceVerdicts(t *testing.T) {
	_, blocks := readPage(t)
	refused, accepted := 0, 0
	for _, b := range blocks {
		if b.info[0] != "refused" && b.info[0] != "accepted" {
			continue
		}
		for _, row := range b.rows() {
			t.Run(b.info[0]+" "+strings.Join(row, " "), func(t *testing.T) {
				require.Len(t, row, 4)
				format, ok := bodyFormats[row[0]]
				require.True(t, ok, "nothing decodes %q", row[0])
				body := hexColumn(t, row[1])
				_, again, err := format(t, body)
				if b.info[0] == "refused" {
					refused++
					require.Contains(t, errorClasses, row[2])
					require.True(t, errorIs(err, row[2]), "%v is not %s", err, row[2])
					return
				}
				accepted++
				require.NoError(t, err)
				if row[2] == "same" {
					require.Equal(t, row[1], hex.EncodeToString(again))
					return
				}
				require.Equal(t, row[2], hex.EncodeToString(again))
				require.NotEqual(t, row[1], row[2])
			})
		}
	}
	require.Positive(t, refused)
	require.Positive(t, accepted)
}

// hexColumn reads a column of bytes, in which a dash stands for none.
func hexColumn(t *testing.T, s string) []byte {
	t.Helper()
	if s == "-" {
		return []byte{}
	}
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

var kindRow = regexp.MustCompile(`^\| (\d+|0x[0-9A-F]+) \| ([a-z0-9_]+) \| ([a-z ]+) \| ([a-z ]+) \| \[.*\]\(#.*\) \|$`)

// TestConformanceReferenceKinds compares the table of kinds with the catalog.
func TestConformanceReferenceKinds(t *testing.T) {
	text, _ := readPage(t)
	listed := map[wire.Kind]bool{}
	for _, l := range text {
		m := kindRow.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		kind := pageKind(t, m[1])
		require.False(t, listed[kind], "%v twice", kind)
		listed[kind] = true
		info, ok := kind.Info()
		require.True(t, ok, "%s is not in the catalog", m[2])
		require.Equal(t, []string{info.Name, info.Direction.String(), info.Delivery.String()}, m[2:])
	}
	for k := range 1 << 16 {
		_, ok := wire.Kind(k).Info()
		require.Equal(t, ok, listed[wire.Kind(k)], "kind %d", k)
	}
}

var limitRow = regexp.MustCompile(`^\| ([a-z ]+) \| (\d+) \| `)

// TestConformanceReferenceLimits compares the table of limits with the code. Package citadel is read, not
// imported: it does not exist on all platforms that this test runs on.
func TestConformanceReferenceLimits(t *testing.T) {
	limits := map[string]uint64{
		"frame length":      wire.MaxFrameBody,
		"frame body":        wire.MaxBody,
		"text length":       wire.MaxString,
		"input frames":      tsync.MaxInputFrames,
		"snapshot list":     snapshotList(t),
		"snapshot target":   tsync.MaxSnapshotBytes,
		"varint groups":     uint64(len(bitpack.AppendVarint(nil, math.MaxUint64))),
		"layout fields":     schema.MaxFields,
		"bytes field":       netpeer.MaxBytes,
		"collection list":   netpeer.MaxItems,
		"decode budget":     netpeer.MaxAlloc,
		"coalesced bunches": netpeer.MaxBunches,
		"ack entries":       netpeer.MaxEntries,
		"schema entries":    netpeer.MaxEntries,
		"spawns":            wire.MaxSpawnBatch,
		"json":              wire.MaxJSON,
		"token":             citadelDefault(t, "DefaultMaxTokenBytes"),
		"session envelope":  citadelDefault(t, "DefaultMaxSessionEnvelope"),
		"session frame":     citadelDefault(t, "DefaultMaxSessionFrame"),
	}
	text, _ := readPage(t)
	start := slices.Index(text, "## Limits")
	require.GreaterOrEqual(t, start, 0)
	for _, l := range text[start+1:] {
		if strings.HasPrefix(l, "## ") {
			break
		}
		if m := limitRow.FindStringSubmatch(l); m != nil {
			want, ok := limits[m[1]]
			require.True(t, ok, "limit %q is unknown, or there twice", m[1])
			require.Equal(t, strconv.FormatUint(want, 10), m[2], m[1])
			delete(limits, m[1])
		}
	}
	require.Empty(t, limits, "limits that the page does not have")
}

// snapshotList returns how long the lists of a snapshot may be.
func snapshotList(t *testing.T) uint64 {
	c, err := tsync.NewCodec(tsync.DefaultHello())
	require.NoError(t, err)
	ids := make([]uint32, math.MaxUint16+1)
	_, err = c.AppendSnapshot(nil, &tsync.Snapshot{Removed: ids})
	require.ErrorIs(t, err, wire.ErrCount)
	_, err = c.AppendSnapshot(nil, &tsync.Snapshot{Removed: ids[1:]})
	require.NoError(t, err)
	return uint64(len(ids[1:]))
}

// citadelSource returns a file of package citadel.
func citadelSource(t *testing.T, file string) string {
	source, err := os.ReadFile("../" + file)
	require.NoError(t, err)
	return string(source)
}

// citadelDefault returns the value of a default that package citadel has.
func citadelDefault(t *testing.T, name string) uint64 {
	m := regexp.MustCompile(`\b` + name + `\s*= (\d+) << (\d+)\n`).FindStringSubmatch(citadelSource(t, "config.go"))
	require.NotNil(t, m, name)
	v, err := strconv.ParseUint(m[1], 10, 32)
	require.NoError(t, err)
	shift, err := strconv.ParseUint(m[2], 10, 6)
	require.NoError(t, err)
	return v << shift
}

// TestConformanceReferenceConnections looks for what the page says about connections in package citadel.
func TestConformanceReferenceConnections(t *testing.T) {
	text, _ := readPage(t)
	page := strings.Join(text, "\n")
	alpn := regexp.MustCompile(`const ALPN = "(.*)"`).FindStringSubmatch(citadelSource(t, "config.go"))
	require.NotNil(t, alpn)
	require.Contains(t, page, "ALPN `"+alpn[1]+"`")
	require.Regexp(t, `DefaultHandshakeTimeout\s*= 5 \* time.Second`, citadelSource(t, "config.go"))
	require.Contains(t, page, "| timeouts | 5 s for the handshake")

	sent := map[uint64]bool{}
	codes := regexp.MustCompile(`(?m)^\s+Code[A-Z]\w*\s+Code = (\w+)(.*)$`).FindAllStringSubmatch(citadelSource(t, "errors.go"), -1)
	for _, m := range codes {
		if !strings.Contains(m[2], "never sent") {
			code, err := strconv.ParseUint(m[1], 0, 32)
			require.NoError(t, err)
			sent[code] = true
		}
	}
	_, table, ok := strings.Cut(page, "| code | meaning |\n| --- | --- |\n")
	require.True(t, ok)
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[uint64]bool{}
	for _, l := range strings.Split(table, "\n") {
		for _, digits := range regexp.MustCompile(`\d+`).FindAllString(strings.Split(l, "|")[1], -1) {
			code, err := strconv.ParseUint(digits, 10, 32)
			require.NoError(t, err)
			listed[code] = true
		}
	}
	require.Equal(t, sent, listed)
}

// TestConformanceReferenceLinks follows the links within the page, and to files of the repository.
func TestConformanceReferenceLinks(t *testing.T) {
	text, _ := readPage(t)
	anchors := map[string]bool{}
	for _, l := range text {
		if title, ok := strings.CutPrefix(l, "## "); ok {
			anchors["#"+strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(title), "'", ""), " ", "-")] = true
		}
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(strings.Join(text, "\n"), -1)
	require.NotEmpty(t, links)
	for _, m := range links {
		if strings.HasPrefix(m[1], "#") {
			require.Contains(t, anchors, m[1])
			continue
		}
		_, err := os.Stat("../../../docs/" + m[1])
		require.NoError(t, err)
	}
}

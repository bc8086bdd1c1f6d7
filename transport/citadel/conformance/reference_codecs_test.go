package conformance

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// codecBlocks are the tests of blocks about pieces of bodies, by the word behind "codec".
var codecBlocks = map[string]func(t *testing.T, b pageBlock){
	"framed":    rowTest(framedRow),
	"datagram":  rowTest(datagramRow),
	"bits":      rowTest(bitsRow),
	"varint":    rowTest(varintRow),
	"scalar":    rowTest(scalarRow),
	"vector":    rowTest(vectorRow),
	"quat":      rowTest(quatRow),
	"window":    rowTest(windowRow),
	"tracker":   trackerBlock,
	"layout":    layoutBlock,
	"preimage":  preimageBlock,
	"budget":    rowTest(budgetRow),
	"coalesced": coalescedBlock,
}

// TestConformanceReferenceCodecs computes every example of a piece of a body.
func TestConformanceReferenceCodecs(t *testing.T) {
	_, blocks := readPage(t)
	shown := map[string]bool{}
	for _, b := range blocks {
		switch b.info[0] {
		case "codec":
			t.Run(b.name(), func(t *testing.T) {
				test, ok := codecBlocks[b.info[1]]
				require.True(t, ok)
				shown[b.info[1]] = true
				test(t, b)
			})
		case "wire", "json", "refused", "accepted", "text": // the last for formulas
		default:
			t.Errorf("%s: nothing tests this", b.name())
		}
	}
	for name := range codecBlocks {
		require.True(t, shown[name], "no example of %s", name)
	}
}

// rowTest tests a block with a line of headings and a row for each example. How many columns are given, and
// what the others should be, is for the function to say.
func rowTest(row func(t *testing.T, row []string) []string) func(*testing.T, pageBlock) {
	return func(t *testing.T, b pageBlock) {
		rows := b.rows()
		require.Greater(t, len(rows), 1)
		for _, r := range rows[1:] {
			require.Equal(t, r, row(t, r))
		}
	}
}

// pageClass is what the conformance data calls an error.
func pageClass(t *testing.T, err error) string {
	t.Helper()
	for name := range errorClasses {
		if errorIs(err, name) {
			return name
		}
	}
	t.Fatalf("%v has no class", err)
	return ""
}

// pageHex writes bytes, or a word for none.
func pageHex(none string, b []byte) string {
	if len(b) == 0 {
		return none
	}
	return hex.EncodeToString(b)
}

func framedRow(t *testing.T, row []string) []string {
	b := hexColumn(t, row[0])
	e, n, err := wire.ParseFramed(b)
	switch {
	case err != nil:
		return []string{row[0], pageClass(t, err)}
	case n == 0:
		return []string{row[0], "need more"}
	}
	return []string{row[0], fmt.Sprintf("kind %d, body %s, %d bytes left", uint16(e.Kind), pageHex("empty", e.Body), len(b)-n)}
}

func datagramRow(t *testing.T, row []string) []string {
	e, err := wire.ParseDatagram(hexColumn(t, row[0]))
	if err != nil {
		return []string{row[0], pageClass(t, err)}
	}
	return []string{row[0], fmt.Sprintf("kind %d, body %s", uint16(e.Kind), pageHex("empty", e.Body))}
}

func bitsRow(t *testing.T, row []string) []string {
	var w bitpack.Writer
	for _, write := range strings.Fields(row[0]) {
		var v uint64
		var n uint
		_, err := fmt.Sscanf(write, "%d:%d", &v, &n)
		require.NoError(t, err)
		w.WriteBits(v, n)
	}
	require.NoError(t, w.Err())
	return []string{row[0], hex.EncodeToString(w.Bytes())}
}

// varintRow reads a varint as bytes and, one bit off, as bits.
func varintRow(t *testing.T, row []string) []string {
	b := hexColumn(t, row[0])
	v, n, err := bitpack.Varint(b)

	var w bitpack.Writer
	w.WriteBits(1, 1)
	w.WriteBytes(b)
	var r bitpack.Reader
	r.ResetBits(w.Bytes(), w.Len())
	_, _ = r.ReadBits(1)
	inBits, bitErr := r.ReadVarint()
	require.Equal(t, err, bitErr)
	require.Equal(t, v, inBits)

	if err != nil {
		return []string{row[0], pageClass(t, err)}
	}
	require.Equal(t, len(b), n)
	require.Equal(t, b, bitpack.AppendVarint(nil, v))
	return []string{row[0], strconv.FormatUint(v, 10)}
}

// pageFloats reads the numbers in words.
func pageFloats(t *testing.T, words []string) (fs []float32) {
	t.Helper()
	for _, word := range words {
		f, err := strconv.ParseFloat(word, 32)
		require.NoError(t, err)
		fs = append(fs, float32(f))
	}
	return fs
}

func pageUint32(t *testing.T, word string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(word, 10, 32)
	require.NoError(t, err)
	return uint32(n)
}

func scalarRow(t *testing.T, row []string) []string {
	spec := strings.Fields(row[0])
	bounds := pageFloats(t, spec[:2])
	s, err := quant.NewScalar(bounds[0], bounds[1], pageUint32(t, spec[2]))
	require.NoError(t, err)
	_, err = s.Decode(s.MaxCode() + 1)
	require.ErrorIs(t, err, quant.ErrInvalidCode)
	code, err := s.Encode(pageFloats(t, row[1:2])[0])
	if err != nil {
		return []string{row[0], row[1], pageClass(t, err)}
	}
	back, err := s.Decode(code)
	require.NoError(t, err)
	return []string{row[0], row[1], fmt.Sprint(code), fmt.Sprintf("%0*b", s.Bits(), code), render(back)}
}

func vectorRow(t *testing.T, row []string) []string {
	spec := strings.Fields(row[0])
	b := pageFloats(t, spec[:6])
	v, err := quant.NewVector([3]float32(b[:3]), [3]float32(b[3:]), pageUint32(t, spec[6]))
	require.NoError(t, err)
	codes, err := v.Encode([3]float32(pageFloats(t, strings.Fields(row[1]))))
	require.NoError(t, err)
	var w bitpack.Writer
	for i, code := range codes {
		w.WriteBits(code, v[i].Bits())
	}
	back, err := v.Decode(codes)
	require.NoError(t, err)
	return []string{row[0], row[1], plainList(codes), hex.EncodeToString(w.Bytes()), plainList(back)}
}

func quatRow(t *testing.T, row []string) []string {
	m := quant.QuatMode(pageUint32(t, row[0]))
	require.NoError(t, m.Check())
	q := [4]float32(pageFloats(t, strings.Fields(row[1])))
	index, codes := m.EncodeComponents(q)
	var w bitpack.Writer
	w.WriteBits(m.Encode(q), m.Bits())
	back := m.Decode(m.Encode(q))
	return []string{row[0], row[1], fmt.Sprint(index), plainList(codes), hex.EncodeToString(w.Bytes()), plainList(back)}
}

// plainList writes a list without brackets.
func plainList(list any) string { return strings.Trim(render(list), "[]") }

func windowRow(t *testing.T, row []string) []string {
	var w baseline.Window[uint32]
	for _, word := range strings.Fields(row[0]) {
		w.Add(pageUint32(t, word))
	}
	latest, history := w.Wire()
	_, err := baseline.FromWire(latest, history)
	require.NoError(t, err)
	return []string{row[0], fmt.Sprint(latest), fmt.Sprintf("%08x", history)}
}

// trackerBlock runs the steps of a block with one tracker.
func trackerBlock(t *testing.T, b pageBlock) {
	var tr baseline.Tracker[uint64]
	for _, row := range b.rows()[1:] {
		require.Len(t, row, 2)
		words := strings.Fields(row[0])
		id, err := strconv.ParseUint(words[1], 10, 64)
		require.NoError(t, err)
		switch words[0] {
		case "issue":
			require.NoError(t, tr.Issue(id))
		case "ack":
			history, err := strconv.ParseUint(words[2], 16, 32)
			require.NoError(t, err)
			w, err := baseline.FromWire(id, uint32(history))
			require.NoError(t, err)
			tr.Ack(w)
		default:
			t.Fatalf("what is %q?", row[0])
		}
		base, _ := tr.Baseline()
		require.Equal(t, row[1], fmt.Sprint(base), "%s", row[0])
	}
}

// heroLayout reads the class of the page's examples from its table: a heading, a row for each property, and the
// digest.
func heroLayout(t *testing.T) (l schema.Layout, b pageBlock) {
	t.Helper()
	_, blocks := readPage(t)
	at := slices.IndexFunc(blocks, func(b pageBlock) bool { return strings.HasPrefix(strings.Join(b.info, " "), "codec layout ") })
	require.GreaterOrEqual(t, at, 0)
	b = blocks[at]
	l.Version = pageVersion(t, b.info[3])
	rows := b.rows()
	for i, row := range rows[1 : len(rows)-1] {
		require.Len(t, row, 10)
		require.Equal(t, strconv.Itoa(i), row[0])
		var tags [4]uint64
		for k := range tags {
			tag, err := strconv.ParseUint(row[2+k], 10, 16)
			require.NoError(t, err)
			tags[k] = tag
		}
		l.Properties = append(l.Properties, schema.Property{
			Name: row[1], Type: schema.Type(tags[0]), Codec: schema.CodecID(tags[1]),
			Condition: schema.Condition(tags[2]), Authority: schema.Authority(tags[3]), Bounds: pageBounds(t, row[6]),
		})
	}
	return l, b
}

func pageVersion(t *testing.T, word string) uint32 {
	t.Helper()
	n, ok := strings.CutPrefix(word, "version=")
	require.True(t, ok)
	return pageUint32(t, n)
}

func pageBounds(t *testing.T, column string) schema.Bounds {
	t.Helper()
	words := strings.Fields(column)
	switch words[0] {
	case "-":
		return schema.NoBounds
	case "int":
		var min, max int64
		_, err := fmt.Sscan(strings.Join(words[1:], " "), &min, &max)
		require.NoError(t, err)
		return schema.IntRange(min, max)
	case "scalar":
		r := pageFloats(t, words[1:3])
		return schema.ScalarRange(r[0], r[1], pageUint32(t, words[3]))
	case "max_len":
		return schema.MaxLen(pageUint32(t, words[1]))
	case "max_cardinality":
		return schema.MaxCardinality(pageUint32(t, words[1]))
	}
	t.Fatalf("what bounds are %q?", column)
	return schema.Bounds{}
}

// layoutBlock compares the hashes of a layout, and that it makes sense.
func layoutBlock(t *testing.T, b pageBlock) {
	l, same := heroLayout(t)
	require.Equal(t, b, same, "a second layout")
	require.NoError(t, l.Validate())
	rows := b.rows()
	for i, p := range l.Properties {
		want := []string{fmt.Sprintf("%016x", schema.NameKey(p.Name)), fmt.Sprintf("%016x", p.Bounds.Shape()), fmt.Sprintf("%016x", p.Shape())}
		require.Equal(t, want, rows[1+i][7:], p.Name)
	}
	digest, err := l.Hash()
	require.NoError(t, err)
	require.Equal(t, []string{"digest", digest.String()}, rows[len(rows)-1])
}

// preimageBlock compares what is hashed of a layout that has one property of the table's, and the digest.
func preimageBlock(t *testing.T, b pageBlock) {
	all, _ := heroLayout(t)
	at := slices.IndexFunc(all.Properties, func(p schema.Property) bool { return p.Name == b.info[3] })
	require.GreaterOrEqual(t, at, 0)
	l := schema.Layout{Version: pageVersion(t, b.info[2]), Properties: all.Properties[at : at+1]}
	fields, err := l.AppendFields(nil)
	require.NoError(t, err)
	image, err := schema.AppendPreimage(nil, l.Version, fields)
	require.NoError(t, err)
	shown, want := example(t, b)
	require.Equal(t, hex.EncodeToString(shown), hex.EncodeToString(image))
	digest, err := l.Hash()
	require.NoError(t, err)
	require.Equal(t, want, digest.String())
}

// budgetRow finds what a bunch costs: the least budget with which it decodes.
func budgetRow(t *testing.T, row []string) []string {
	s, _ := hero(t)
	body := hexColumn(t, row[0])
	var b netpeer.Bunch
	for units := 0; ; units++ {
		budget := netpeer.NewBudget(units)
		err := netpeer.ParseBunch(body, s, &budget, &b)
		if errors.Is(err, netpeer.ErrBudget) {
			continue
		}
		require.NoError(t, err)
		require.Zero(t, budget.Left())
		return []string{row[0], fmt.Sprint(units)}
	}
}

// coalescedBlock decodes a coalesced list as if it were a body.
func coalescedBlock(t *testing.T, b pageBlock) {
	body, want := example(t, b)
	value, again, err := bodyFormats["13list"](t, body)
	require.NoError(t, err)
	require.Equal(t, want, render(value))
	require.Equal(t, body, again)

	_, _, err = bodyFormats["13list"](t, append(body, 0))
	require.Error(t, err)
	require.True(t, errors.Is(err, wire.ErrTooShort))
}

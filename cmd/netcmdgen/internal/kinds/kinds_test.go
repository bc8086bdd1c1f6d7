package kinds

import (
	"encoding"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/kinds/geom"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/registry/payload"
)

// codec is what every command has.
type codec interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// kind is a command type with generated methods.
type kind struct {
	name  string
	fixed int // the size of a value, or -1
	most  int // that of the largest value
	zero  func() codec
}

func fixed[T any, P interface {
	*T
	codec
}](size int) kind {
	return kind{reflect.TypeFor[T]().Name(), size, size, func() codec { return P(new(T)) }}
}

func varying[T any, P interface {
	*T
	codec
}](most int) kind {
	return kind{reflect.TypeFor[T]().Name(), -1, most, func() codec { return P(new(T)) }}
}

var all = []kind{
	fixed[Basics](BasicsBinarySize),
	fixed[Numbers](NumbersBinarySize),
	fixed[Nested](NestedBinarySize),
	fixed[Ping](PingBinarySize),
	fixed[Score](ScoreBinarySize),
	fixed[Ready](ReadyBinarySize),
	fixed[Zoom](ZoomBinarySize),
	fixed[Letter](LetterBinarySize),
	fixed[Board](BoardBinarySize),
	fixed[Grid](GridBinarySize),
	fixed[secret](secretBinarySize),
	fixed[Limited](LimitedBinarySize),
	fixed[Step](StepBinarySize),
	fixed[Probe](ProbeBinarySize),
	varying[Varying](VaryingMaxBinarySize),
	varying[Say](SayMaxBinarySize),
	varying[Names](NamesMaxBinarySize),
	varying[Route](RouteMaxBinarySize),
	varying[Tour](TourMaxBinarySize),
	varying[Wrapped](WrappedMaxBinarySize),
	varying[Squad](SquadMaxBinarySize),
}

// valueOf returns the value behind a codec, which can be set.
func valueOf(c codec) reflect.Value { return reflect.ValueOf(c).Elem() }

// random returns a codec around a random value.
func (k kind) random(r *rand.Rand, sane bool) codec {
	c := k.zero()
	fill(r, valueOf(c), "", sane)
	return c
}

func appended(t testing.TB, c codec) []byte {
	t.Helper()
	b, err := c.AppendBinary(nil)
	require.NoError(t, err)
	return b
}

// comparable reports whether equal values of the type are deeply equal.
func (k kind) comparable() bool { return k.name != "Wrapped" } // functions are not

func TestRoundTrip(t *testing.T) {
	for i, k := range all {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for round := range 200 {
				sane := round%2 == 0
				v := k.random(r, sane)
				want := oracle(t, []byte("kept"), valueOf(v), "")
				got, err := v.AppendBinary([]byte("kept"))
				require.NoError(t, err)
				require.Equal(t, want, got)
				want = want[len("kept"):]

				if s, ok := v.(interface{ BinarySize() int }); ok {
					require.Equal(t, len(want), s.BinarySize())
				} else {
					require.True(t, strings.HasPrefix(k.name, "Varying") || k.name == "Wrapped")
				}
				if k.fixed >= 0 {
					require.Len(t, want, k.fixed)
				}
				require.LessOrEqual(t, len(want), k.most)

				// Into a value that is something else already.
				back := k.random(r, sane)
				input := slices.Clone(want)
				require.NoError(t, back.UnmarshalBinary(input))
				for i := range input {
					input[i] = ^input[i] // nothing of it may be kept
				}
				require.Equal(t, string(want), string(appended(t, back)))
				if sane && k.comparable() {
					require.Equal(t, v, back)
				}
			}
		})
	}
}

// A payload that was cut anywhere, or has something behind it, is refused, and the value stays what it was.
func TestWrongSizes(t *testing.T) {
	for i, k := range all {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			refused := func(p []byte, want error) {
				t.Helper()
				c := k.random(r, true)
				before := appended(t, c)
				err := c.UnmarshalBinary(p)
				e, ok := errors.AsType[*payload.Error](err)
				if !ok || !errors.Is(err, want) || e.Type != k.name {
					t.Fatalf("%d bytes: got %v, want %v", len(p), err, want)
				}
				require.Equal(t, before, appended(t, c))
			}
			for range 5 {
				p := appended(t, k.random(r, true))
				for n := range min(len(p), 2000) {
					refused(p[:n], payload.ErrShort)
				}
				refused(append(p, 0), payload.ErrTrailing)
				refused(append(p, make([]byte, 100)...), payload.ErrTrailing)
			}
		})
	}
}

// A payload with wrong bytes in it is refused, and the value stays what it was, or it is the encoding of another
// value, and of no value twice.
func TestWrongBytes(t *testing.T) {
	for i, k := range all {
		t.Run(k.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(i)))
			for range 500 {
				p := appended(t, k.random(r, true))
				for range 1 + r.IntN(3) {
					if len(p) > 0 {
						p[r.IntN(len(p))] = byte(r.Uint32())
					}
				}
				checkDecode(t, k, p)
			}
		})
	}
}

func checkDecode(t *testing.T, k kind, p []byte) {
	c := k.random(rand.New(rand.NewPCG(4, 5)), true)
	before := appended(t, c)
	err := c.UnmarshalBinary(p)
	if err == nil {
		// Not for netip.Addr, which has a second way of writing down some of its values.
		if k.name != "Varying" {
			require.Equal(t, string(p), string(appended(t, c)))
		}
		return
	}
	e, ok := errors.AsType[*payload.Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, k.name, e.Type)
	require.Equal(t, before, appended(t, c))
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(6, 7))
	for i, k := range all {
		f.Add(uint8(i), appended(f, k.random(r, true)))
	}
	f.Fuzz(func(t *testing.T, which uint8, p []byte) {
		checkDecode(t, all[int(which)%len(all)], p)
	})
}

// The bytes are part of the protocol.
func TestGoldenBytes(t *testing.T) {
	for _, c := range []struct {
		value codec
		want  string
	}{
		{&Basics{
			B: true, I8: -1, I16: -2, I32: -3, I64: -4, U8: 1, U16: 0x0102, U32: 0x01020304, U64: 0x0102030405060708,
			F32: 1, F64: -2, Flag: true, Tiny: -128, Small: 256, Middle: 1, Large: 2, Octet: 3, Word: 4, Quad: 5, Long: 6,
			Speed: 0.5, Exact: 0.25,
		}, "01 ff feff fdffffff fcffffffffffffff 01 0201 04030201 0807060504030201 0000803f 00000000000000c0" +
			"01 80 0001 01000000 0200000000000000 03 0400 05000000 0600000000000000 0000003f 000000000000d03f"},
		{&Numbers{ID: 7, Pos: geom.Vec{X: 1, Y: 2}, Cost: [4]uint16{1, 2, 3, 4}, Turn: geom.Left},
			"0700000000000000 0000803f 00000040 0100 0200 0300 0400 ff"},
		{&Step{Dir: West}, "03"},
		{&Ping{}, ""},
		{&Board{1, 2, 3}, "010203000000000000"},
		{new(Score(-2)), "feffffff"},
		{new(Ready(true)), "01"},
		{&Say{To: 9, Text: "hello"}, "09000000 05 68656c6c6f"},
		{&Names{{Text: "a", Turn: geom.Right}, {}, {Text: "bc", Turn: geom.Left}}, "01 61 01 00 00 02 6263 ff"},
		{&Varying{
			Channel: 1, Loud: true, Short: "s", Wide: "w", Long: "l", Bytes: []byte{1}, Blob: Blob{2, 3},
			Cells: []Cell{{4, 5, true}}, Path: Path{{}}, Numbers: []int16{-1}, Octets: []Octet{6}, Dirs: []Dir{West},
			Limited: []uint8{99}, Hashes: []Hash{{7}}, Matrix: [][2]uint32{{9, 10}},
			Lines: []Line{{Head: 11, Text: "x", Tail: Saw}}, Two: [2]Line{{Tail: Drill}, {Tail: Hammer}},
			Words: [2]string{"", "y"}, Last: 12,
		}, "01 01 01 73 0100 77 01000000 6c 01 01 02000000 0203 0100 040501 01 000000 01 ffff 01 06 01 03 01 63" +
			"01 070000000000 01 09000000 0a000000 01 0b00 01 78 0500 0000 00 0600 0000 00 d4fe" +
			"00 00 00 00 00 00 00 00 00 01 79 00 00 00 0000 0000 0c000000"},
	} {
		name := reflect.TypeOf(c.value).Elem().Name()
		want := strings.ReplaceAll(c.want, " ", "")
		require.Equal(t, want, hex.EncodeToString(appended(t, c.value)), name)
	}
}

// Values that are not allowed are refused when they are encoded and when they are decoded.
func TestLimits(t *testing.T) {
	good := func() *Limited {
		return &Limited{Tool: Drill, mood: calm, Turn: geom.Right, Above: 10, Most: 1 << 63, One: South}
	}
	p := appended(t, good())
	for _, c := range []struct {
		field string
		set   func(*Limited)
		at    int    // offset of the field
		bytes string // that encode the bad value
	}{
		{"Dir", func(l *Limited) { l.Dir = directions }, 0, "\x04"},
		{"Tool", func(l *Limited) { l.Tool = 7 }, 1, "\x07\x00"},
		{"Tool", func(l *Limited) { l.Tool = -301 }, 1, "\xd3\xfe"},
		{"Tool", func(l *Limited) { l.Tool = 0 }, 1, "\x00\x00"},
		{"mood", func(l *Limited) { l.mood = 2 }, 3, "\x02"},
		{"mood", func(l *Limited) { l.mood = 5 }, 3, "\x05"},
		{"Turn", func(l *Limited) { l.Turn = -2 }, 4, "\xfe"},
		{"Turn", func(l *Limited) { l.Turn = 2 }, 4, "\x02"},
		{"Below", func(l *Limited) { l.Below = 10 }, 5, "\x0a"},
		{"Above", func(l *Limited) { l.Above = 9 }, 6, "\x09"},
		{"Within", func(l *Limited) { l.Within = -6 }, 7, "\xfa\xff\xff\xff"},
		{"Within", func(l *Limited) { l.Within = 40001 }, 7, "\x41\x9c\x00\x00"},
		{"Least", func(l *Limited) { l.Least = 1 }, 11, "\x01\x00\x00\x00\x00\x00\x00\x00"},
		{"Most", func(l *Limited) { l.Most = 1<<63 - 1 }, 19, "\xff\xff\xff\xff\xff\xff\xff\x7f"},
		{"One", func(l *Limited) { l.One = East }, 28, "\x01"},
		{"One", func(l *Limited) { l.One = West }, 28, "\x03"},
		{"Dirs[]", func(l *Limited) { l.Dirs[2] = directions }, 31, "\x04"},
		{"Rows[][]", func(l *Limited) { l.Rows[1][1] = -2 }, 35, "\xfe"},
	} {
		bad := good()
		c.set(bad)
		out, err := bad.AppendBinary([]byte("kept"))
		check := func(doing string, err error) {
			e, ok := errors.AsType[*payload.Error](err)
			require.True(t, ok && errors.Is(err, payload.ErrRange), "%s %s: %v", doing, c.field, err)
			require.Equal(t, "Limited", e.Type)
			require.Equal(t, c.field, e.Field)
		}
		check("append", err)
		require.Equal(t, "kept", string(out))

		wrong := slices.Clone(p)
		copy(wrong[c.at:], c.bytes)
		l := Limited{Below: 77}
		check("decode", l.UnmarshalBinary(wrong))
		require.Equal(t, Limited{Below: 77}, l)
	}
	var ready Ready
	err := ready.UnmarshalBinary([]byte{2})
	require.ErrorIs(t, err, payload.ErrRange)
	require.EqualError(t, err, "Ready: value is out of range: 2")
}

// Lengths over the cap are refused when they are encoded and when they are decoded.
func TestCaps(t *testing.T) {
	for _, c := range []struct {
		field string
		value codec
	}{
		{"Text", &Say{Text: strings.Repeat("x", 201)}},
		{"[].Text", &Names{1: {Text: "ninebytes"}}},
		{"Short", &Varying{Channel: 1, Short: strings.Repeat("x", 65)}},
		{"Long", &Varying{Channel: 1, Long: strings.Repeat("x", 65537)}},
		{"Blob", &Varying{Channel: 1, Blob: make(Blob, 70001)}},
		{"Cells", &Varying{Channel: 1, Cells: make([]Cell, 301)}},
		{"Lines", &Varying{Channel: 1, Lines: make([]Line, 5)}},
		{"Lines[].Text", &Varying{Channel: 1, Lines: []Line{{Text: strings.Repeat("x", 256)}}}},
	} {
		out, err := c.value.AppendBinary([]byte("kept"))
		e, ok := errors.AsType[*payload.Error](err)
		require.True(t, ok && errors.Is(err, payload.ErrLength), "%s: %v", c.field, err)
		require.Equal(t, c.field, e.Field)
		require.Equal(t, "kept", string(out))
	}
	for _, c := range []struct {
		field string
		value codec
		bytes string
		want  error
	}{
		{"Text", new(Say), "\x00\x00\x00\x00\xc9", payload.ErrLength},
		{"[].Text", new(Names), "\x00\x00\x09", payload.ErrLength},
		{"Wide", new(Varying), "\x01\x00\x00\x01\x01", payload.ErrLength},
		{"Long", new(Varying), "\x01\x00\x00\x00\x00\x01\x00\x01\x00", payload.ErrLength},
		{"Long", new(Varying), "\x01\x00\x00\x00\x00\xff\xff\xff\xff", payload.ErrLength}, // negative as an int of 32 bits
		{"Long", new(Varying), "\x01\x00\x00\x00\x00\x00\x00\x01\x00", payload.ErrShort},
		{"Own", new(Wrapped), "\x02", payload.ErrLength},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := c.value.UnmarshalBinary([]byte(c.bytes))
		runtime.ReadMemStats(&after)
		e, ok := errors.AsType[*payload.Error](err)
		require.True(t, ok && errors.Is(err, c.want), "%s: %v", c.field, err)
		require.Equal(t, c.field, e.Field)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<10), "memory for what was not there")
	}
}

// A field with a codec of its own may fail, too.
func TestOwnCodecFails(t *testing.T) {
	out, err := (&Wrapped{}).AppendBinary([]byte("kept"))
	e, ok := errors.AsType[*payload.Error](err)
	require.True(t, ok)
	require.Equal(t, "Own", e.Field)
	require.EqualError(t, err, "Wrapped.Own: nothing is hidden")
	require.Equal(t, "kept", string(out))

	err = new(Wrapped).UnmarshalBinary([]byte{0, 1, 2, 3})
	require.EqualError(t, err, "Wrapped.Own: not an Own")
}

func TestAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	buf := make([]byte, 0, 200_000)
	for _, k := range all {
		v := k.random(r, true)
		if k.name != "Wrapped" && k.name != "Varying" { // not of the generator's making
			require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = v.AppendBinary(buf) }), "append %s", k.name)
		}
		if k.fixed < 0 {
			continue
		}
		p := appended(t, v)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := v.UnmarshalBinary(p); err != nil {
				t.Fatal(err)
			}
		}), "decode %s", k.name)
	}
	p := appended(t, &Say{Text: "hello"})
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { _ = new(Say).UnmarshalBinary(p) }), "the string")
}

func TestCatalog(t *testing.T) {
	r := registry.New()
	types, err := RegisterCommands(r)
	require.NoError(t, err)
	again, err := RegisterCommands(r)
	require.NoError(t, err)
	require.Equal(t, types, again)

	catalog := CommandCatalog()
	require.Equal(t, r.Len(), len(catalog))
	for _, info := range catalog {
		have, ok := r.Lookup(info.ID)
		require.True(t, ok)
		require.Equal(t, info, have)
	}
	require.True(t, slices.IsSortedFunc(catalog, func(a, b registry.Info) int {
		short := func(s string) string { return s[strings.LastIndexAny(s, ".+")+1:] }
		return strings.Compare(short(a.Name), short(b.Name))
	}))
	catalog[0].ID = 0
	require.NotEqual(t, catalog, CommandCatalog(), "the list is the caller's own")

	require.Equal(t, registry.IDOf[Basics](), types.Basics.ID())
	require.True(t, types.Basics.Predicted())
	require.False(t, types.Numbers.Predicted())
	require.EqualValues(t, 0xA5, types.Nested.ID())
	require.EqualValues(t, 0xB6, types.secret.ID())
	require.Equal(t, registry.HashName("Game.Commands+Score"), types.Score.ID())
	require.Equal(t, "Game.Commands+Score", types.Score.Name())

	p, err := types.Say.AppendPayload(nil, &Say{To: 1, Text: "x"})
	require.NoError(t, err)
	var s Say
	require.NoError(t, types.Say.DecodePayload(&s, p))
	require.Equal(t, Say{To: 1, Text: "x"}, s)

	tests, err := RegisterCommandsTest(r)
	require.NoError(t, err)
	require.Equal(t, registry.IDOf[Probe](), tests.Probe.ID())
	require.NotEqual(t, CommandDigest, CommandDigestTest)

	// A table that disagrees is reported, and what it has nothing against is there.
	other := registry.New()
	_, err = registry.Register(other, StepTypeID, registry.Options[Ping]{})
	require.NoError(t, err)
	types, err = RegisterCommands(other)
	require.ErrorIs(t, err, registry.ErrTypeTaken)
	require.ErrorIs(t, err, registry.ErrIDTaken)
	require.Zero(t, types.Step.ID())
	require.NotZero(t, types.Say.ID())
}

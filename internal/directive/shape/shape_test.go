package shape_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// others are the packages that those in the tests may import.
var others = map[string]string{
	"time": "package time; type Time struct{ wall uint64 }; type Duration int64",
	"example.com/geom": `package geom
type Vec struct { X, Y float32 }
type Closed struct { X, y int8 }
type Turn int8
const Left, Right, hidden Turn = -1, 1, 5
type Label struct { Text string ` + "`netcode:\"max=8\"`" + `; Turn Turn ` + "`netcode:\"range=Left..hidden\"`" + ` }
type Own struct { y int8 }
func (Own) AppendBinary([]byte) ([]byte, error)
func (*Own) UnmarshalBinary([]byte) error`,
	"example.com/game/internal/in":  "package in; type T int8",
	"example.com/other/internal/in": "package in; type T int8",
	"example.com/program":           "package main; type T int8",
}

type testImporter struct{ fset *token.FileSet }

func (i testImporter) Import(path string) (*types.Package, error) {
	src, ok := others[path]
	if !ok {
		return nil, errors.New("no such package")
	}
	return checkPackage(i.fset, path, src)
}

func checkPackage(fset *token.FileSet, path, src string) (*types.Package, error) {
	f, err := parser.ParseFile(fset, path+".go", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	cfg := types.Config{Importer: testImporter{fset}, Error: func(error) {}}
	pkg, _ := cfg.Check(path, fset, []*ast.File{f}, nil)
	return pkg, nil
}

// lookUp returns the type T of a package with this source.
func lookUp(t testing.TB, src string) (*types.TypeName, *token.FileSet) {
	t.Helper()
	fset := token.NewFileSet()
	pkg, err := checkPackage(fset, "example.com/game", "package game\n"+src)
	require.NoError(t, err)
	obj, ok := pkg.Scope().Lookup("T").(*types.TypeName)
	require.True(t, ok, "there is no type T")
	return obj, fset
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		src      string
		want     string
		min, max int64 // the sizes; equal if the size is fixed, except where want says otherwise
		fixed    bool
	}{
		{"type T struct{}", "{}", 0, 0, true},
		{"type T bool", "bool", 1, 1, true},
		{"type T int8", "int8", 1, 1, true},
		{"type T uint64", "uint64", 8, 8, true},
		{"type T rune", "int32", 4, 4, true},
		{"type T float32", "float32", 4, 4, true},
		{"type T float64", "float64", 8, 8, true},
		{"type T [3][2]uint16", "[3][2]uint16", 12, 12, true},
		{"type T [0]int64", "[0]int64", 0, 0, true},
		{"type T struct { A, B int8; C struct { D bool } }", "{A int8, B int8, C {D bool}}", 3, 3, true},
		{"type T struct { A int8; _ [9]int; B int8 }", "{A int8, B int8}", 2, 2, true},
		{"type N int16; type T struct { N; A N }", "{N int16, A int16}", 4, 4, true},
		{"type A = N; type N struct { X A2 }; type A2 = int8; type T struct { A }", "{A {X int8}}", 1, 1, true},
		{"type P[X any] struct { V X }; type T struct { A P[int8]; B P[P[bool]] }", "{A {V int8}, B {V {V bool}}}", 2, 2, true},
		{"import \"example.com/geom\"; type T struct { geom.Vec; D geom.Turn }", "{Vec {X float32, Y float32}, D int8}", 9, 9, true},
		{"import \"time\"; type T struct { D time.Duration }", "{D int64}", 8, 8, true},
		{"import \"example.com/game/internal/in\"; type T struct { X in.T }", "{X int8}", 1, 1, true},

		{"type T struct { S string `netcode:\"max=255\"` }", "{S string<=255}", 1, 256, false},
		{"type T struct { S string `netcode:\"max=256\"` }", "{S string<=256}", 2, 258, false},
		{"type T struct { S string `netcode:\"max=65535\"` }", "{S string<=65535}", 2, 65537, false},
		{"type T struct { S string `netcode:\"max=65536\"` }", "{S string<=65536}", 4, 65540, false},
		{"type T struct { S string `netcode:\"max=0x10\"` }", "{S string<=16}", 1, 17, false},
		{"type B []byte; type T struct { A []byte `netcode:\"max=5\"`; B B `netcode:\"max=6\"` }", "{A bytes<=5, B bytes<=6}", 2, 13, false},
		{"type T struct { A []int16 `netcode:\"max=3\"` }", "{A [<=3]int16}", 1, 7, false},
		{"type O byte; type T struct { A []O `netcode:\"max=3\"` }", "{A [<=3]uint8}", 1, 4, false},
		{"type T struct { A [2]string `netcode:\"max=3\"` }", "{A [2]string<=3}", 2, 8, false},
		{"type T struct { A [][2]int8 `netcode:\"max=3\"` }", "{A [<=3][2]int8}", 1, 7, false},
		{"type L struct { S string `netcode:\"max=2\"` }; type T [2]L", "[2]{S string<=2}", 2, 6, false},
		{"import \"example.com/geom\"; type T struct { A geom.Label; B geom.Own `netcode:\"max=4\"` }",
			"{A {Text string<=8, Turn int8 -1..5}, B custom<=4}", 3, 15, false},

		{"type T struct { A int8 `netcode:\"range=-1..5\" json:\"a\"` }", "{A int8 -1..5}", 1, 1, true},
		{"const low, high = -3, 'a'; type T struct { A int8 `netcode:\"range=low..high\"` }", "{A int8 -3..97}", 1, 1, true},
		{"type T struct { A [2][]uint16 `netcode:\"max=2 range=0x10..0b11111\"` }", "{A [2][<=2]uint16 16..31}", 2, 10, false},
		{"type T struct { A []uint8 `netcode:\"range=0..5 max=2\"` }", "{A [<=2]uint8 0..5}", 1, 3, false},
		{"type D uint8; const (A D = iota; B; C); type T struct { D D `netcode:\"enum\"` }", "{D uint8 0..2}", 1, 1, true},
		{"type D int16; const (A D = 7; B D = -7; C = A); type T struct { D D `netcode:\"enum\"` }", "{D int16 -7|7}", 2, 2, true},
		{"type D uint8; const (a D = iota; b); type T struct { D D `netcode:\"enum\"` }", "{D uint8 0..1}", 1, 1, true},
		{"type D uint8; const (A D = iota; b); type T struct { D D `netcode:\"enum\"` }", "{D uint8 0..0}", 1, 1, true},
		{"import \"example.com/geom\"; type T struct { D geom.Turn `netcode:\"enum\"` }", "{D int8 -1|1}", 1, 1, true},

		{"type T struct{ f func() }; func (T) AppendBinary([]byte) ([]byte, error) { return nil, nil }; func (*T) UnmarshalBinary([]byte) error { return nil }",
			"custom", 0, 0, false},
		{"type T map[int]int; func (T) AppendBinary([]byte) ([]byte, error) { return nil, nil }; func (T) UnmarshalBinary([]byte) error { return nil }",
			"custom", 0, 0, false},
	} {
		obj, _ := lookUp(t, c.src)
		s, problems := shape.Of(obj, shape.Config{})
		require.Empty(t, problems, "%s", c.src)
		require.Equal(t, c.want, s.String(), "%s", c.src)
		require.Equal(t, []int64{c.min, c.max}, []int64{s.Min, s.Max}, "%s", c.src)
		require.Equal(t, c.fixed, s.Fixed, "%s", c.src)
	}
}

// What the scripts of the generator do not have in them.
func TestOfRefuses(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"import \"example.com/other/internal/in\"; type T struct { X in.T }",
			"2:57: T.X is an in.T, and this package cannot import \"example.com/other/internal/in\""},
		{"import \"example.com/program\"; type T struct { X main.T }",
			"2:47: T.X is a main.T, and this package cannot import \"example.com/program\""},
		{"import \"example.com/absent\"; type T struct { X absent.T }", "2:46: T.X has a type that is not known"},
		{"type T struct { X [n]int8 }", "2:17: T.X has a type that is not known"},
		{"type T undefined", "2:6: T has a type that is not known"},
		{"type T struct { A []string `netcode:\"max=5\"`; B [][]int8 `netcode:\"max=5\"` }",
			"2:17: T.A[] is a string inside something that has a length too, and the tag's max is about that one: make it the field of a struct\n" +
				"2:47: T.B[] is a slice inside something that has a length too, and the tag's max is about that one: make it the field of a struct"},
		{"type A struct { B *A; C int }; type T struct { X, Y A }",
			"2:17: A.B is a pointer, which means nothing to another machine: use A itself, with a bool beside it if it may be absent\n" +
				"2:23: A.C is an int, which is 32 or 64 bits wide, depending on the machine: use int32 or int64"},
		{"import \"example.com/geom\"; type T struct { D geom.Turn `netcode:\"range=hidden..5\"` }",
			"2:44: T.D has range=hidden..5 in its tag, and hidden is neither a number nor a constant of package game"},
		{"type T struct { S string `netcode:\"max=1073741824\"`; R string `netcode:\"max=1\"` }",
			"2:6: T may take 1073741830 bytes, which is too much: lower the caps of its fields"},
		{"type T struct { S string `netcode:\"max=1073741825\"` }",
			"2:17: T.S has max=1073741825 in its tag: it must be a number from 1 to 1073741824"},
		{"type T struct { A, B [1 << 40]struct{ C [1 << 40]int64 } }", "2:6: T may take 1099511627776 bytes, which is too much: lower the caps of its fields"},
	} {
		obj, fset := lookUp(t, c.src)
		s, problems := shape.Of(obj, shape.Config{})
		require.Nil(t, s, "%s", c.src)
		var got []string
		for _, p := range problems {
			pos := fset.Position(p.Pos)
			got = append(got, fmt.Sprintf("%d:%d: %s", pos.Line, pos.Column, p.Message))
		}
		require.Equal(t, c.want, strings.Join(got, "\n"), "%s", c.src)
	}
}

// Generated methods are no reason to have a codec of one's own.
func TestGeneratedMethods(t *testing.T) {
	const src = `
type T struct{ In Inner }
func (*T) AppendBinary([]byte) ([]byte, error) { return nil, nil }
func (*T) UnmarshalBinary([]byte) error { return nil }
type Inner struct{ X int8 }
func (Inner) AppendBinary([]byte) ([]byte, error) { return nil, nil }
func (*Inner) UnmarshalBinary([]byte) error { return nil }`
	obj, _ := lookUp(t, src)
	s, problems := shape.Of(obj, shape.Config{Generated: func(token.Pos) bool { return true }})
	require.Empty(t, problems)
	require.Equal(t, "{In {X int8}}", s.String())

	s, problems = shape.Of(obj, shape.Config{})
	require.Empty(t, problems)
	require.Equal(t, "custom", s.String())
}

func TestExplain(t *testing.T) {
	obj, _ := lookUp(t, "type T struct { X undefined }")
	_, problems := shape.Of(obj, shape.Config{Explain: func(pos token.Pos) string { return "it is new" }})
	require.Len(t, problems, 1)
	require.Equal(t, "T.X has a type that is not known: it is new", problems[0].Message)
}

// The digest changes with whatever peers must agree about, and with nothing else.
func TestDigest(t *testing.T) {
	of := func(src string) *shape.Shape {
		obj, _ := lookUp(t, src)
		s, problems := shape.Of(obj, shape.Config{})
		require.Empty(t, problems)
		return s
	}
	a := shape.Entry{ID: 1, Name: "a", Shape: of("type T struct { A int8; B [2]bool }")}
	b := shape.Entry{ID: 2, Name: "b", Shape: of("type T struct{}")}
	base := shape.Digest([]shape.Entry{a, b})
	require.Equal(t, base, shape.Digest([]shape.Entry{b, a}))

	seen := map[any]string{base: "base"}
	differs := func(what string, change func(e *shape.Entry)) {
		changed := a
		change(&changed)
		d := shape.Digest([]shape.Entry{changed, b})
		require.NotContains(t, seen, d, "%s", what)
		seen[d] = what
	}
	differs("id", func(e *shape.Entry) { e.ID = 3 })
	differs("name", func(e *shape.Entry) { e.Name = "aa" })
	differs("prediction", func(e *shape.Entry) { e.Predicted = true })
	for i, src := range []string{
		"type T struct { A uint8; B [2]bool }",
		"type T struct { A int16; B [2]bool }",
		"type T struct { A int8; B [3]bool }",
		"type T struct { B [2]bool; A int8 }",
		"type T struct { B int8; A [2]bool }",
		"type T struct { A int8; B []bool `netcode:\"max=2\"` }",
		"type T struct { A int8; B []bool `netcode:\"max=3\"` }",
		"type T struct { A int8 `netcode:\"range=0..1\"`; B [2]bool }",
		"type T struct { A int8; B [2]bool; C string `netcode:\"max=3\"` }",
		"type T struct { A int8; B [2]bool; C []byte `netcode:\"max=3\"` }",
	} {
		differs(fmt.Sprint("shape ", i), func(e *shape.Entry) { e.Shape = of(src) })
	}
	require.NotEqual(t, base, shape.Digest([]shape.Entry{a}))

	// By another name, of another type with the same shape, with other tags, or without blanks, it is the same.
	for _, src := range []string{
		"type N int8; type T struct { A N; B [2]bool }",
		"type T struct { A int8 `json:\"a\"`; _ int32; B [2]bool }",
	} {
		changed := a
		changed.Shape = of(src)
		require.Equal(t, base, shape.Digest([]shape.Entry{changed, b}))
	}
}

// Tags are written by people. Whatever they write, there is a shape or a problem in the field's place.
func FuzzTag(f *testing.F) {
	for _, s := range []string{"max=5", "range=0..5", "range=-1..A", "enum", "max=1 enum", "range=..", "max=99999999999999999999", "range=0x8000..0xFFFFFFFFFFFFFFFFFF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := fmt.Sprintf("type D uint16; const A D = 7; type T struct { F []D %s }", quoted(text))
		fset := token.NewFileSet()
		pkg, err := checkPackage(fset, "example.com/game", "package game\n"+src)
		if err != nil {
			return
		}
		obj, ok := pkg.Scope().Lookup("T").(*types.TypeName)
		if !ok {
			return
		}
		s, problems := shape.Of(obj, shape.Config{})
		if (s == nil) != (len(problems) > 0) {
			t.Fatalf("%q: %v, %v", text, s, problems)
		}
		field := obj.Type().Underlying().(*types.Struct).Field(0)
		if slices.ContainsFunc(problems, func(p shape.Problem) bool { return p.Pos != field.Pos() && p.Pos != obj.Pos() }) {
			t.Fatalf("%q: %v", text, problems)
		}
		if s != nil {
			list := s.Fields[0].Shape
			if list.Cap < 1 || list.Min != shape.PrefixBytes(list.Cap) || list.Max != list.Min+2*list.Cap {
				t.Fatalf("%q: %v", text, s)
			}
		}
	})
}

func quoted(tag string) string { return fmt.Sprintf("%q", fmt.Sprintf("netcode:%q", tag)) }

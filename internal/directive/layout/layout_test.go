package layout_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/directive"
	"github.com/ariadne-netcode/ariadne/internal/directive/layout"
	"github.com/ariadne-netcode/ariadne/transport/citadel/schema"
)

const preamble = `package game

import "github.com/ariadne-netcode/ariadne/transport/citadel/netpeer/replica"

type Vec struct{ X, Y, Z float32 }
type Rot struct{ X, Y, Z, W float32 }
type Flipped struct{ W, X, Y, Z float32 }
type Flag bool
type Heat float32
type Name string
type Blob []byte
type Dir uint8
const ( North Dir = iota; East; South; West )
type Tool int16
const ( Hammer Tool = 2; Saw Tool = 4 )
type Mood int8
const ( Calm Mood = -1; Cross Mood = 0; Angry Mood = 1 )
type Nothing uint8
const ( MaxHealth = 150; Far = 12.5; Word = "word" )

var _ replica.Items[int8]
`

// check type-checks a package that begins with the preamble, and returns its type T.
func check(t testing.TB, src string) *types.TypeName {
	t.Helper()
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "game.go", preamble+src, 0)
	require.NoError(t, err)
	runtime, err := parser.ParseFile(fset, "items.go", "package replica\n\ntype Items[T any] struct{ list []T }\ntype Other[T any] struct{}\n", 0)
	require.NoError(t, err)
	cfg := types.Config{Error: func(error) {}}
	replica, err := cfg.Check(layout.ItemsPath, fset, []*ast.File{runtime}, nil)
	require.NoError(t, err)
	cfg.Importer = only{replica}
	pkg, _ := cfg.Check("example.com/game", fset, []*ast.File{syntax}, nil)
	return pkg.Scope().Lookup("T").(*types.TypeName)
}

type only struct{ *types.Package }

func (o only) Import(string) (*types.Package, error) { return o.Package, nil }

func of(t testing.TB, src string, c directive.Class) (*layout.Class, []string) {
	t.Helper()
	if c.Minimum == 0 {
		c.Minimum = c.Version
	}
	class, problems := layout.Of(check(t, src), c, layout.Config{Explain: func(token.Pos) string { return "nobody knows" }})
	var messages []string
	for _, p := range problems {
		messages = append(messages, p.Message)
	}
	require.Equal(t, class == nil, len(problems) > 0)
	return class, messages
}

var first = directive.Class{Number: 42, Version: 1}

// One field of each kind becomes the property that a layout by hand would have.
func TestProperties(t *testing.T) {
	for _, c := range []struct {
		field string // "type tag"
		want  schema.Property
	}{
		{"bool bool", schema.Property{Type: schema.Bool, Codec: schema.CodecBool}},
		{"Flag bool,owner=server,cond=always", schema.Property{Type: schema.Bool, Codec: schema.CodecBool}},
		{"int32 int,min=0,max=100,owner=client,cond=skipowner", schema.Property{
			Type: schema.Int, Bounds: schema.IntRange(0, 100), Authority: schema.ClientOwned, Condition: schema.SkipOwner}},
		{"int8 int,min=-128,max=0x7f", schema.Property{Type: schema.Int, Bounds: schema.IntRange(-128, 127)}},
		{"int64 int,min=-9223372036854775808,max=9223372036854775807", schema.Property{Type: schema.Int, Bounds: schema.IntRange(-1<<63, 1<<63-1)}},
		{"int16 int,min=0,max=MaxHealth", schema.Property{Type: schema.Int, Bounds: schema.IntRange(0, 150)}},
		{"uint8 uint,max=MaxHealth", schema.Property{Type: schema.Uint, Bounds: schema.IntRange(0, 150)}},
		{"uint64 uint,min=5,max=9223372036854775807,cond=owneronly", schema.Property{
			Type: schema.Uint, Bounds: schema.IntRange(5, 1<<63-1), Condition: schema.OwnerOnly}},
		{"Dir enum", schema.Property{Type: schema.Enum, Bounds: schema.IntRange(0, 3)}},
		{"Dir enum,min=East,max=South,cond=initialonly", schema.Property{
			Type: schema.Enum, Bounds: schema.IntRange(1, 2), Condition: schema.InitialOnly}},
		{"Tool enum,min=2,max=4", schema.Property{Type: schema.Enum, Bounds: schema.IntRange(2, 4)}},
		{"float32 scalar,min=-Far,max=Far,per=10,cond=simulatedonly", schema.Property{
			Type: schema.Scalar, Codec: schema.CodecScalar, Bounds: schema.ScalarRange(-12.5, 12.5, 10), Condition: schema.SimulatedOnly}},
		{"Heat scalar,min=-1e3,max=MaxHealth,per=1,cond=custom", schema.Property{
			Type: schema.Scalar, Codec: schema.CodecScalar, Bounds: schema.ScalarRange(-1000, 150, 1), Condition: schema.Custom}},
		{"Vec vector3,min=-1,max=1,per=100", schema.Property{
			Type: schema.Vector3, Codec: schema.CodecVector3, Bounds: schema.ScalarRange(-1, 1, 100)}},
		{"[3]float32 vector3,min=-1,max=1,per=100,cond=never", schema.Property{
			Type: schema.Vector3, Codec: schema.CodecVector3, Bounds: schema.ScalarRange(-1, 1, 100), Condition: schema.Never}},
		{"Rot quat", schema.Property{Type: schema.Quat, Codec: schema.CodecQuat10}},
		{"[4]float32 quat,bits=9", schema.Property{Type: schema.Quat, Codec: schema.CodecQuat9}},
		{"[4]float32 quat,bits=15,cond=autonomousonly", schema.Property{
			Type: schema.Quat, Codec: schema.CodecQuat15, Condition: schema.AutonomousOnly}},
		{"[]byte bytes,max=1048576", schema.Property{Type: schema.Bytes, Bounds: schema.MaxLen(1 << 20)}},
		{"Blob bytes,max=1", schema.Property{Type: schema.Bytes, Bounds: schema.MaxLen(1)}},
		{"Name bytes,max=32,name=nick", schema.Property{Name: "nick", Type: schema.Bytes, Bounds: schema.MaxLen(32)}},
		{"replica.Items[uint8] collection,of=uint,items=64,max=9", schema.Property{
			Type: schema.Collection, Bounds: schema.MaxCardinality(64)}},
		{"replica.Items[Vec] collection,of=vector3,min=0,max=1,per=2,items=65536", schema.Property{
			Type: schema.Collection, Codec: schema.CodecVector3, Bounds: schema.MaxCardinality(65536)}},
		{"replica.Items[Rot] collection,of=quat,bits=9,items=1", schema.Property{
			Type: schema.Collection, Codec: schema.CodecQuat9, Bounds: schema.MaxCardinality(1)}},
	} {
		typ, tag, _ := strings.Cut(c.field, " ")
		class, problems := of(t, fmt.Sprintf("type T struct { F %s `rep:%q` }", typ, tag), first)
		require.Empty(t, problems, c.field)
		if c.want.Name == "" {
			c.want.Name = "F"
		}
		c.want.Push = true
		require.Equal(t, schema.Layout{Class: 42, Version: 1, Properties: []schema.Property{c.want}}, class.Layout(1), c.field)
		require.NoError(t, class.Layout(1).Validate(), c.field)
	}
}

// Every mistake is named, in words that say what to do.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		field string // "type tag"
		want  string
	}{
		// The tag.
		{"bool ", "has no kind in its rep tag"},
		{"bool ,bool", "has no kind in its rep tag"},
		{"bool boolean", `has "boolean" for its kind: the kinds are bool, int`},
		{"bool bool,max=1", `has "max=1" in its tag: the options of a field of kind bool are name, owner, cond and since`},
		{"bool bool,", `has "" in its tag`},
		{"bool bool, cond=never", `has " cond=never" in its tag`},
		{"bool bool,owner", "has owner without a value"},
		{"bool bool,owner=", "has owner without a value"},
		{"bool bool,owner=client,owner=client", "has owner twice"},
		{"bool bool,owner=me", "has owner=me in its tag: it is one of client and server"},
		{"bool bool,cond=SkipOwner", "has cond=SkipOwner in its tag: it is one of always, autonomousonly"},
		{"bool bool,since=0", "has since=0 in its tag: it must be a number from 1"},
		{"bool bool,since=4294967296", "has since=4294967296 in its tag: it must be a number from 1"},
		{"bool bool,since=next", "has since=next in its tag: it must be a number from 1"},

		// Types.
		{"uint8 bool", "is uint8, and a field of kind bool is bool"},
		{"string int,min=0,max=1", "is string, and a field of kind int is int8, int16, int32 or int64"},
		{"uint8 int,min=0,max=1", "is uint8, and a field of kind int is int8"},
		{"int8 uint,max=1", "is int8, and a field of kind uint is uint8"},
		{"int int,min=0,max=1", "is int, whose width depends on the machine"},
		{"uint uint,max=1", "is uint, whose width depends on the machine"},
		{"Dir scalar,min=0,max=1,per=1", "is Dir, and a field of kind scalar is float32"},
		{"float64 scalar,min=0,max=1,per=1", "is float64, and a field of kind scalar is float32"},
		{"[2]float32 vector3,min=0,max=1,per=1", "is [2]float32, and a field of kind vector3 is [3]float32, or"},
		{"[3]float64 vector3,min=0,max=1,per=1", "is [3]float64"},
		{"Rot vector3,min=0,max=1,per=1", "is Rot, and a field of kind vector3"},
		{"Flipped quat", "is Flipped, and a field of kind quat is [4]float32, or a struct of the float32 fields X, Y, Z and W, in this order"},
		{"[]rune bytes,max=1", "is []rune, and a field of kind bytes is []byte or string"},
		{"*bool bool", "is *bool, and"},
		{"Missing bool", "has a type that is not known: nobody knows"},
		{"[]uint8 collection,of=uint,items=1,max=1", "is []uint8, and a field of kind collection is replica.Items"},
		{"replica.Other[uint8] collection,of=uint,items=1,max=1", "is replica.Other[uint8], and"},
		{"replica.Items[uint8] uint,max=1", "is replica.Items[uint8], and a field of kind uint is uint8"},

		// Bounds.
		{"int8 int", "has no bounds: write min=0,max=100"},
		{"int8 int,min=0", "has no bounds"},
		{"int8 int,max=0", "has no bounds"},
		{"uint8 uint", "has no bounds"},
		{"uint8 uint,max=256", "has max=256 in its tag, which does not fit into uint8"},
		{"uint8 uint,min=-1,max=1", "has min=-1 in its tag, which does not fit into uint8"},
		{"int8 int,min=5,max=4", "has min=5 above max=4"},
		{"int8 int,min=a,max=4", "has min=a in its tag, which is neither an integer nor a constant of package game"},
		{"int8 int,min=Dir,max=4", "has min=Dir in its tag, which is neither an integer nor a constant"},
		{"int8 int,min=0,max=1.5", "has max=1.5 in its tag, which is neither an integer"},
		{"int8 int,min=0,max=Far", "has max=Far in its tag, which is not an integer"},
		{"int8 int,min=0,max=Word", "has max=Word in its tag, which is not an integer"},
		{"uint64 uint,max=18446744073709551615", "has bounds above 9223372036854775807"},
		{"Mood enum", "has min=-1 in its tag, and a field of kind enum is never below zero"},
		{"Tool enum", "is an enum with gaps"},
		{"Nothing enum", "is an enum, and package game has no constants of type Nothing"},
		{"uint8 enum", "is an enum, and uint8 has no constants"},
		{"float32 scalar", "has no bounds: write min=-1000,max=1000,per=100"},
		{"float32 scalar,min=0,max=1", "has no bounds"},
		{"float32 scalar,min=0,max=1,per=0", "has per=0 in its tag"},
		{"float32 scalar,min=1,max=1,per=1", "there are no such codes"},
		{"float32 scalar,min=0,max=1e39,per=1", "there are no such codes"},
		{"float32 scalar,min=0,max=1,per=1.5", "has per=1.5 in its tag"},
		{"float32 scalar,min=0,max=Word,per=1", "has max=Word in its tag, which is not a number"},
		{"[3]float32 vector3,max=1,per=1", "has no bounds"},
		{"[4]float32 quat,bits=11", "has bits=11 in its tag: it is one of 10, 15 and 9"},
		{"[]byte bytes", "does not say how long it may be"},
		{"[]byte bytes,max=0", "has max=0 in its tag"},
		{"[]byte bytes,max=1048577", "has max=1048577 in its tag: it must be a number from 1 to 1048576"},
		{"replica.Items[uint8] collection,items=1,max=1", "does not say of what"},
		{"replica.Items[uint8] collection,of=uint,max=1", "does not say how many elements"},
		{"replica.Items[uint8] collection,of=collection,items=1", "has of=collection in its tag: a collection is of elements of the kinds bool"},
		{"replica.Items[uint8] collection,of=byte,items=1", "has of=byte in its tag"},
		{"replica.Items[uint8] collection,of=uint,items=65537,max=1", "has items=65537 in its tag"},
		{"replica.Items[uint8] collection,of=uint,items=1", "has no bounds"},
		{"replica.Items[bool] collection,of=bool,items=1,per=1", "has per in its tag, which elements of kind bool do not have"},
		{"replica.Items[int8] collection,of=uint,items=1,max=1", "is int8, and a field of kind uint is uint8"},
	} {
		typ, tag, _ := strings.Cut(c.field, " ")
		_, problems := of(t, fmt.Sprintf("type T struct { F %s `rep:%q` }", typ, tag), first)
		require.Len(t, problems, 1, c.field)
		require.True(t, strings.HasPrefix(problems[0], "F "), problems[0])
		require.Contains(t, problems[0], c.want, c.field)
	}
}

// What is wrong with a struct as a whole.
func TestWholeMistakes(t *testing.T) {
	pin := func(version uint32, hash string) []directive.Pin {
		return []directive.Pin{{Version: version, Hash: hash, Pos: 7, End: 9}}
	}
	const two = "type T struct { A bool `rep:\"bool\"`; B bool `rep:\"bool,since=2\"` }"
	for _, c := range []struct {
		src   string
		class directive.Class
		want  string // a part of each problem, separated by " | "
	}{
		{"type T struct{}", first, "T has no replicated field"},
		{"type T struct{ A int }", first, "T has no replicated field"},
		{"type T int", first, "T is no struct"},
		{"type T = Vec", first, "T is an alias"},
		{"type T[E any] struct{ A bool `rep:\"bool\"` }", first, "T is generic"},
		{"type T struct{ A bool `rep:bool` }", first, "A has a malformed tag"},
		{"type T struct{ A bool `json:\"a\" rep: \"bool\"` }", first, "A has a malformed tag"},
		{"type T struct{ _ bool `rep:\"bool\"` }", first, "a field without a name"},
		{"type T struct{ A bool `rep:\"bool,name=B\"`; B bool `rep:\"bool\"` }", first, "makes no layout"},
		{"type T struct{ A int `rep:\"bool\"`; B bool `rep:\"boo\"`; C bool `rep:\"bool\"` }", first, "A is int | B has \"boo\""},

		{two, directive.Class{Version: 1}, "B has since=2 in its tag, and the class is at version 1"},
		{"type T struct { A bool `rep:\"bool,since=2\"`; B bool `rep:\"bool\"` }", directive.Class{Version: 2},
			"B is there since version 1 and comes behind A, which came with version 2"},
		{"type T struct { A bool `rep:\"bool\"` }", directive.Class{Version: 2, Minimum: 1}, "version 2 adds no field to version 1"},
		{two, directive.Class{Version: 4, Minimum: 1}, "version 3 adds no field to version 2 | version 4 adds no field"},
		{"type T struct { A bool `rep:\"bool,since=2\"` }", directive.Class{Version: 2, Minimum: 1}, "version 1, which is still accepted, had no field"},
		{two, directive.Class{Version: 100, Minimum: 1}, "a class can have 64 layouts at once"},

		{two, directive.Class{Version: 2, Minimum: 1, Pins: pin(1, strings.Repeat("0", 32))}, "version 1 of T has the hash a5a53146651bd3925de6cc0cdabe257c now and not 0000"},
		{two, directive.Class{Version: 2, Pins: pin(1, strings.Repeat("0", 32))}, "not accepted any more"},
	} {
		if c.class.Number == 0 {
			c.class.Number = 7
		}
		_, problems := of(t, c.src, c.class)
		wants := strings.Split(c.want, " | ")
		for i, want := range wants {
			if i < len(problems) {
				require.Contains(t, problems[i], want, c.src)
			}
		}
		require.Len(t, problems, len(wants), "%s: %q", c.src, problems)
	}
}

// Older layouts are prefixes with the hashes that they had.
func TestEvolution(t *testing.T) {
	const v1 = "type T struct { A bool `rep:\"bool\"`; local map[string]int"
	const v2 = v1 + "; B Dir `rep:\"enum,since=2\"`; C bool `rep:\"bool,since=2\"`"
	const v4 = v2 + "; D Name `rep:\"bytes,max=3,since=4\"`"
	was, problems := of(t, v1+"}", directive.Class{Number: 7, Version: 1})
	require.Empty(t, problems)
	then, problems := of(t, v2+"}", directive.Class{Number: 7, Version: 2, Minimum: 1})
	require.Empty(t, problems)
	hash := func(l schema.Layout) string {
		h, err := l.Hash()
		require.NoError(t, err)
		return h.String()
	}
	now, problems := of(t, strings.Replace(v4, "since=4", "since=3", 1)+"}", directive.Class{Number: 7, Version: 3, Minimum: 1, Pins: []directive.Pin{
		{Version: 1, Hash: hash(was.Layout(1))}, {Version: 2, Hash: hash(then.Layout(2))}}})
	require.Empty(t, problems)
	require.Equal(t, was.Layout(1), now.Layout(1))
	require.Equal(t, then.Layout(2), now.Layout(2))
	require.Len(t, now.Layout(1).Properties, 1)
	require.Len(t, now.Layout(2).Properties, 3)
	require.Len(t, now.Layout(3).Properties, 4)
	_, err := schema.NewHistory(1, now.Layout(3), now.Layout(2), now.Layout(1))
	require.NoError(t, err)
}

// Any tag and any version give a class or a problem, and a class makes sense.
func FuzzTag(f *testing.F) {
	types := []string{"bool", "int8", "uint64", "Dir", "Mood", "float32", "Vec", "Rot", "string", "[]byte", "replica.Items[Vec]", "replica.Items[string]"}
	f.Add("int,min=0,max=100,owner=client,cond=skipowner", uint8(1), uint32(1))
	f.Add("enum,name=\xff", uint8(3), uint32(1))
	f.Add("scalar,min=-Far,max=Far,per=0xffffffff", uint8(5), uint32(3))
	f.Add("quat,bits=9", uint8(7), uint32(1))
	f.Add("bytes,max=0x10", uint8(9), uint32(1))
	f.Add("collection,of=vector3,min=-1,max=1e3,per=5,items=3,since=2", uint8(10), uint32(2))
	f.Fuzz(func(t *testing.T, tag string, typ uint8, version uint32) {
		obj := check(t, fmt.Sprintf("type T struct { F %s %q }", types[int(typ)%len(types)], fmt.Sprintf("rep:%q", tag)))
		class, problems := layout.Of(obj, directive.Class{Number: 1, Version: max(version, 1), Minimum: max(version/2, 1)}, layout.Config{})
		if class == nil {
			require.NotEmpty(t, problems)
			return
		}
		for v := class.Options.Minimum; v <= class.Options.Version; v++ {
			require.NoError(t, class.Layout(v).Validate())
		}
	})
}

package directive_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/directive"
)

func TestCollectTypes(t *testing.T) {
	fset, f := parse(t, `//go:build debug

package p

// Move is documented.
//
//netcode:command predicted
type Move struct{}

//netcode:command
// Below is a comment too.
type Named int8

type (
	// In a group.
	//netcode:command id=0x7
	A struct{}

	//netcode:command
	B[T any] = struct{ t T }
	C struct{}
)

type Plain struct{}

func _() {
	//netcode:command
	type local struct{}
	_ = func() {
		type (
			//netcode:command
			deeper struct{}
		)
	}
}

var _ = func() {
	//netcode:command
	type literal struct{}
}
`)
	out := directive.Collect(fset, f)
	require.Empty(t, out.Problems)
	var got []string
	for _, typ := range out.Types {
		s := fmt.Sprintf("%d %s %s", fset.Position(typ.Spec.Pos()).Line, typ.Spec.Name.Name, describe(typ.Directive))
		if typ.Local {
			s += " local"
		}
		got = append(got, s)
	}
	require.Equal(t, []string{
		"8 Move command predicted",
		"12 Named command",
		"17 A command id=0x0000000000000007",
		"20 B command",
		"28 local command local",
		"32 deeper command local",
		"39 literal command local",
	}, got)
}

// A type may be a command and a class, and each counts by itself.
func TestCollectClasses(t *testing.T) {
	fset, f := parse(t, `package p

// Player is documented.
//
//netcode:replicated class=42 version=3
type Player struct{}

//netcode:command predicted
//netcode:replicated class=7 version=1
type Both struct{}

//netcode:replicated class=8 version=1
//netcode:replicated class=9 version=1
type Twice struct{}

func _() {
	//netcode:replicated class=10 version=1
	type local struct{}
}

//netcode:replicated class=11 version=1
func g() {}
`)
	out := directive.Collect(fset, f)
	var got []string
	for _, list := range [][]directive.Type{out.Types, out.Classes} {
		for _, typ := range list {
			got = append(got, fmt.Sprintf("%s %s %t", typ.Spec.Name.Name, describe(typ.Directive), typ.Local))
		}
	}
	require.Equal(t, []string{
		"Both command predicted false",
		"Player replicated class=42 version=3 minimum=3 false",
		"Both replicated class=7 version=1 minimum=1 false",
		"Twice replicated class=8 version=1 minimum=1 false",
		"local replicated class=10 version=1 minimum=1 true",
	}, got)
	var problems []string
	for _, p := range out.Problems {
		problems = append(problems, fmt.Sprintf("%d %s", fset.Position(p.Pos).Line, p.Message))
	}
	require.Equal(t, []string{
		"13 Twice is marked as replicated twice",
		"21 //netcode:replicated has no effect here: it belongs directly above the declaration of a type",
	}, problems)
}

func TestCollectProblems(t *testing.T) {
	fset, f := parse(t, `// Package p is about directives.
//
// netcode:command
// is one of them.
//
//netcode:command
package p

//netcode:command

type Apart struct{}

//netcode:command
type (
	Grouped struct{}
)

// netcode:command predicted
type Spaced struct{}

// Prose that ends in the words
// netcode:command
// and goes on.
type Prose struct{} // the line above is in a doc comment, so it was meant

//netcode:command
//netcode:command predicted
type Twice struct{}

//netcode:command
func f() {}

//netcode:command
var v int

type Trailing struct{} //netcode:command

type Struct struct {
	//netcode:command
	Field int
}

//netcode:comand
type Misspelt struct{}

//netcode:deterministic

// netcode:deterministic
func g() {
	// Here prose mentions the directive
	// netcode:deterministic
	// between other lines.

	//netcode:deterministic
	_ = 0
}

//netcode:command id=0x0
type Zero struct{}

//netcode:deterministic
const last = 0
`)
	var got []string
	out := directive.Collect(fset, f)
	for _, p := range out.Problems {
		got = append(got, fmt.Sprintf("%v %s", fset.Position(p.Pos), codeName(p.Code)))
	}
	require.Equal(t, []string{
		"x.go:6:1 Misplaced",
		"x.go:9:1 Misplaced",
		"x.go:13:1 Misplaced",
		"x.go:18:1 Spaced",
		"x.go:22:1 Spaced",
		"x.go:27:1 Duplicate",
		"x.go:30:1 Misplaced",
		"x.go:33:1 Misplaced",
		"x.go:36:24 Misplaced",
		"x.go:39:2 Misplaced",
		"x.go:43:11 Misspelt",
		"x.go:46:1 Misplaced",
		"x.go:48:1 Spaced",
		"x.go:54:2 Misplaced",
		"x.go:58:19 ZeroID",
		"x.go:61:1 Misplaced",
	}, got)
	for _, p := range out.Problems {
		if codeName(p.Code) == "Misplaced" {
			require.Contains(t, p.Message, "directly above")
		}
	}
	require.Len(t, out.Types, 2, "Twice and Zero")
}

func TestCollectMarks(t *testing.T) {
	fset, f := parse(t, `// Package p is simulation code.
//
//netcode:deterministic
package p

//netcode:deterministic
func F() {}

// M is a method.
//
//netcode:deterministic
func (w World) M() {}

//netcode:deterministic
type World struct{}

type Model interface {
	//netcode:deterministic
	Tick()
}

type (
	//netcode:deterministic
	Grouped func()
)

func plain() {}
`)
	out := directive.Collect(fset, f)
	require.Empty(t, out.Problems)
	var got []string
	for _, m := range out.Deterministic {
		name := ""
		switch n := m.Node.(type) {
		case *ast.File:
			name = "package " + n.Name.Name
		case *ast.FuncDecl:
			name = "func " + n.Name.Name
		case *ast.TypeSpec:
			name = "type " + n.Name.Name
		case *ast.Field:
			name = "method " + n.Names[0].Name
		}
		got = append(got, fmt.Sprintf("%d %s", fset.Position(m.Directive.Pos).Line, name))
	}
	require.Equal(t, []string{
		"3 package p", "6 func F", "11 func M", "14 type World", "18 method Tick", "23 type Grouped",
	}, got)
}

func TestCollectExcuses(t *testing.T) {
	fset, f := parse(t, `package p

func f(m map[int]int) (n int) {
	for range m { //netcode:nondeterministic line 4
		n++
	}
	//netcode:nondeterministic line 8
	for range m {
	} //netcode:nondeterministic line 9
	//netcode:nondeterministic line 13
	// because of a comment that
	// is long
	for k := range m {
		n += k
	}
	switch n {
	default: //netcode:nondeterministic line 17
	}
	g(
		1, //netcode:nondeterministic line 20
		2,
	)
	//netcode:nondeterministic
	return n
}

//netcode:nondeterministic line 28

type T struct { //netcode:nondeterministic line 29
	A int //netcode:nondeterministic line 30
}

func g(...int) {}
`)
	out := directive.Collect(fset, f)
	require.Len(t, out.Problems, 1)
	require.Equal(t, directive.NoReason, out.Problems[0].Code)
	n := 0
	for _, e := range out.Nondeterministic {
		if e.Directive.Reason == "" {
			require.Equal(t, 24, e.Line)
			continue
		}
		n++
		require.Equal(t, e.Directive.Reason, fmt.Sprintf("line %d", e.Line))
	}
	require.Equal(t, 9, n)
}

// Whatever the comments are, collecting ends, positions lie in the file, and nothing is reported for a file that
// does not mention the tool.
func FuzzCollect(f *testing.F) {
	f.Add("package p\n\n//netcode:command id=0x1 predicted name=A.B\ntype T struct{}\n")
	f.Add("package p\n\n//netcode:command id=0 predict predicted predicted\ntype T struct{}\n")
	f.Add("package p\n\n// netcode:comand\ntype (\n//netcode:deterministic\nT int)\n")
	f.Add("package p\nfunc f() {\n//netcode:nondeterministic\nfor {}//netcode:nondeterministic x\n}")
	f.Add("//netcode:\n//netcode: command\n/*netcode:command*/package p")
	f.Add("package p\n\n//netcode:replicated class=1 vers:2 pin=1:00 minimum=9\ntype T struct{}\n")
	f.Fuzz(func(t *testing.T, src string) {
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
		if file == nil {
			return
		}
		out := directive.Collect(fset, file)
		tf := fset.File(file.FileStart)
		inside := func(pos, end token.Pos) {
			if pos > end || pos < token.Pos(tf.Base()) || end > token.Pos(tf.Base()+tf.Size()+2) {
				t.Fatalf("[%d, %d) is outside of the file", pos, end)
			}
		}
		last := token.NoPos
		for _, p := range out.Problems {
			inside(p.Pos, p.End)
			if p.Pos < last || p.Message == "" || codeName(p.Code) == "" {
				t.Fatalf("bad problem %+v", p)
			}
			last = p.Pos
			if p.Fix != nil {
				inside(p.Fix.Pos, p.Fix.End)
			}
		}
		for _, typ := range out.Types {
			if d := typ.Directive; d.Options.Pinned {
				inside(d.Options.IDPos, d.Options.IDEnd)
			}
		}
		if n := len(out.Types) + len(out.Deterministic) + len(out.Nondeterministic); n > 0 && !strings.Contains(src, "netcode:") {
			t.Fatalf("%d directives out of nothing", n)
		}
	})
}

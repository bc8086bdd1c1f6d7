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
	"github.com/ariadne-netcode/ariadne/registry"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // kind and what it says, or "" if it is no directive
		bad  string // the problem as "column-end code: part of the message", or "" for none
		fix  string // the text after the fix, or "" if there is none
	}{
		{text: "//netcode:command", want: "command"},
		{text: "//netcode:command predicted", want: "command predicted"},
		{text: "//netcode:command id=0x2A", want: "command id=0x000000000000002A"},
		{text: "//netcode:command id=0X2a", want: "command id=0x000000000000002A"},
		{text: "//netcode:command id=0xFFFFFFFFFFFFFFFF", want: "command id=0xFFFFFFFFFFFFFFFF"},
		{text: "//netcode:command id=0xDEAD_BEEF", want: "command id=0x00000000DEADBEEF"},
		{text: "//netcode:command id=0x00000000000000000001", want: "command id=0x0000000000000001"},
		{text: "//netcode:command name=Game.Commands+Swap`1", want: "command name=Game.Commands+Swap`1"},
		{text: "//netcode:command name=Spiel.Öffnen", want: "command name=Spiel.Öffnen"},
		{text: "//netcode:command  \t name=A.B  predicted\tid=0x1 ", want: "command id=0x0000000000000001 predicted name=A.B"},
		{text: "//netcode:command // a remark", want: "command"},
		{text: "//netcode:command predicted // a = remark // more", want: "command predicted"},
		{text: "//netcode:command\r", want: "command"},
		{text: "//netcode:deterministic", want: "deterministic"},
		{text: "//netcode:deterministic // why not", want: "deterministic"},
		{text: "//netcode:nondeterministic order does not matter", want: "nondeterministic (order does not matter)"},
		{text: "//netcode:nondeterministic see https://example.com // a remark", want: "nondeterministic (see https://example.com)"},

		{text: "//netcode:replicated class=42 version=3", want: "replicated class=42 version=3 minimum=3"},
		{text: "//netcode:replicated version=0x3 minimum=2 class=0 // a remark", want: "replicated class=0 version=3 minimum=2"},
		{text: "//netcode:replicated class=4294967295 version=4_294_967_295 minimum=1", want: "replicated class=4294967295 version=4294967295 minimum=1"},
		{text: "//netcode:replicated class=1 version=2 pin=1:000102030405060708090a0b0c0d0e0f pin=2:ffffffffffffffffffffffffffffffff",
			want: "replicated class=1 version=2 minimum=2 pin=1:000102030405060708090a0b0c0d0e0f pin=2:ffffffffffffffffffffffffffffffff"},

		// Not ours, and not near enough.
		{text: "// A comment."},
		{text: "//"},
		{text: "/**/"},
		{text: "//go:generate go tool netcmdgen"},
		{text: "//go:build netcode"},
		{text: "//nolint:command"},
		{text: "// netcode:command marks a type as a command."},
		{text: "// netcode: commands"},
		{text: "// netcode command"},
		{text: "// netcode commands are sent at once"},
		{text: "// netcode:deterministic code has no clock"},
		{text: "//\tnetcode:command predicted"},
		{text: "//\t//netcode:command predicted"},
		{text: "// //netcode:command predicted"},
		{text: "// Netcode is hard: commands help."},
		{text: "//node:command"},
		{text: "//netcode"},
		{text: "/* netcode:command\nand more */"},
		{text: "/* netcode:command is a directive */"},

		// Options.
		{text: "//netcode:command id=0", want: "command", bad: "19-23 BadID: hexadecimal", fix: "//netcode:command id=0x0"},
		{text: "//netcode:command id=42", want: "command", bad: "19-24 BadID: id=0x2A", fix: "//netcode:command id=0x2A"},
		{text: "//netcode:command id=", want: "command", bad: "19-22 BadID: hexadecimal"},
		{text: "//netcode:command id", want: "command", bad: "19-21 BadID: hexadecimal"},
		{text: "//netcode:command id=0x", want: "command", bad: "19-24 BadID: not a hexadecimal number"},
		{text: "//netcode:command id=0xG", want: "command", bad: "19-25 BadID: \"0xG\" is not a hexadecimal number"},
		{text: "//netcode:command id=-0x1", want: "command", bad: "19-26 BadID: hexadecimal"},
		{text: "//netcode:command id=0x1__2", want: "command", bad: "19-28 BadID: not a hexadecimal number"},
		{text: "//netcode:command id=0x10000000000000000", want: "command", bad: "19-41 BadID: more than 64 bits"},
		{text: "//netcode:command id=0x0", want: "command id=0x0000000000000000", bad: "19-25 ZeroID: belongs to no type"},
		{text: "//netcode:command predicted predicted", want: "command predicted", bad: "29-38 DuplicateOption: predicted is given twice", fix: "//netcode:command predicted "},
		{text: "//netcode:command id=0x1 id=0x2", want: "command id=0x0000000000000001", bad: "26-32 DuplicateOption: id is given twice", fix: "//netcode:command id=0x1 "},
		{text: "//netcode:command predicted=true", want: "command predicted", bad: "19-33 BadOption: takes no value", fix: "//netcode:command predicted"},
		{text: "//netcode:command predict", want: "command", bad: "19-26 UnknownOption: did you mean predicted?", fix: "//netcode:command predicted"},
		{text: "//netcode:command Predicted", want: "command", bad: "19-28 UnknownOption: did you mean predicted?", fix: "//netcode:command predicted"},
		{text: "//netcode:command --id=0x7 ", want: "command", bad: "19-27 UnknownOption: did you mean id=0x7?", fix: "//netcode:command id=0x7 "},
		{text: "//netcode:command id:0x7", want: "command", bad: "19-25 UnknownOption: did you mean id=0x7?", fix: "//netcode:command id=0x7"},
		{text: "//netcode:command ID=0x7", want: "command", bad: "19-25 UnknownOption: did you mean id=0x7?", fix: "//netcode:command id=0x7"},
		{text: "//netcode:command nmae=A.B", want: "command", bad: "19-27 UnknownOption: did you mean name=A.B?", fix: "//netcode:command name=A.B"},
		{text: "//netcode:command reliable", want: "command", bad: "19-27 UnknownOption: \"reliable\": the options are"},
		{text: "//netcode:command ,", want: "command", bad: "19-20 UnknownOption: the options are"},
		{text: "//netcode:command name=", want: "command", bad: "19-24 BadName: empty"},
		{text: "//netcode:command name=\"A.B\"", want: "command", bad: "19-29 BadName: not the name of a type"},
		{text: "//netcode:command name=A\u200bB", want: "command", bad: "19-29 BadName: invisible"},
		{text: "//netcode:command name=A\xff", want: "command", bad: "19-26 BadName: not UTF-8"},
		{text: "//netcode:replicated version=1", want: "replicated class=0 version=1 minimum=1", bad: "1-31 MissingOption: needs the option class"},
		{text: "//netcode:replicated class=1", want: "replicated class=1 version=0 minimum=0", bad: "1-29 MissingOption: needs the option version"},
		{text: "//netcode:replicated class=1 version=0", want: "replicated class=1 version=0 minimum=0", bad: "30-39 BadOption: versions begin at 1"},
		{text: "//netcode:replicated class=1 version=1 minimum=0", want: "replicated class=1 version=1 minimum=0", bad: "40-49 BadOption: minimums begin at 1"},
		{text: "//netcode:replicated class=1 version=1 minimum=2", want: "replicated class=1 version=1 minimum=2", bad: "40-49 BadOption: no peer would be accepted"},
		{text: "//netcode:replicated class=4294967296 version=1", want: "replicated class=0 version=1 minimum=1", bad: "22-38 BadOption: at most 32 bits"},
		{text: "//netcode:replicated class= version=1", want: "replicated class=0 version=1 minimum=1", bad: "22-28 BadOption: at most 32 bits"},
		{text: "//netcode:replicated class=-1 version=1", want: "replicated class=0 version=1 minimum=1", bad: "22-30 BadOption: at most 32 bits"},
		{text: "//netcode:replicated class=1 class=2 version=1", want: "replicated class=1 version=1 minimum=1", bad: "30-37 DuplicateOption: class is given twice", fix: "//netcode:replicated class=1  version=1"},
		{text: "//netcode:replicated class=1 version=1 pin=1:00", want: "replicated class=1 version=1 minimum=1", bad: "40-48 BadOption: 32 hexadecimal digits"},
		{text: "//netcode:replicated class=1 version=1 pin=1:FF0102030405060708090a0b0c0d0e0f", want: "replicated class=1 version=1 minimum=1", bad: "40-78 BadOption: 32 hexadecimal digits"},
		{text: "//netcode:replicated class=1 version=1 pin=2:000102030405060708090a0b0c0d0e0f", want: "replicated class=1 version=1 minimum=1 pin=2:000102030405060708090a0b0c0d0e0f", bad: "40-78 BadOption: version 2 is pinned"},
		{text: "//netcode:replicated class=1 version=1 pin=1:000102030405060708090a0b0c0d0e0f pin=1:000102030405060708090a0b0c0d0e0f", want: "replicated class=1 version=1 minimum=1 pin=1:000102030405060708090a0b0c0d0e0f",
			bad: "79-117 DuplicateOption: pin=1 is given twice", fix: "//netcode:replicated class=1 version=1 pin=1:000102030405060708090a0b0c0d0e0f "},
		{text: "//netcode:replicated class=1 ver=1 version=1", want: "replicated class=1 version=1 minimum=1", bad: "30-35 UnknownOption: did you mean version=1?", fix: "//netcode:replicated class=1 version=1 version=1"},
		{text: "//netcode:replicated clas=1 version=1 class=1", want: "replicated class=1 version=1 minimum=1", bad: "22-28 UnknownOption: did you mean class=1?", fix: "//netcode:replicated class=1 version=1 class=1"},
		{text: "//netcode:replicated class=1 version=1 min:1", want: "replicated class=1 version=1 minimum=1", bad: "40-45 UnknownOption: did you mean minimum=1?", fix: "//netcode:replicated class=1 version=1 minimum=1"},
		{text: "//netcode:replicated class=1 version=1 predicted", want: "replicated class=1 version=1 minimum=1", bad: "40-49 UnknownOption: the options are"},
		{text: "//netcode:deterministic yes", want: "deterministic", bad: "25-28 Unexpected: \"yes\""},
		{text: "//netcode:nondeterministic", want: "nondeterministic ()", bad: "1-27 NoReason: needs a reason"},
		{text: "//netcode:nondeterministic // todo", want: "nondeterministic ()", bad: "1-35 NoReason: needs a reason"},

		// Spelling.
		{text: "//netcode:comand predicted", bad: "11-17 Misspelt: did you mean //netcode:command?", fix: "//netcode:command predicted"},
		{text: "//netcode:commadn", bad: "11-18 Misspelt: did you mean //netcode:command?", fix: "//netcode:command"},
		{text: "//netcode:deterministc", bad: "11-23 Misspelt: did you mean //netcode:deterministic?", fix: "//netcode:deterministic"},
		{text: "//netcode:nondeterminstic r", bad: "11-26 Misspelt: did you mean //netcode:nondeterministic?", fix: "//netcode:nondeterministic r"},
		{text: "//netcode:replicate", bad: "11-20 Misspelt: did you mean //netcode:replicated?", fix: "//netcode:replicated"},
		{text: "//netcode:replicated,class=1", bad: "11-29 Misspelt: the directives are"},
		{text: "// netcode:replicated class=1 version=2", bad: "1-40 Spaced: no space", fix: "//netcode:replicated class=1 version=2"},
		{text: "// netcode:replicated structs have a class"},
		{text: "//netcode:command,predicted", bad: "11-28 Misspelt: the directives are"},
		{text: "//netcode:Command", bad: "1-18 Misspelt: did you mean //netcode:command?", fix: "//netcode:command"},
		{text: "//netcode: command predicted", bad: "1-29 Misspelt: did you mean //netcode:command?", fix: "//netcode:command predicted"},
		{text: "//netcode command", bad: "1-18 Misspelt: did you mean //netcode:command?", fix: "//netcode:command"},
		{text: "//netcode.command id=0x1", bad: "1-25 Misspelt: did you mean //netcode:command?", fix: "//netcode:command id=0x1"},
		{text: "//netcode::command", bad: "1-19 Misspelt: did you mean //netcode:command?", fix: "//netcode:command"},
		{text: "//necode:command", bad: "1-17 Misspelt: did you mean //netcode:command?", fix: "//netcode:command"},
		{text: "//Netcode:comand", bad: "1-17 Misspelt: did you mean //netcode:command?", fix: "//netcode:command"},
		{text: "//net-code:command"},
		{text: "/*netcode:command*/", bad: "1-20 Misspelt: line comment"},
		{text: "/* netcode:command predicted */", bad: "1-31 Misspelt: line comment"},
		{text: "// netcode:command", bad: "1-19 Spaced: no space", fix: "//netcode:command"},
		{text: "// netcode:command predicted id=0x4", bad: "1-36 Spaced: no space", fix: "//netcode:command predicted id=0x4"},
		{text: "//  Netcode:Command predictd", bad: "1-29 Spaced: no space", fix: "//netcode:command predictd"},
		{text: "// netcode:deterministic", bad: "1-25 Spaced: no space", fix: "//netcode:deterministic"},
		{text: "// netcode:nondeterministic sorted below", bad: "1-41 Spaced: no space", fix: "//netcode:nondeterministic sorted below"},
	} {
		t.Run(c.text, func(t *testing.T) {
			d, problems, ok := directive.Parse(1, c.text)
			got := ""
			if ok {
				got = describe(d)
				require.Equal(t, token.Pos(1), d.Pos)
				require.Equal(t, token.Pos(1+len(c.text)), d.End)
			}
			require.Equal(t, c.want, got)
			if c.bad == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			p := problems[0]
			place, message, _ := strings.Cut(c.bad, ": ")
			require.Equal(t, place, fmt.Sprintf("%d-%d %v", p.Pos, p.End, codeName(p.Code)))
			require.Contains(t, p.Message, message)
			fixed := ""
			if p.Fix != nil {
				require.NotEmpty(t, p.Fix.Message)
				fixed = c.text[:p.Fix.Pos-1] + p.Fix.Text + c.text[p.Fix.End-1:]
			}
			require.Equal(t, c.fix, fixed)
		})
	}
}

// Several mistakes in one directive are all reported.
func TestParseReportsAll(t *testing.T) {
	d, problems, ok := directive.Parse(100, "//netcode:command predicted id=5 foo name= predicted")
	require.True(t, ok)
	require.True(t, d.Options.Predicted)
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%d %s", p.Pos, codeName(p.Code)))
	}
	require.Equal(t, []string{"128 BadID", "133 UnknownOption", "137 BadName", "143 DuplicateOption"}, got)
}

func TestOptionPosition(t *testing.T) {
	text := "//netcode:command predicted id=0x0 name=A"
	d, _, _ := directive.Parse(10, text)
	require.True(t, d.Options.Pinned)
	require.Equal(t, "id=0x0", text[d.Options.IDPos-10:d.Options.IDEnd-10])
}

func TestFullName(t *testing.T) {
	for _, c := range []struct{ path, name, typ, want string }{
		{"example.com/game", "game", "Move", "example.com/game.Move"},
		{"example.com/game/v2", "game", "Move", "example.com/game/v2.Move"},
		{"example.com/game [example.com/game.test]", "game", "Move", "example.com/game.Move"},
		{"example.com/game_test", "game_test", "Move", "example.com/game_test.Move"},
		{"example.com/game_test [example.com/game.test]", "game_test", "Move", "example.com/game_test.Move"},
		{"example.com/sled", "main", "Push", "main.Push"},
		{"main", "main", "Push", "main.Push"},
		{"example.com/sled_test", "main_test", "Push", "example.com/sled_test.Push"},
	} {
		require.Equal(t, c.want, directive.FullName(c.path, c.name, c.typ))
	}
}

// here is a type of this test, whose full name the running program knows.
type here struct{}

func TestResolve(t *testing.T) {
	const path = "github.com/ariadne-netcode/ariadne/internal/directive_test"
	full := directive.FullName(path, "directive_test", "here")
	require.Equal(t, registry.IDOf[here](), directive.Options{}.Resolve(full))
	require.Equal(t, full, directive.Options{}.Label(full))

	named := directive.Options{Name: "Game.Commands+Move"}
	require.Equal(t, registry.HashName("Game.Commands+Move"), named.Resolve(full))
	require.Equal(t, "Game.Commands+Move", named.Label(full))

	pinned := directive.Options{Name: "Game.Move", Pinned: true, ID: 7}
	require.EqualValues(t, 7, pinned.Resolve(full))
	require.EqualValues(t, 0, directive.Options{Pinned: true}.Resolve(full), "zero was written down")
}

func describe(d directive.Directive) string {
	s := d.Kind.String()
	if d.Options.Pinned {
		s += fmt.Sprintf(" id=%v", d.Options.ID)
	}
	if d.Options.Predicted {
		s += " predicted"
	}
	if d.Options.Name != "" {
		s += " name=" + d.Options.Name
	}
	if d.Kind == directive.Replicated {
		s += fmt.Sprintf(" class=%d version=%d minimum=%d", d.Class.Number, d.Class.Version, d.Class.Minimum)
		for _, pin := range d.Class.Pins {
			s += fmt.Sprintf(" pin=%d:%s", pin.Version, pin.Hash)
		}
	}
	if d.Kind == directive.Nondeterministic {
		s += " (" + d.Reason + ")"
	}
	return s
}

func codeName(c directive.Code) string {
	return map[directive.Code]string{
		directive.ZeroID: "ZeroID", directive.BadID: "BadID", directive.BadName: "BadName",
		directive.BadOption: "BadOption", directive.UnknownOption: "UnknownOption",
		directive.DuplicateOption: "DuplicateOption", directive.Duplicate: "Duplicate",
		directive.Misplaced: "Misplaced", directive.Misspelt: "Misspelt", directive.Spaced: "Spaced",
		directive.NoReason: "NoReason", directive.Unexpected: "Unexpected",
		directive.MissingOption: "MissingOption",
	}[c]
}

func parse(t testing.TB, src string) (*token.FileSet, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	return fset, f
}

package directive

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// Tool is what every directive begins with, after the slashes and before the colon.
const Tool = "netcode"

// Kind says which directive a comment is.
type Kind uint8

// The directives. Invalid is none of them.
const (
	Invalid          Kind = iota
	Command               // marks a type as a command
	Deterministic         // marks simulation code
	Nondeterministic      // excuses a line of simulation code
	Replicated            // marks a struct as a replicated class
)

var kindNames = [...]string{
	Command: "command", Deterministic: "deterministic", Nondeterministic: "nondeterministic", Replicated: "replicated",
}

// String returns the word behind the colon.
func (k Kind) String() string {
	if k == Invalid || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// kindOf returns the kind with a name, or Invalid.
func kindOf(name string) Kind {
	for k, have := range kindNames {
		if have == name && have != "" {
			return Kind(k)
		}
	}
	return Invalid
}

// Directive is one comment that is a directive, perhaps with faults; see [Parse].
type Directive struct {
	Kind     Kind
	Pos, End token.Pos // of the comment
	Options  Options   // of a Command
	Class    Class     // of a Replicated
	Reason   string    // of a Nondeterministic
}

// Options are what a command directive says about its type.
type Options struct {
	ID     netcode.TypeID
	Pinned bool // ID was written down. It may still be zero, which [ZeroID] reports.

	// IDPos and IDEnd enclose the whole option that pins the id, for a fix to replace. They are valid if Pinned.
	IDPos, IDEnd token.Pos

	Predicted bool
	Name      string // empty if the type goes by its Go name
}

// Parse reads one comment, as [ast.Comment] holds it, that begins at pos. It returns false if the comment is not
// a directive of ours; there may be a problem even then, if it looks as if it was meant to be one.
//
// A directive with problems has what could be read of it. Where a comment stands is not Parse's business.
func Parse(pos token.Pos, text string) (Directive, []Problem, bool) {
	raw, ok := ast.ParseDirective(pos, text)
	if !ok || raw.Tool != Tool {
		if p, ok := suspect(pos, text); ok {
			return Directive{}, []Problem{p}, false
		}
		return Directive{}, nil, false
	}
	d := Directive{Kind: kindOf(raw.Name), Pos: pos, End: pos + token.Pos(len(text))}
	if d.Kind == Invalid {
		return Directive{}, []Problem{unknown(pos, raw.Name)}, false
	}
	args, argsPos := withoutRemark(raw.Args), raw.ArgsPos
	var problems []Problem
	switch d.Kind {
	case Command:
		d.Options, problems = parseOptions(argsPos, args)
	case Replicated:
		d.Class, problems = parseClass(d, argsPos, args)
	case Deterministic:
		if args != "" {
			problems = append(problems, Problem{
				Code: Unexpected, Pos: argsPos, End: argsPos + token.Pos(len(args)),
				Message: fmt.Sprintf("//netcode:deterministic takes no arguments, and here is %q", args),
			})
		}
	case Nondeterministic:
		d.Reason = args
		if args == "" {
			problems = append(problems, Problem{
				Code: NoReason, Pos: d.Pos, End: d.End,
				Message: "//netcode:nondeterministic needs a reason: say why this line does no harm",
			})
		}
	}
	return d, problems, true
}

// withoutRemark cuts a remark off the end of a directive's arguments.
func withoutRemark(args string) string {
	if strings.HasPrefix(args, "//") {
		return ""
	}
	for i := range len(args) - 1 {
		if args[i:i+2] == "//" && (args[i-1] == ' ' || args[i-1] == '\t') {
			return strings.TrimRightFunc(args[:i], unicode.IsSpace)
		}
	}
	return args
}

// word is a part of a directive between spaces.
type word struct {
	text     string
	pos, end token.Pos
}

func split(pos token.Pos, s string) []word {
	var words []word
	for {
		trimmed := strings.TrimLeftFunc(s, unicode.IsSpace)
		pos += token.Pos(len(s) - len(trimmed))
		if s = trimmed; s == "" {
			return words
		}
		n := strings.IndexFunc(s, unicode.IsSpace)
		if n < 0 {
			n = len(s)
		}
		words = append(words, word{s[:n], pos, pos + token.Pos(n)})
		pos, s = pos+token.Pos(n), s[n:]
	}
}

func parseOptions(pos token.Pos, args string) (Options, []Problem) {
	var o Options
	var problems []Problem
	seen := map[string]bool{}
	for _, w := range split(pos, args) {
		say := func(code Code, fix *Fix, format string, a ...any) {
			problems = append(problems, Problem{code, w.pos, w.end, fmt.Sprintf(format, a...), fix})
		}
		key, value, hasValue := strings.Cut(w.text, "=")
		if key != "id" && key != "predicted" && key != "name" {
			problems = append(problems, unknownOption(w))
			continue
		}
		if seen[key] {
			problems = append(problems, givenTwice(w, key))
			continue
		}
		seen[key] = true
		switch key {
		case "predicted":
			if hasValue {
				say(BadOption, &Fix{"write predicted", w.pos, w.end, "predicted"}, "option predicted takes no value")
			}
			o.Predicted = true
		case "id":
			id, fix, complaint := parseID(w, value)
			if complaint != "" {
				say(BadID, fix, "%s", complaint)
				continue
			}
			o.ID, o.Pinned, o.IDPos, o.IDEnd = id, true, w.pos, w.end
			if id == 0 {
				say(ZeroID, nil, "id zero belongs to no type: pin another one, or leave the option out and the id follows from the name")
			}
		case "name":
			if complaint := badName(value); complaint != "" {
				say(BadName, nil, "%s", complaint)
				continue
			}
			o.Name = value
		}
	}
	return o, problems
}

func givenTwice(w word, what string) Problem {
	return Problem{DuplicateOption, w.pos, w.end, fmt.Sprintf("option %s is given twice", what), &Fix{"remove the second one", w.pos, w.end, ""}}
}

// parseID reads the value of the option id, or says what is wrong with it.
func parseID(w word, value string) (id netcode.TypeID, fix *Fix, complaint string) {
	digits, ok := strings.CutPrefix(value, "0x")
	if !ok {
		digits, ok = strings.CutPrefix(value, "0X")
	}
	if !ok {
		if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			hex := fmt.Sprintf("id=0x%X", n)
			fix = &Fix{"write " + hex, w.pos, w.end, hex}
		}
		return 0, fix, fmt.Sprintf("an id is written in hexadecimal, such as id=0x2A; this is %q", value)
	}
	n, err := strconv.ParseUint("0x"+digits, 0, 64) // base 0 allows underscores between digits
	switch {
	case err == nil:
		return netcode.TypeID(n), nil, ""
	case len(strings.TrimLeft(strings.ReplaceAll(digits, "_", ""), "0123456789abcdefABCDEF")) == 0 && len(digits) > 16:
		return 0, nil, fmt.Sprintf("id %s has more than 64 bits", value)
	}
	return 0, nil, fmt.Sprintf("id %q is not a hexadecimal number", value)
}

// badName says why a name will not do. Names are hashed byte for byte, so whatever is visible is allowed.
func badName(name string) string {
	switch {
	case name == "":
		return "option name is empty: write name=Namespace.Type"
	case !utf8.ValidString(name):
		return fmt.Sprintf("name %q is not UTF-8", name)
	}
	for _, r := range name {
		if !unicode.IsGraphic(r) {
			return fmt.Sprintf("name %q has invisible characters in it", name)
		}
	}
	if strings.ContainsAny(name, "\"'=,") {
		return fmt.Sprintf("name %q is not the name of a type", name)
	}
	return ""
}

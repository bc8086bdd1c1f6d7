package directive

import (
	"cmp"
	"go/token"
	"slices"
)

// Code says what kind of mistake a [Problem] is.
type Code uint8

// The kinds of mistakes.
const (
	_               Code = iota
	ZeroID               // id=0x0
	BadID                // an id that is no hexadecimal number of 64 bits
	BadName              // a name that cannot be one
	BadOption            // a known option in a wrong form
	UnknownOption        // a word that is no option
	DuplicateOption      // an option given twice
	Duplicate            // a second directive for the same thing
	Misplaced            // a directive where it has no effect
	Misspelt             // a comment that is nearly a directive
	Spaced               // a directive with a space behind its slashes, which makes it prose
	NoReason             // a nondeterministic directive without its reason
	Unexpected           // arguments where there are none
	MissingOption        // an option that must be given is not
)

// Problem is a mistake in a directive, or in what was probably meant as one.
type Problem struct {
	Code     Code
	Pos, End token.Pos // of the part of the source that is wrong
	Message  string    // what is wrong and what to do about it
	Fix      *Fix      // a change of the source that mends it, or nil if that is for a person to decide
}

// Fix replaces a piece of source.
type Fix struct {
	Message  string // what it does, beginning with a verb
	Pos, End token.Pos
	Text     string
}

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int { return cmp.Compare(a.Pos, b.Pos) })
}

package directive

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

const theDirectives = "the directives are //netcode:command, //netcode:replicated, //netcode:deterministic and //netcode:nondeterministic"

// unknown reports a directive of our tool that does not exist.
func unknown(pos token.Pos, name string) Problem {
	start := pos + token.Pos(len("//"+Tool+":"))
	p := Problem{Code: Misspelt, Pos: start, End: start + token.Pos(len(name))}
	if k := nearest(name); k != Invalid {
		p.Message = fmt.Sprintf("unknown directive //netcode:%s: did you mean //netcode:%v?", name, k)
		p.Fix = &Fix{fmt.Sprintf("write //netcode:%v", k), p.Pos, p.End, k.String()}
	} else {
		p.Message = fmt.Sprintf("unknown directive //netcode:%s: %s", name, theDirectives)
	}
	return p
}

func unknownOption(w word) Problem {
	p := Problem{Code: UnknownOption, Pos: w.pos, End: w.end}
	key := strings.ToLower(strings.TrimLeft(w.text, "-"))
	suggest := ""
	switch {
	case distance(key, "predicted") <= 3 || key == "predict":
		suggest = "predicted"
	default:
		if i := strings.IndexAny(key, "=:"); i > 0 {
			value := strings.TrimLeft(w.text, "-")[i+1:]
			switch k := key[:i]; {
			case distance(k, "id") <= 1 && value != "":
				suggest = "id=" + value
			case distance(k, "name") <= 1 && value != "":
				suggest = "name=" + value
			}
		}
	}
	if suggest == "" {
		p.Message = fmt.Sprintf("unknown option %q: the options are id=0x..., predicted and name=...", w.text)
		return p
	}
	p.Message = fmt.Sprintf("unknown option %q: did you mean %s?", w.text, suggest)
	p.Fix = &Fix{"write " + suggest, w.pos, w.end, suggest}
	return p
}

func unknownClassOption(w word) Problem {
	p := Problem{Code: UnknownOption, Pos: w.pos, End: w.end}
	key, value, found := strings.Cut(strings.TrimLeft(w.text, "-"), "=")
	if !found {
		key, value, _ = strings.Cut(key, ":")
	}
	key = strings.ToLower(key)
	best, at := "", 3
	for _, option := range []string{"class", "version", "minimum", "pin"} {
		d := distance(key, option)
		if len(key) >= 3 && strings.HasPrefix(option, key) {
			d = 0 // shortened
		}
		if d < min(at, len(option)-1) {
			best, at = option+"="+value, d
		}
	}
	if best == "" || value == "" {
		p.Message = fmt.Sprintf("unknown option %q: the options are class=, version=, minimum= and pin=", w.text)
		return p
	}
	p.Message = fmt.Sprintf("unknown option %q: did you mean %s?", w.text, best)
	p.Fix = &Fix{"write " + best, w.pos, w.end, best}
	return p
}

// looseForm matches what somebody may write who means a directive: slashes, perhaps spaces, a word, something
// like a colon, a word, and the rest. A tab behind the slashes makes it a code block of a doc comment.
var looseForm = regexp.MustCompile(`^(//|/\*)( *)([A-Za-z]+)( *[:.=/_-]+ *| +)([A-Za-z]+)([^A-Za-z].*|)$`)

// suspect looks for a directive in a comment that is none.
func suspect(pos token.Pos, text string) (Problem, bool) {
	block := strings.HasPrefix(text, "/*")
	if block {
		if strings.Contains(text, "\n") {
			return Problem{}, false
		}
		text = strings.TrimRight(strings.TrimSuffix(text, "*/"), " ")
	}
	m := looseForm.FindStringSubmatch(text)
	if m == nil {
		return Problem{}, false
	}
	spaces, tool, colon, verb, rest := m[2], m[3], m[4], m[5], m[6]

	kind := nearest(strings.ToLower(verb))
	if kind == Invalid || distance(strings.ToLower(tool), Tool) > 2 {
		return Problem{}, false
	}
	exact := strings.EqualFold(tool, Tool) && strings.EqualFold(verb, kind.String())
	prose := spaces != "" || strings.TrimSpace(colon) == ""
	if prose && !exact || !plausible(kind, rest, prose) || spaces != "" && strings.TrimSpace(colon) == "" {
		return Problem{}, false
	}

	end := pos + token.Pos(len(text))
	if block {
		end += token.Pos(len("*/")) // at least
	}
	right := "//" + Tool + ":" + kind.String()
	p := Problem{Code: Misspelt, Pos: pos, End: end}
	switch {
	case block:
		p.Message = fmt.Sprintf("a directive is a line comment: write %s", right)
		return p, true
	case spaces != "":
		p.Code = Spaced
		p.Message = fmt.Sprintf("no space may follow the slashes of a directive: write %s", right)
	default:
		p.Message = fmt.Sprintf("this is no directive: did you mean %s?", right)
	}
	p.Fix = &Fix{"write " + right, pos, pos + token.Pos(len(text)-len(rest)), right}
	return p, true
}

// plausible reports whether a directive of this kind may go on with rest. A sentence may begin with the words of
// a directive too, and then goes on differently.
func plausible(kind Kind, rest string, prose bool) bool {
	rest = strings.TrimSpace(rest)
	switch kind {
	case Nondeterministic:
		return rest != "" || !prose
	case Deterministic:
		return rest == "" || strings.HasPrefix(rest, "//")
	}
	for _, w := range split(0, withoutRemark(rest)) {
		if !strings.Contains(w.text, "=") && (kind == Replicated || distance(strings.ToLower(w.text), "predicted") > 2) {
			return false
		}
	}
	return true
}

// nearest returns the kind whose name is, give or take two letters, what was written.
func nearest(name string) Kind {
	best, at := Invalid, 3
	for k := Command; int(k) < len(kindNames); k++ {
		if d := distance(name, kindNames[k]); d < at {
			best, at = k, d
		}
	}
	return best
}

// distance counts the letters that must be inserted, removed, replaced or swapped with their neighbours to turn a
// into b. It returns a large number for texts that are far too long to be alike.
func distance(a, b string) int {
	if len(a) > 2*len(b)+8 {
		return len(a)
	}
	// d[i][j] is the distance of a[:i] and b[:j].
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

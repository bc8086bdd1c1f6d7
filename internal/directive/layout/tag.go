package layout

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// key is the part of a struct tag that is ours.
const key = "rep"

// tag is a rep tag, taken apart.
type tag struct {
	kind    string
	options map[string]string
}

// options lists what a tag may say for each kind of field, besides what it may say for all of them.
var options = map[string][]string{
	"bool":       {},
	"int":        {"min", "max"},
	"uint":       {"min", "max"},
	"enum":       {"min", "max"},
	"scalar":     {"min", "max", "per"},
	"vector3":    {"min", "max", "per"},
	"quat":       {"bits"},
	"bytes":      {"max"},
	"collection": {"of", "items", "min", "max", "per", "bits"},
}

// always lists what a tag may say whatever the kind.
var always = []string{"name", "owner", "cond", "since"}

const kinds = "bool, int, uint, enum, scalar, vector3, quat, bytes and collection"

// parseTag takes the part of a struct tag apart that is ours. It returns false if there is none.
func parseTag(raw string) (t tag, ok bool, complaint string) {
	text, ok := reflect.StructTag(raw).Lookup(key)
	if !ok {
		if hasWord(raw, key) {
			return t, false, "has a malformed tag: write `rep:\"int,min=0,max=100\"`"
		}
		return t, false, ""
	}
	words := strings.Split(text, ",")
	t.kind, t.options = words[0], map[string]string{}
	allowed, known := options[t.kind]
	if !known {
		if t.kind == "" {
			return t, true, "has no kind in its rep tag: the first word is one of " + kinds
		}
		return t, true, fmt.Sprintf("has %q for its kind: the kinds are %s", t.kind, kinds)
	}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		switch _, twice := t.options[name]; {
		case !slices.Contains(always, name) && !slices.Contains(allowed, name):
			return t, true, fmt.Sprintf("has %q in its tag: the options of a field of kind %s are %s", w, t.kind, list(slices.Concat(allowed, always)))
		case value == "":
			return t, true, fmt.Sprintf("has %s without a value in its tag: write %[1]s=...", name)
		case twice:
			return t, true, fmt.Sprintf("has %s twice in its tag", name)
		}
		t.options[name] = value
	}
	return t, true, ""
}

// hasWord reports whether a struct tag that does not parse was probably meant to have a key.
func hasWord(raw, key string) bool {
	at := strings.Index(raw, key+":")
	return at == 0 || at > 0 && (raw[at-1] == ' ' || raw[at-1] == '"')
}

// list joins words to an enumeration.
func list(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// number reads an option that is a number from 1 to top. It returns the default if the option is not given.
func (t *tag) number(name string, top, otherwise uint32) (n uint32, complaint string) {
	s, ok := t.options[name]
	if !ok {
		return otherwise, ""
	}
	v, err := strconv.ParseUint(s, 0, 32)
	if err != nil || v == 0 || uint32(v) > top {
		return 0, fmt.Sprintf("has %s=%s in its tag: it must be a number from 1 to %d", name, s, top)
	}
	return uint32(v), ""
}

// choose reads an option that is one of some words.
func choose[T any](t *tag, name string, words map[string]T) (v T, complaint string) {
	s, ok := t.options[name]
	if !ok {
		return v, ""
	}
	v, ok = words[s]
	if !ok {
		return v, fmt.Sprintf("has %s=%s in its tag: it is one of %s", name, s, list(slices.Sorted(maps.Keys(words))))
	}
	return v, ""
}

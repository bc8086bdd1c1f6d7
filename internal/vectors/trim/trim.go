package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// array is one array of a document, given by byte offsets.
type array struct {
	section  string // its key in the root object; empty for an array that is the root
	elements []element
}

// element is one element of an array.
type element struct {
	start, end int    // its text in the document
	group      string // what it is about; empty means always kept
	separator  int    // length of the text between two elements of its array
	id         string
	pair       []string // ids of the two elements that it compares; without both it says nothing
	keep       bool
}

// size is what keeping the element adds to the copy.
func (e *element) size() int { return e.end - e.start + e.separator }

// report says what a copy contains.
type report struct {
	elements, kept int
	missing        []string // groups without an element in the copy, sorted
}

// trim returns the document with so many elements left out that it has at most limit bytes.
func trim(text []byte, limit int) ([]byte, report, error) {
	arrays, err := scan(text)
	if err != nil {
		return nil, report{}, err
	}
	choose(arrays, len(text), limit)

	out := splice(text, arrays)
	if len(out) > limit {
		return nil, report{}, fmt.Errorf("%d bytes that must be kept exceed the limit of %d", len(out), limit)
	}
	return out, describe(arrays), nil
}

// scan finds the arrays that can be trimmed.
func scan(text []byte) ([]array, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil {
		return nil, err
	}
	var arrays []array
	switch open {
	case json.Delim('['):
		a, err := scanArray(d, text, "")
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			rest := bytes.TrimLeft(text[d.InputOffset():], ": \t\r\n")
			if !bytes.HasPrefix(rest, []byte("[")) {
				var skipped json.RawMessage
				if err := d.Decode(&skipped); err != nil {
					return nil, err
				}
				continue
			}
			if _, err := d.Token(); err != nil {
				return nil, err
			}
			a, err := scanArray(d, text, key.(string))
			if err != nil {
				return nil, err
			}
			arrays = append(arrays, a)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
	default:
		return nil, errors.New("the document is neither an array nor an object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the document")
	}
	return arrays, nil
}

// scanArray reads the elements and the end of the array that d has just entered.
func scanArray(d *json.Decoder, text []byte, section string) (array, error) {
	a := array{section: section}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return a, err
		}
		end := int(d.InputOffset())
		e := element{start: end - len(raw), end: end, group: group(section, raw)}
		e.id, e.pair = names(raw)
		a.elements = append(a.elements, e)
	}
	if len(a.elements) > 1 {
		separator := a.elements[1].start - a.elements[0].end
		for i := range a.elements {
			a.elements[i].separator = separator
		}
	}
	_, err := d.Token()
	return a, err
}

// names returns the id of an element and those of the two elements that it compares, if it is one that does.
func names(raw []byte) (id string, pair []string) {
	var e struct {
		ID any `json:"id"`
		A  any `json:"a"`
		B  any `json:"b"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return "", nil
	}
	id, _ = e.ID.(string)
	a, okA := e.A.(string)
	b, okB := e.B.(string)
	if okA && okB {
		pair = []string{a, b}
	}
	return id, pair
}

// group names what an element is about. In an array document that is its name without the number at the end.
// In a section of an object it is the section and those fields by which the cases of a section differ in kind;
// a section whose elements lack a string "id" yields the empty group.
func group(section string, raw []byte) string {
	var e struct {
		Name any `json:"name"`
		ID   any `json:"id"`

		Decoder any `json:"decoder"`
		Note    any `json:"note"`
		Kind    any `json:"kind"`
		Error   any `json:"error"`
		OK      any `json:"ok"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return ""
	}
	if name, ok := e.Name.(string); ok && section == "" {
		return strings.TrimRight(name, "0123456789")
	}
	if _, ok := e.ID.(string); !ok {
		return ""
	}
	parts := []string{section}
	for _, field := range []any{e.Decoder, e.Note, e.Kind, e.Error} {
		if s, ok := field.(string); ok {
			parts = append(parts, s)
		}
	}
	if ok, isBool := e.OK.(bool); isBool {
		parts = append(parts, fmt.Sprint("ok=", ok))
	}
	return strings.Join(parts, " ")
}

// choose marks the elements to keep. size is that of the whole document.
func choose(arrays []array, size, limit int) {
	groups := map[string][]*element{}
	for i := range arrays {
		for j := range arrays[i].elements {
			e := &arrays[i].elements[j]
			if e.group == "" {
				e.keep = true
				continue
			}
			groups[e.group] = append(groups[e.group], e)
			size -= e.size()
		}
	}

	// Rounds: the n-th smallest elements of all groups compete in round n, the small ones first.
	type candidate struct {
		*element
		round int
	}
	var queue []candidate
	for _, g := range groups {
		slices.SortFunc(g, func(a, b *element) int {
			return cmp.Or(cmp.Compare(a.size(), b.size()), cmp.Compare(a.start, b.start))
		})
		for round, e := range g {
			queue = append(queue, candidate{e, round})
		}
	}
	slices.SortFunc(queue, func(a, b candidate) int {
		return cmp.Or(
			cmp.Compare(a.round, b.round),
			cmp.Compare(a.size(), b.size()),
			cmp.Compare(a.start, b.start),
		)
	})

	for _, c := range queue {
		if size+c.size() <= limit {
			c.keep = true
			size += c.size()
		}
	}
	dropPairs(arrays)
}

// dropPairs leaves out comparisons with what is left out.
func dropPairs(arrays []array) {
	kept := map[string]bool{}
	for _, a := range arrays {
		for _, e := range a.elements {
			kept[e.id] = kept[e.id] || e.keep
		}
	}
	for _, a := range arrays {
		for i := range a.elements {
			if e := &a.elements[i]; e.pair != nil && !(kept[e.pair[0]] && kept[e.pair[1]]) {
				e.keep = false
			}
		}
	}
}

// splice returns the document without the elements that are not kept and without the text that separated
// them from their neighbours.
func splice(text []byte, arrays []array) []byte {
	out := make([]byte, 0, len(text))
	done := 0 // text before this offset has been dealt with
	for _, a := range arrays {
		if len(a.elements) == 0 {
			continue
		}
		first, last := a.elements[0], a.elements[len(a.elements)-1]
		separator := text[first.end : first.end+first.separator]
		out = append(out, text[done:first.start]...)
		kept := 0
		for _, e := range a.elements {
			if !e.keep {
				continue
			}
			if kept > 0 {
				out = append(out, separator...)
			}
			kept++
			out = append(out, text[e.start:e.end]...)
		}
		done = last.end
	}
	return append(out, text[done:]...)
}

func describe(arrays []array) report {
	var r report
	has := map[string]bool{}
	for _, a := range arrays {
		for _, e := range a.elements {
			r.elements++
			if e.keep {
				r.kept++
			}
			has[e.group] = has[e.group] || e.keep
		}
	}
	for g, kept := range has {
		if !kept {
			r.missing = append(r.missing, g)
		}
	}
	slices.Sort(r.missing)
	return r
}

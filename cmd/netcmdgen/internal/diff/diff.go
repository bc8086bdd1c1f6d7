// Package diff shows how two texts differ, line by line, in the unified format that patch understands.
package diff

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// context is the number of unchanged lines around a change.
const context = 3

// Unified returns the difference of two texts, or nothing if they are equal. A text that is nil stands for a file
// that does not exist.
func Unified(name string, before, after []byte) string {
	if bytes.Equal(before, after) && (before == nil) == (after == nil) {
		return ""
	}
	oldName, newName := "a/"+name, "b/"+name
	if before == nil {
		oldName = "/dev/null"
	}
	if after == nil {
		newName = "/dev/null"
	}
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", oldName, newName)
	a, b := lines(before), lines(after)
	ops := script(a, b)
	for i := 0; i < len(ops); {
		if ops[i].kind == ' ' {
			i++
			continue
		}
		// A hunk reaches from here to the last change that is not far from the one before it.
		last := i
		for j := i; j < len(ops) && j <= last+2*context; j++ {
			if ops[j].kind != ' ' {
				last = j
			}
		}
		hunk := ops[max(0, i-context):min(len(ops), last+1+context)]
		writeHunk(&out, hunk, a, b)
		i = last + 1 + context
	}
	return out.String()
}

// lines splits a text behind its newlines.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	s := strings.SplitAfter(string(text), "\n")
	if s[len(s)-1] == "" {
		s = s[:len(s)-1]
	}
	return s
}

// op is a line that is kept, removed or added: ' ', '-' or '+'. a and b are the numbers of lines in front of it.
type op struct {
	kind byte
	a, b int
}

// script returns the way to turn a into b.
func script(a, b []string) []op {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	var ops []op
	keep := func(i, j, n int) {
		for k := range n {
			ops = append(ops, op{' ', i + k, j + k})
		}
	}
	keep(0, 0, start)
	ops = append(ops, middle(a[:endA], b[:endB], start)...)
	keep(endA, endB, len(a)-endA)
	return ops
}

// enough is how much of two texts is compared closely. The work may grow with the square of it.
const enough = 4000

// middle returns a shortest way to turn a[start:] into b[start:], by Myers' algorithm.
func middle(a, b []string, start int) []op {
	n, m := len(a), len(b)
	if n == start || m == start || n+m-2*start > enough {
		var ops []op
		for i := start; i < n; i++ {
			ops = append(ops, op{'-', i, start})
		}
		for j := start; j < m; j++ {
			ops = append(ops, op{'+', n, j})
		}
		return ops
	}
	// furthest[origin+k] is how far in a the furthest path on the diagonal k = x-y has come, and trace[d] is the part
	// of it that matters as it was before round d.
	origin := n + m + 1
	furthest := make([]int, 2*origin+1)
	for i := range furthest {
		furthest[i] = start
	}
	var trace [][]int
	done := false
	for d := 0; !done; d++ {
		trace = append(trace, slices.Clone(furthest[origin-d-1:origin+d+2]))
		for k := -d; k <= d && !done; k += 2 {
			x := furthest[origin+k+1]
			if k != -d && (k == d || furthest[origin+k-1] >= x) {
				x = furthest[origin+k-1] + 1
			}
			if d == 0 {
				x = start
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			furthest[origin+k] = x
			done = x >= n && x-k >= m
		}
	}
	var ops []op // from the end to the start
	x, y := n, m
	for d := len(trace) - 1; d > 0; d-- {
		at := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		from := k + 1
		if k != -d && (k == d || at(k-1) >= at(k+1)) {
			from = k - 1
		}
		fromX, fromY := at(from), at(from)-from
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			ops = append(ops, op{' ', x, y})
		}
		if from > k {
			y--
			ops = append(ops, op{'+', x, y})
		} else {
			x--
			ops = append(ops, op{'-', x, y})
		}
	}
	for x > start && y > start {
		x, y = x-1, y-1
		ops = append(ops, op{' ', x, y})
	}
	slices.Reverse(ops)
	return ops
}

func writeHunk(out *strings.Builder, hunk []op, a, b []string) {
	var oldLines, newLines int
	for _, o := range hunk {
		if o.kind != '+' {
			oldLines++
		}
		if o.kind != '-' {
			newLines++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(hunk[0].a, oldLines), span(hunk[0].b, newLines))
	for _, o := range hunk {
		line := ""
		if o.kind == '+' {
			line = b[o.b]
		} else {
			line = a[o.a]
		}
		out.WriteByte(o.kind)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is a range of lines: the number of the first one, from 1, and how many.
func span(before, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}

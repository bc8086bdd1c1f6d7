package determinism

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// where returns a position as "file.go:12".
func (c *checker) where(pos token.Pos) string {
	p := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// checkExcuses reports the excuses that nothing has used.
func (c *checker) checkExcuses() {
	for _, e := range c.excuses {
		if e.used || e.file.generated || c.isTest(e.file) && !inTests {
			continue
		}
		d := e.mark.Directive
		c.found = append(c.found, &finding{hazard: &hazard{
			kind: useless, pos: d.Pos, end: d.End, param: -1,
			message: "nothing to excuse: this line is deterministic as far as the analyzer can see",
			fixes:   edit("Remove the directive", d.Pos, d.End, ""),
		}})
	}
}

// publish reports the findings in the order of the source, each place and kind once.
func (c *checker) publish() {
	slices.SortStableFunc(c.found, func(a, b *finding) int {
		return cmp.Or(cmp.Compare(a.pos, b.pos), cmp.Compare(a.kind, b.kind), cmp.Compare(a.end, b.end))
	})
	for i, f := range c.found {
		if i > 0 && f.pos == c.found[i-1].pos && f.end == c.found[i-1].end && f.kind == c.found[i-1].kind {
			continue
		}
		message := f.message
		if f.root != "" && (f.place() < f.from || f.place() >= f.to) {
			message += " (reached from " + f.root + ")"
		}
		c.pass.Report(analysis.Diagnostic{
			Pos: f.pos, End: f.end, Category: string(f.kind), Message: message, SuggestedFixes: f.fixes,
		})
	}
}

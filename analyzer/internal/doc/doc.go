// Package doc takes the documentation of an analyzer from the doc comment of its package, so that there is one copy
// of it: for the reader of the package, for the help of the tools and for editors.
package doc

import (
	"go/parser"
	"go/token"
	"strings"
)

// Of returns the documentation of the analyzer with this name from the source of a doc.go file. It is what follows
// the heading "Analyzer name" in the package's doc comment, without the "name: " with which that begins.
//
// It panics if there is none: the source is embedded, so a test finds out.
func Of(source, name string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		panic(err)
	}
	_, text, ok := strings.Cut(f.Doc.Text(), "# Analyzer "+name+"\n\n"+name+": ")
	if !ok {
		panic("no documentation of analyzer " + name)
	}
	return strings.TrimSpace(text)
}

package handlers_test

import (
	"fmt"
	"log"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ariadne-netcode/ariadne/analyzer/handlers"
)

// Any driver of package analysis can run the analyzer; this one prints what it says about one package.
func Example() {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "testdata"}, "./executor")
	if err != nil {
		log.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{handlers.Analyzer}, pkgs, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range graph.Roots[0].Diagnostics {
		pos := pkgs[0].Fset.Position(d.Pos)
		fmt.Printf("%s:%d: %s: %s\n", filepath.Base(pos.Filename), pos.Line, d.Category, d.Message)
	}
	// Unordered output:
	// executor.go:42: executor: Dig is handled without an executor, so it does nothing: if that is meant, write Execute: nil
	// executor.go:55: executor: Wave is handled without an executor, so it does nothing: if that is meant, write Execute: nil
	// executor.go:14: executor: Jump is a command, but this package handles others and not this one: session.Handle it, or it does nothing
}

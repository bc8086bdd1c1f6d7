// Package analyzer gathers the analyzers that look at code which uses Ariadne. Command netcmdvet runs them together
// with those of go vet; package analyzer/golangci makes them a plugin of golangci-lint. Other drivers can take them
// from here.
package analyzer

import (
	"golang.org/x/tools/go/analysis"

	"github.com/ariadne-netcode/ariadne/analyzer/cmdid"
	"github.com/ariadne-netcode/ariadne/analyzer/determinism"
	"github.com/ariadne-netcode/ariadne/analyzer/handlers"
)

// Suite returns the analyzers, by name. The caller owns the slice, but the analyzers are shared: their flags are
// those of the whole program.
func Suite() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		cmdid.Analyzer,
		determinism.Analyzer,
		handlers.Analyzer,
	}
}

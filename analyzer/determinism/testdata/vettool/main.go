// Command vettool is the analyzer alone, as a tool for go vet.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/ariadne-netcode/ariadne/analyzer/determinism"
)

func main() { multichecker.Main(determinism.Analyzer) }

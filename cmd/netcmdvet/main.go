package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"

	"github.com/ariadne-netcode/ariadne/analyzer"
)

func main() {
	multichecker.Main(append(analyzer.Suite(), vet.Suite...)...)
}

package golangci_test

import (
	"fmt"
	"log"

	"github.com/ariadne-netcode/ariadne/analyzer/golangci"
)

// golangci-lint passes on what its configuration says.
func ExampleNew() {
	plugin, err := golangci.New(map[string]any{"unpinned": true})
	if err != nil {
		log.Fatal(err)
	}
	analyzers, err := plugin.BuildAnalyzers()
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range analyzers {
		fmt.Println(a.Name)
	}
	// Output:
	// cmdid
	// determinism
	// handlers
}

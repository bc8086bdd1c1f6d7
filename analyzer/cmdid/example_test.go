package cmdid_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"log"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/ariadne-netcode/ariadne/analyzer/cmdid"
)

// Any driver of package analysis can run the analyzer; this one checks a file that is not on disk.
func Example() {
	const source = `package game

//netcode:command id=0x0
type Move struct{ Dir uint8 }

//netcode:command id=0x2 predict
type Jump struct{ Height int }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "game.go", source, parser.ParseComments)
	if err != nil {
		log.Fatal(err)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	pkg, err := new(types.Config).Check("example.com/game", fset, []*ast.File{file}, info)
	if err != nil {
		log.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{cmdid.Analyzer}, []*packages.Package{{
		ID: "game", Name: "game", PkgPath: pkg.Path(), Fset: fset, Syntax: []*ast.File{file}, Types: pkg, TypesInfo: info,
		TypesSizes: types.SizesFor("gc", "amd64"),
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range graph.Roots[0].Diagnostics {
		fmt.Printf("%v: %s\n", fset.Position(d.Pos), d.Message)
		for _, fix := range d.SuggestedFixes {
			fmt.Println("  fix:", fix.Message)
		}
	}
	// Output:
	// game.go:3:19: DNET0002: id zero belongs to no type: pin another one, or leave the option out and the id follows from the name
	//   fix: pin id=0x02AAAF68261D6414
	// game.go:6:26: DNET0005: unknown option "predict": did you mean predicted?
	//   fix: write predicted
	// game.go:7:19: DNET0004: Jump.Height is an int, which is 32 or 64 bits wide, depending on the machine: use int32 or int64
}

package determinism_test

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

	"github.com/ariadne-netcode/ariadne/analyzer/determinism"
)

// Any driver of package analysis can run the analyzer; this one checks a file that is not on disk.
func Example() {
	const source = `package game

//netcode:deterministic
func Drift(pos, vel, dt float64) float64 { return pos + vel*dt }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "game.go", source, parser.ParseComments)
	if err != nil {
		log.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
	pkg, err := new(types.Config).Check("example.com/game", fset, []*ast.File{file}, info)
	if err != nil {
		log.Fatal(err)
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{determinism.Analyzer}, []*packages.Package{{
		ID: "game", Name: "game", PkgPath: pkg.Path(), Fset: fset, Syntax: []*ast.File{file}, Types: pkg, TypesInfo: info,
		TypesSizes: types.SizesFor("gc", "amd64"),
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range graph.Roots[0].Diagnostics {
		fmt.Printf("%v: %s\n", fset.Position(d.Pos), d.Message)
	}
	// Output:
	// game.go:4:51: vel * dt may be fused with the sum, which then rounds once instead of twice; round the product: float64(vel * dt)
}

package shape_test

import (
	"fmt"
	"go/types"

	"go/ast"
	"go/parser"
	"go/token"

	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

func Example() {
	const src = `package game

type Dir uint8

const (
	North Dir = iota
	East
)

type Move struct {
	Dir   Dir    ` + "`netcode:\"enum\"`" + `
	Shout string ` + "`netcode:\"max=300\"`" + `
	Steps int
}`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "game.go", src, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	pkg, err := new(types.Config).Check("example.com/game", fset, []*ast.File{file}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, problems := shape.Of(pkg.Scope().Lookup("Move").(*types.TypeName), shape.Config{})
	for _, p := range problems {
		fmt.Printf("%v: %s\n", fset.Position(p.Pos), p.Message)
	}
	dir, _ := shape.Of(pkg.Scope().Lookup("Dir").(*types.TypeName), shape.Config{})
	fmt.Println(dir, dir.Max)
	// Output:
	// game.go:13:2: Move.Steps is an int, which is 32 or 64 bits wide, depending on the machine: use int32 or int64
	// uint8 1
}

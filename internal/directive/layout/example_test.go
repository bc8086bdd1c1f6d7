package layout_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/ariadne-netcode/ariadne/internal/directive"
	"github.com/ariadne-netcode/ariadne/internal/directive/layout"
)

func Example() {
	const src = `package game

const maxHealth = 150

type Player struct {
	Health int16      ` + "`rep:\"int,min=0,max=maxHealth,owner=client,cond=skipowner\"`" + `
	Aim    [3]float32 ` + "`rep:\"vector3,min=-1,max=1,per=100,since=2\"`" + `
	cache  map[string]int
}

type Wrong struct {
	Health int16 ` + "`rep:\"int,min=0\"`" + `
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
	options := directive.Class{Number: 42, Version: 2, Minimum: 1}
	player, _ := layout.Of(pkg.Scope().Lookup("Player").(*types.TypeName), options, layout.Config{})
	for _, version := range []uint32{1, 2} {
		for _, p := range player.Layout(version).Properties {
			fmt.Println(version, p.Name, p.Type, p.Bounds, p.Condition, p.Authority)
		}
	}
	options.Version = 1
	_, problems := layout.Of(pkg.Scope().Lookup("Wrong").(*types.TypeName), options, layout.Config{})
	for _, p := range problems {
		fmt.Printf("%v: %s\n", fset.Position(p.Pos), p.Message)
	}
	// Output:
	// 1 Health int int range 0 to 150 skip_owner client_owned
	// 2 Health int int range 0 to 150 skip_owner client_owned
	// 2 Aim vector3 scalar range -1 to 1 at 100 per unit none server_only
	// game.go:12:2: Health has no bounds: write min=0,max=100, or other numbers, in its tag
}

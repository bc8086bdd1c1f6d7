package directive_test

import (
	"fmt"
	"go/parser"
	"go/token"

	"github.com/ariadne-netcode/ariadne/internal/directive"
)

func ExampleCollect() {
	const src = `package game

//netcode:command predicted
type Move struct{ Dir uint8 }

//netcode:comand
type Say struct{ Text string }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "game.go", src, parser.ParseComments)
	if err != nil {
		fmt.Println(err)
		return
	}
	marked := directive.Collect(fset, file)
	for _, t := range marked.Types {
		full := directive.FullName("example.com/game", "game", t.Spec.Name.Name)
		o := t.Directive.Options
		fmt.Println(o.Label(full), o.Resolve(full), o.Predicted)
	}
	for _, p := range marked.Problems {
		fmt.Printf("%v: %s\n", fset.Position(p.Pos), p.Message)
	}
	// Output:
	// example.com/game.Move 0x02AAAF68261D6414 true
	// game.go:6:11: unknown directive //netcode:comand: did you mean //netcode:command?
}

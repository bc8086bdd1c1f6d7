package directive

import (
	"fmt"
	"go/ast"
	"go/token"
)

// File is what is marked in one source file, each list in the order of the source.
type File struct {
	Types            []Type // the commands
	Classes          []Type
	Deterministic    []Mark
	Nondeterministic []Excuse
	Problems         []Problem
}

// Type is a type declaration marked as a command or as a replicated class. Whether one can be made of it is another
// question.
type Type struct {
	Spec      *ast.TypeSpec
	Directive Directive
	Local     bool // declared inside a function
}

// Mark is a piece of simulation code.
type Mark struct {
	Directive Directive
	Node      ast.Node // an *ast.FuncDecl, *ast.TypeSpec, *ast.Field of an interface, or the *ast.File
}

// Excuse silences the analyzers on one line.
type Excuse struct {
	Directive Directive
	Line      int // as [token.File.Line] counts
}

// Collect returns what is marked in a file that was parsed with [parser.ParseComments], and what is wrong with
// its directives. The file may have syntax errors.
func Collect(fset *token.FileSet, file *ast.File) File {
	c := collector{fset: fset, file: file, places: map[*ast.Comment]place{}, marked: map[mark]bool{}}
	c.findPlaces()
	for _, group := range file.Comments {
		for _, comment := range group.List {
			c.comment(group, comment)
		}
	}
	sortProblems(c.out.Problems)
	return c.out
}

// place is where a comment stands, as far as that may give it meaning.
type place struct {
	node  ast.Node // what it documents
	local bool     // node is inside a function
	group bool     // it documents a group of types instead of one
}

type collector struct {
	fset   *token.FileSet
	file   *ast.File
	out    File
	places map[*ast.Comment]place
	marked map[mark]bool
	code   map[int]token.Pos // by line, where its first code begins; made when it is needed
}

// mark says that a type has a directive of a kind.
type mark struct {
	spec *ast.TypeSpec
	kind Kind
}

// findPlaces records what each doc comment documents.
func (c *collector) findPlaces() {
	at := func(doc *ast.CommentGroup, p place) {
		if doc == nil {
			return
		}
		for _, comment := range doc.List {
			c.places[comment] = p
		}
	}
	at(c.file.Doc, place{node: c.file})
	var depth []ast.Node // functions around the node being visited, with their other ancestors
	functions := 0
	ast.Inspect(c.file, func(n ast.Node) bool {
		if n == nil {
			last := depth[len(depth)-1]
			depth = depth[:len(depth)-1]
			if isFunction(last) {
				functions--
			}
			return true
		}
		local := functions > 0
		switch n := n.(type) {
		case *ast.FuncDecl:
			at(n.Doc, place{node: n})
		case *ast.GenDecl:
			if n.Tok != token.TYPE {
				break
			}
			for _, spec := range n.Specs {
				spec := spec.(*ast.TypeSpec)
				at(spec.Doc, place{node: spec, local: local})
				if !n.Lparen.IsValid() {
					at(n.Doc, place{node: spec, local: local})
				}
			}
			if n.Lparen.IsValid() {
				at(n.Doc, place{group: true})
			}
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				if len(f.Names) > 0 {
					at(f.Doc, place{node: f, local: local})
				}
			}
		}
		if isFunction(n) {
			functions++
		}
		depth = append(depth, n)
		return true
	})
}

func isFunction(n ast.Node) bool {
	switch n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return true
	}
	return false
}

func (c *collector) comment(group *ast.CommentGroup, comment *ast.Comment) {
	d, problems, ok := Parse(comment.Slash, comment.Text)
	place := c.places[comment]
	if !ok {
		for _, p := range problems {
			if p.Code != Spaced || c.meant(group, place) {
				c.out.Problems = append(c.out.Problems, p)
			}
		}
		return
	}
	c.out.Problems = append(c.out.Problems, problems...)
	switch d.Kind {
	case Command, Replicated:
		spec, ok := place.node.(*ast.TypeSpec)
		what := map[Kind]string{Command: "as a command", Replicated: "as replicated"}[d.Kind]
		switch {
		case !ok:
			c.misplaced(d, place)
		case c.marked[mark{spec, d.Kind}]:
			c.problem(Duplicate, d, fmt.Sprintf("%s is marked %s twice", spec.Name.Name, what))
		default:
			c.marked[mark{spec, d.Kind}] = true
			list := &c.out.Types
			if d.Kind == Replicated {
				list = &c.out.Classes
			}
			*list = append(*list, Type{spec, d, place.local})
		}
	case Deterministic:
		if place.node == nil {
			c.misplaced(d, place)
			return
		}
		c.out.Deterministic = append(c.out.Deterministic, Mark{d, place.node})
	case Nondeterministic:
		c.out.Nondeterministic = append(c.out.Nondeterministic, Excuse{d, c.excusedLine(group, comment)})
	}
}

// meant reports whether a comment that reads like a directive, but for the space behind its slashes, was meant
// as one. In running text it was not.
func (c *collector) meant(group *ast.CommentGroup, p place) bool {
	return p.node != nil && p.node != ast.Node(c.file) || p.group || len(group.List) == 1
}

func (c *collector) problem(code Code, d Directive, message string) {
	c.out.Problems = append(c.out.Problems, Problem{Code: code, Pos: d.Pos, End: d.End, Message: message})
}

func (c *collector) misplaced(d Directive, p place) {
	where := "directly above the declaration of a type"
	if d.Kind == Deterministic {
		where = "directly above a function, a method of an interface, a type or the package clause"
	}
	message := fmt.Sprintf("//netcode:%v has no effect here: it belongs %s", d.Kind, where)
	if p.group {
		message = fmt.Sprintf("//netcode:%v has no effect above a group: it belongs inside, directly above the type", d.Kind)
	}
	c.problem(Misplaced, d, message)
}

// excusedLine returns the line that a comment excuses.
func (c *collector) excusedLine(group *ast.CommentGroup, comment *ast.Comment) int {
	if c.code == nil {
		c.code = map[int]token.Pos{}
		ast.Inspect(c.file, func(n ast.Node) bool {
			switch n.(type) {
			case nil, *ast.File, *ast.Comment, *ast.CommentGroup:
				return n != nil && n == ast.Node(c.file)
			}
			for _, pos := range []token.Pos{n.Pos(), n.End() - 1} {
				line := c.line(pos)
				if have, ok := c.code[line]; !ok || pos < have {
					c.code[line] = pos
				}
			}
			return true
		})
	}
	line := c.line(comment.Slash)
	if first, ok := c.code[line]; ok && first < comment.Slash {
		return line
	}
	return c.line(group.End()) + 1
}

// line ignores line directives, as does everything that compares positions of one file.
func (c *collector) line(pos token.Pos) int { return c.fset.PositionFor(pos, false).Line }

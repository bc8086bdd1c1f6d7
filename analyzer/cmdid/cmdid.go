package cmdid

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ariadne-netcode/ariadne/analyzer/internal/doc"
	"github.com/ariadne-netcode/ariadne/internal/directive"
	"github.com/ariadne-netcode/ariadne/netcode"
)

//go:embed doc.go
var source string

// The codes of the findings. Each is the category of its diagnostics and the first word of their messages.
const (
	Unpinned   = "DNET0001"
	ZeroID     = "DNET0002"
	Collision  = "DNET0003"
	Impossible = "DNET0004"
	Malformed  = "DNET0005"
	Stale      = "DNET0006"
)

// Analyzer checks the directives, ids and generated code of command types. Its flag "unpinned" turns [Unpinned] on.
//
// It runs on packages that do not type-check, too: a package does not compile before its code is generated for the
// first time, nor when a struct has changed since.
var Analyzer = &analysis.Analyzer{
	Name:             "cmdid",
	Doc:              doc.Of(source, "cmdid"),
	URL:              "https://pkg.go.dev/github.com/ariadne-netcode/ariadne/analyzer/cmdid",
	Run:              run,
	RunDespiteErrors: true,
	FactTypes:        []analysis.Fact{new(commands)},
}

var unpinned bool

func init() {
	Analyzer.Flags.BoolVar(&unpinned, "unpinned", false, "report ids that follow from the name (DNET0001)")
}

// command is a marked type of the package.
type command struct {
	directive.Type
	file *ast.File
	obj  *types.TypeName // nil if the type checker does not know it
	full string          // its Go name with the package
	id   netcode.TypeID
}

func (c *command) name() string { return c.Spec.Name.Name }

// idRange returns where the id comes from.
func (c *command) idRange() (pos, end token.Pos) {
	if c.Directive.Options.Pinned {
		return c.Directive.Options.IDPos, c.Directive.Options.IDEnd
	}
	return c.Spec.Name.Pos(), c.Spec.Name.End()
}

// pin returns a fix that gives c the id that follows from its name. There is none in generated code.
func (c *command) pin() []analysis.SuggestedFix {
	if ast.IsGenerated(c.file) {
		return nil
	}
	o := c.Directive.Options
	edit := analysis.TextEdit{}
	if o.Pinned {
		edit.Pos, edit.End = o.IDPos, o.IDEnd
	} else {
		edit.Pos = c.Directive.Pos + token.Pos(len("//"+directive.Tool+":"+directive.Command.String()))
		edit.End = edit.Pos
	}
	o.Pinned = false
	pin := fmt.Sprintf("id=%v", o.Resolve(c.full))
	if edit.Pos == edit.End {
		edit.NewText = []byte(" " + pin)
	} else {
		edit.NewText = []byte(pin)
	}
	return []analysis.SuggestedFix{{Message: "pin " + pin, TextEdits: []analysis.TextEdit{edit}}}
}

// checker is one run over one package.
type checker struct {
	*analysis.Pass
	commands  []*command // in the order of the source
	generated map[*ast.File]*generatedFile
}

func run(pass *analysis.Pass) (any, error) {
	if isForeign(pass) {
		return nil, nil
	}
	c := &checker{Pass: pass, generated: map[*ast.File]*generatedFile{}}
	for _, f := range pass.Files {
		if g := generatedBy(f); g != nil {
			c.generated[f] = g
			continue // it has no directives
		}
		c.collect(f)
	}
	for _, name := range pass.IgnoredFiles {
		if strings.HasSuffix(name, ".go") {
			c.ignored(name)
		}
	}
	if unpinned {
		for _, cmd := range c.commands {
			if !cmd.Directive.Options.Pinned && !ast.IsGenerated(cmd.file) {
				c.report(Unpinned, cmd.Spec.Name.Pos(), cmd.Spec.Name.End(), cmd.pin(),
					"the id of %s follows from its name: renaming or moving the type changes what peers and recordings know it by", cmd.name())
			}
		}
	}
	c.collisions()
	c.shapes()
	return nil, nil
}

// isForeign reports whether nobody could have marked anything in a package: the standard library takes most of the
// time otherwise, and the main functions of tests are written by the go command.
func isForeign(pass *analysis.Pass) bool {
	if len(pass.Files) == 0 {
		return false
	}
	if pass.Pkg.Name() == "main" && strings.HasSuffix(pass.Pkg.Path(), ".test") {
		return true
	}
	name := pass.Fset.PositionFor(pass.Files[0].FileStart, false).Filename
	rel, err := filepath.Rel(filepath.Join(build.Default.GOROOT, "src"), name)
	return err == nil && build.Default.GOROOT != "" && filepath.IsLocal(rel)
}

// collect notes the commands of a file and reports the mistakes in its directives.
func (c *checker) collect(f *ast.File) {
	marked := directive.Collect(c.Fset, f)
	for _, t := range marked.Types {
		cmd := &command{Type: t, file: f}
		cmd.obj, _ = c.TypesInfo.Defs[t.Spec.Name].(*types.TypeName)
		cmd.full = directive.FullName(c.Pkg.Path(), c.Pkg.Name(), cmd.name())
		cmd.id = t.Directive.Options.Resolve(cmd.full)
		c.commands = append(c.commands, cmd)
	}
	c.problems(marked, c.commands)
}

// ignored reports the mistakes in a file that is not part of the build. Its types are not known, and whether its
// ids collide is for the build that it is part of.
func (c *checker) ignored(name string) {
	text, err := c.ReadFile(name)
	if err != nil {
		return
	}
	f, err := parser.ParseFile(c.Fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || generatedBy(f) != nil {
		return
	}
	marked := directive.Collect(c.Fset, f)
	var commands []*command
	for _, t := range marked.Types {
		commands = append(commands, &command{
			Type: t, file: f, full: directive.FullName(c.Pkg.Path(), f.Name.Name, t.Spec.Name.Name),
		})
	}
	c.problems(marked, commands)
}

func (c *checker) problems(marked directive.File, commands []*command) {
	for _, p := range marked.Problems {
		var fixes []analysis.SuggestedFix
		if p.Fix != nil {
			fixes = []analysis.SuggestedFix{{
				Message:   p.Fix.Message,
				TextEdits: []analysis.TextEdit{{Pos: p.Fix.Pos, End: p.Fix.End, NewText: []byte(p.Fix.Text)}},
			}}
		}
		code := Malformed
		if p.Code == directive.ZeroID {
			code = ZeroID
			for _, cmd := range commands {
				if o := cmd.Directive.Options; o.Pinned && o.IDPos == p.Pos {
					fixes = cmd.pin()
				}
			}
		}
		c.report(code, p.Pos, p.End, fixes, "%s", p.Message)
	}
}

func (c *checker) report(code string, pos, end token.Pos, fixes []analysis.SuggestedFix, format string, args ...any) {
	c.Report(analysis.Diagnostic{
		Pos: pos, End: end, Category: code, URL: "#hdr-" + code, SuggestedFixes: fixes,
		Message: code + ": " + fmt.Sprintf(format, args...),
	})
}

// place returns where something is declared, without the folder: facts must not depend on where the code lies.
func (c *checker) place(pos token.Pos) string {
	p := c.Fset.PositionFor(pos, false)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

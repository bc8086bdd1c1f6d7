package source

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// assembly type-checks packages, or rather of each only the declarations that some types consist of: the types
// themselves, what they are made of here and elsewhere, and the constants beside them. Functions have no part in
// that, except that it must be known which types have a codec. So it makes no difference what else a package
// imports, or whether the rest of it compiles.
type assembly struct {
	fset    *token.FileSet
	overlay map[string][]byte
	sizes   types.Sizes
	units   map[*packages.Package]*unit
	output  map[string]bool // by file name, whether the generator wrote it
}

func newAssembly(overlay map[string][]byte, sizes types.Sizes) *assembly {
	return &assembly{
		fset: token.NewFileSet(), overlay: overlay, sizes: sizes,
		units: map[*packages.Package]*unit{}, output: map[string]bool{},
	}
}

// unit is a package in an assembly.
type unit struct {
	meta    *packages.Package
	files   []*unitFile
	decls   map[string][]declaration // types and variables by name
	codecs  map[string][]declaration // methods that matter, by the name of their type
	kept    map[ast.Node]bool        // specs and functions
	wanted  map[string]bool          // names that were asked for
	checked bool
	types   *types.Package
	errors  []types.Error
}

// unitFile is a file of a unit.
type unitFile struct {
	syntax  *ast.File
	imports map[string]*ast.ImportSpec // by the name that the file uses
	dots    []*ast.ImportSpec
	used    map[*ast.ImportSpec]bool
}

// declaration is a spec or a function in its file.
type declaration struct {
	node ast.Node
	file *unitFile
}

// methodNames are the methods that have a bearing on a type's codec.
var methodNames = []string{"AppendBinary", "UnmarshalBinary", "BinarySize"}

// unit returns the unit of a package, parsed.
func (a *assembly) unit(meta *packages.Package) *unit {
	if u := a.units[meta]; u != nil {
		return u
	}
	u := &unit{
		meta: meta, decls: map[string][]declaration{}, codecs: map[string][]declaration{},
		kept: map[ast.Node]bool{}, wanted: map[string]bool{},
	}
	a.units[meta] = u
	for _, name := range meta.GoFiles {
		text, ok := a.overlay[name]
		if !ok {
			var err error
			if text, err = os.ReadFile(name); err != nil {
				continue // what it declares will be missed
			}
		}
		if IsOutput(text) {
			a.output[name] = true
		}
		syntax, _ := parser.ParseFile(a.fset, name, text, parser.SkipObjectResolution)
		if syntax == nil {
			continue
		}
		f := &unitFile{syntax: syntax, imports: map[string]*ast.ImportSpec{}, used: map[*ast.ImportSpec]bool{}}
		u.files = append(u.files, f)
		for _, spec := range syntax.Imports {
			imported := u.imported(spec)
			switch {
			case spec.Name == nil && imported != nil && imported.Name != "":
				f.imports[imported.Name] = spec
			case spec.Name == nil: // there is no such package; this is what it would probably be called
				f.imports[path.Base(strings.Trim(spec.Path.Value, "\"`"))] = spec
			case spec.Name != nil && spec.Name.Name == ".":
				f.dots = append(f.dots, spec)
			case spec.Name != nil:
				f.imports[spec.Name.Name] = spec
			}
		}
		u.index(f)
	}
	return u
}

// imported returns what a file of u imports, or nil if there is no such package.
func (u *unit) imported(spec *ast.ImportSpec) *packages.Package {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return nil
	}
	return u.meta.Imports[path]
}

// index notes what a file declares.
func (u *unit) index(f *unitFile) {
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if base := receiver(decl); base != "" && slices.Contains(methodNames, decl.Name.Name) {
				decl.Body = nil
				u.codecs[base] = append(u.codecs[base], declaration{decl, f})
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					u.decls[spec.Name.Name] = append(u.decls[spec.Name.Name], declaration{spec, f})
				case *ast.ValueSpec:
					if decl.Tok == token.VAR {
						for _, id := range spec.Names {
							u.decls[id.Name] = append(u.decls[id.Name], declaration{spec, f})
						}
					}
				}
			}
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	x := f.Recv.List[0].Type
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// need makes sure that a type or variable will be checked, with everything that it needs in turn.
func (a *assembly) need(meta *packages.Package, name string) {
	u := a.unit(meta)
	if u.wanted[name] {
		return
	}
	if len(u.wanted) == 0 {
		u.wanted[name] = true
		a.constants(u)
	}
	u.wanted[name] = true
	for _, d := range append(u.decls[name], u.codecs[name]...) {
		a.keep(u, d)
	}
}

// constants keeps all constants of a unit. Any of them may be a member of an enum.
func (a *assembly) constants(u *unit) {
	for _, f := range u.files {
		for _, decl := range f.syntax.Decls {
			if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.CONST {
				for _, spec := range decl.Specs {
					a.keep(u, declaration{spec, f})
				}
			}
		}
	}
}

// keep keeps a declaration and needs what it refers to.
func (a *assembly) keep(u *unit, d declaration) {
	if u.kept[d.node] {
		return
	}
	u.kept[d.node] = true
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field: // its names refer to nothing
			ast.Inspect(n.Type, visit)
			return false
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				return true
			}
			if spec := d.file.imports[x.Name]; spec != nil {
				d.file.used[spec] = true
				if imported := u.imported(spec); imported != nil && imported.PkgPath != "unsafe" {
					a.need(imported, n.Sel.Name)
				}
				return false
			}
		case *ast.Ident:
			if len(u.decls[n.Name]) > 0 {
				a.need(u.meta, n.Name)
				break
			}
			for _, spec := range d.file.dots {
				d.file.used[spec] = true
				if imported := u.imported(spec); imported != nil {
					a.need(imported, n.Name)
				}
			}
		}
		return true
	}
	ast.Inspect(d.node, visit)
}

// check type-checks what is kept of a package.
func (a *assembly) check(meta *packages.Package) (*types.Package, []types.Error) {
	u := a.unit(meta)
	if u.checked {
		return u.types, u.errors
	}
	u.checked = true
	var files []*ast.File
	for _, f := range u.files {
		files = append(files, u.pruned(f))
	}
	if len(files) == 0 {
		return nil, nil
	}
	cfg := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Sizes:            a.sizes,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok {
				u.errors = append(u.errors, e)
			}
		},
		Importer: importer(func(path string) (*types.Package, error) {
			imported := meta.Imports[path]
			switch {
			case path == "unsafe":
				return types.Unsafe, nil
			case imported == nil:
				return nil, errors.New("there is no such package")
			}
			p, _ := a.check(imported)
			if p == nil {
				for _, e := range imported.Errors {
					return nil, errors.New(e.Msg)
				}
				return nil, errors.New("it has no source, or imports itself")
			}
			return p, nil
		}),
	}
	u.types, _ = cfg.Check(meta.PkgPath, a.fset, files, nil)
	return u.types, u.errors
}

type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }

// pruned returns a file with only what is kept of it.
func (u *unit) pruned(f *unitFile) *ast.File {
	out := *f.syntax
	out.Decls, out.Imports = nil, nil
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if u.kept[decl] {
				out.Decls = append(out.Decls, decl)
			}
		case *ast.GenDecl:
			kept := *decl
			kept.Specs = nil
			for _, spec := range decl.Specs {
				imp, ok := spec.(*ast.ImportSpec)
				if u.kept[spec] || ok && f.used[imp] {
					kept.Specs = append(kept.Specs, spec)
				}
			}
			if len(kept.Specs) > 0 {
				out.Decls = append(out.Decls, &kept)
			}
		}
	}
	for _, spec := range f.syntax.Imports {
		if f.used[spec] {
			out.Imports = append(out.Imports, spec)
		}
	}
	return &out
}

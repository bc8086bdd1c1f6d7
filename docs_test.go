package ariadne

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEverythingIsDocumented holds every package that users can import to three promises: a package comment,
// an example whose output is checked, and a comment on each exported name.
func TestEverythingIsDocumented(t *testing.T) {
	for _, dir := range packageDirs(t) {
		t.Run(filepath.ToSlash(dir), func(t *testing.T) {
			fset := token.NewFileSet()
			var files, tests []*ast.File
			names, err := filepath.Glob(filepath.Join(dir, "*.go"))
			require.NoError(t, err)
			for _, name := range names {
				f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
				require.NoError(t, err)
				if strings.HasSuffix(name, "_test.go") {
					tests = append(tests, f)
				} else {
					files = append(files, f)
				}
			}
			if len(files) == 0 {
				return
			}
			command := files[0].Name.Name == "main"
			internal := strings.Contains("/"+filepath.ToSlash(dir)+"/", "/internal/")

			commented := false
			for _, f := range files {
				commented = commented || f.Doc != nil
			}
			require.True(t, commented, "no package comment")

			checked := false
			for _, e := range doc.Examples(tests...) {
				checked = checked || e.Output != "" || e.EmptyOutput
			}
			if command || internal {
				return // nobody imports it
			}
			for _, f := range files {
				for _, name := range undocumented(f) {
					t.Errorf("%s has no comment", name)
				}
			}
			public, err := doc.NewFromFiles(fset, files, dir)
			require.NoError(t, err)
			exports := len(public.Consts) + len(public.Vars) + len(public.Types) + len(public.Funcs)
			require.True(t, checked || exports == 0, "no example with output")
		})
	}
}

func packageDirs(t *testing.T) (dirs []string) {
	seen := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != "." && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if dir := filepath.Dir(path); strings.HasSuffix(name, ".go") && !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
		return nil
	})
	require.NoError(t, err)
	return dirs
}

// undocumented returns the exported names of a file that have no comment. The members of a group may share
// the comment of the group.
func undocumented(f *ast.File) (names []string) {
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
						names = append(names, s.Name.Name)
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// exportedReceiver reports whether a function is reachable: a method of an unexported type is not.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

package main

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/emit"
	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/source"
	"github.com/ariadne-netcode/ariadne/internal/directive"
	"github.com/ariadne-netcode/ariadne/internal/directive/shape"
)

// job is the work on one folder.
type job struct {
	folder *source.Folder
	groups []*source.Group
	diags  []source.Diagnostic
	files  map[string][]byte // what is to be there, by name
}

// newJob finds out what is to be done for a folder.
func newJob(cfg config, dir string) (*job, error) {
	folder, diags, err := source.Scan(dir)
	if err != nil {
		return nil, err
	}
	commands, more := folder.Select(cfg.types)
	classes, evenMore := folder.Classes(cfg.types)
	return &job{folder: folder, groups: folder.Groups(commands, classes), diags: slices.Concat(diags, more, evenMore)}, nil
}

// generate does it. If there are diagnostics then, there are no files.
func (j *job) generate(cfg config, loader *source.Loader) error {
	var files []file
	var known []knownCommand
	for _, g := range j.groups {
		pkg, err := loader.Load(j.folder, g)
		if err != nil {
			lost := func(pos token.Position, name string) {
				j.diags = append(j.diags, source.Diagnostic{Pos: pos, Message: fmt.Sprintf("%s cannot be looked up: %v", name, err)})
			}
			for _, c := range g.Commands {
				lost(c.Pos, c.Name)
			}
			for _, c := range g.Classes {
				lost(c.Pos, c.Name)
			}
			continue
		}
		if len(g.Commands) > 0 {
			f, entries, more := group(cfg, j.folder, g, pkg)
			files = append(files, file{f, g, cfg.output})
			known = append(known, entries...)
			j.diags = append(j.diags, more...)
		}
		if len(g.Classes) > 0 {
			f, more := classes(cfg, j.folder, g, pkg)
			files = append(files, file{f, g, cfg.classOutput()})
			j.diags = append(j.diags, more...)
		}
	}
	j.diags = append(j.diags, duplicates(known)...)
	j.diags = append(j.diags, duplicateClasses(j.groups)...)
	if len(j.diags) == 0 {
		j.diags = append(j.diags, collisions(j.folder, files)...)
	}
	if len(j.diags) > 0 {
		return nil
	}
	j.files = map[string][]byte{}
	for _, f := range files {
		text, err := emit.Source(*f.File)
		if err != nil {
			return fmt.Errorf("%s: %w", j.folder.Path, err)
		}
		j.files[f.group.FileName(f.output)] = text
	}
	return nil
}

// file is a generated file to be, for a group.
type file struct {
	*emit.File
	group  *source.Group
	output string // the name of the main file of its kind
}

// knownCommand is a command whose id is known, though perhaps nothing else.
type knownCommand struct {
	*source.Command
	group *source.Group
	entry shape.Entry
}

// newFile returns the generated file of a group, without what is to be in it.
func newFile(cfg config, folder *source.Folder, g *source.Group, pkg *source.Package) *emit.File {
	f := &emit.File{Args: cfg.args(), Package: g.Package, Types: pkg.Types, Suffix: g.Suffix, Taken: map[string]bool{}}
	if g.Constraint != nil {
		f.Constraint = g.Constraint.String()
	}
	for name := range folder.Declared(g.Package) {
		f.Taken[name] = true
	}
	return f
}

// group prepares the generated file of the commands of one group.
func group(cfg config, folder *source.Folder, g *source.Group, pkg *source.Package) (*emit.File, []knownCommand, []source.Diagnostic) {
	f := newFile(cfg, folder, g, pkg)
	var known []knownCommand
	var diags []source.Diagnostic
	for _, c := range g.Commands {
		full := directive.FullName(pkg.Types.Path(), g.Package, c.Name)
		entry := shape.Entry{ID: c.Options.Resolve(full), Name: c.Options.Label(full), Predicted: c.Options.Predicted}
		known = append(known, knownCommand{c, g, entry})
		named, s, problems := pkg.Shape(c.Name)
		for _, d := range problems {
			if !d.Pos.IsValid() {
				d.Pos = c.Pos
			}
			diags = append(diags, d)
		}
		if len(problems) > 0 {
			continue
		}
		entry.Shape = s
		command := emit.Command{Entry: entry, Type: named}
		for _, method := range command.Methods() {
			if has(named, method) {
				diags = append(diags, source.Diagnostic{Pos: c.Pos, Message: fmt.Sprintf("%s has a field or method %s already, and it is to get a method of this name: rename it", c.Name, method)})
			}
		}
		f.Commands = append(f.Commands, command)
	}
	return f, known, diags
}

// has reports whether a type has a field or a method of a name, other than by embedding.
func has(t *types.Named, name string) bool {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Name() == name {
				return true
			}
		}
	}
	for m := range t.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}

// duplicates reports ids that several commands have which may be in one program.
func duplicates(known []knownCommand) []source.Diagnostic {
	var diags []source.Diagnostic
	sorted := slices.SortedStableFunc(slices.Values(known), func(a, b knownCommand) int { return comparePos(a, b) })
	for i, c := range sorted {
		if c.entry.ID == 0 {
			if !c.Options.Pinned { // that was reported with the directive
				diags = append(diags, source.Diagnostic{Pos: c.Pos, Message: fmt.Sprintf("the name of %s has the hash zero: pin an id with id=0x...", c.Name)})
			}
			continue
		}
		for _, other := range sorted[:i] {
			if other.entry.ID == c.entry.ID && source.Compatible(c.group.Constraint, other.group.Constraint) {
				diags = append(diags, source.Diagnostic{Pos: c.Pos, See: other.Pos, Message: fmt.Sprintf("%s has id %v, which %s has already", c.Name, c.entry.ID, other.Name)})
				break
			}
		}
	}
	return diags
}

func comparePos(a, b knownCommand) int {
	if c := strings.Compare(a.Pos.Filename, b.Pos.Filename); c != 0 {
		return c
	}
	return a.Pos.Offset - b.Pos.Offset
}

// collisions reports hand-written declarations that stand in the way of generated ones, and generated ones that stand in
// the way of each other.
func collisions(folder *source.Folder, files []file) []source.Diagnostic {
	var diags []source.Diagnostic
	for i, f := range files {
		declared := folder.Declared(f.group.Package)
		for _, name := range f.Names() {
			for _, d := range declared[name] {
				if source.Compatible(f.group.Constraint, d.Constraint) {
					diags = append(diags, source.Diagnostic{Pos: d.Pos, Message: fmt.Sprintf("%s is declared here and would be generated, too: rename this one", name)})
				}
			}
		}
		for _, name := range f.Predeclared() {
			for _, d := range declared[name] {
				diags = append(diags, source.Diagnostic{Pos: d.Pos, Message: fmt.Sprintf("%s hides the predeclared one, which generated code needs: rename this one", name)})
			}
		}
		// What the other generated files of the package declare is taken, too.
		for j, other := range files {
			if j == i || other.group.Package != f.group.Package {
				continue
			}
			for _, name := range other.Names() {
				f.Taken[name] = true
			}
		}
		diags = append(diags, f.twice(files[:i])...)
	}
	return diags
}

// stale returns the names of files that were generated under the same -output, but are not generated any more.
func stale(cfg config, folder *source.Folder, files map[string][]byte) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(folder.Output)) {
		args, _ := source.OutputArgs(folder.Output[name])
		wrote := config{output: defaultOutput}
		if i := slices.Index(args, "-output"); i >= 0 && i+1 < len(args) {
			wrote.output = args[i+1]
		}
		ours := strings.HasPrefix(name, strings.TrimSuffix(wrote.output, ".go")) ||
			strings.HasPrefix(name, strings.TrimSuffix(wrote.classOutput(), ".go"))
		if _, current := files[name]; !current && wrote.output == cfg.output && ours {
			names = append(names, name)
		}
	}
	return names
}

package main

import (
	"fmt"
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
	return &job{folder: folder, groups: folder.Groups(commands), diags: append(diags, more...)}, nil
}

// generate does it. If there are diagnostics then, there are no files.
func (j *job) generate(cfg config, loader *source.Loader) error {
	var files []*emit.File
	var known []knownCommand
	for _, g := range j.groups {
		pkg, err := loader.Load(j.folder, g)
		if err != nil {
			for _, c := range g.Commands {
				j.diags = append(j.diags, source.Diagnostic{Pos: c.Pos, Message: fmt.Sprintf("%s cannot be looked up: %v", c.Name, err)})
			}
			continue
		}
		f, entries, more := group(cfg, j.folder, g, pkg)
		files = append(files, f)
		known = append(known, entries...)
		j.diags = append(j.diags, more...)
	}
	j.diags = append(j.diags, duplicates(known)...)
	if len(j.diags) == 0 {
		j.diags = append(j.diags, collisions(j.folder, j.groups, files)...)
	}
	if len(j.diags) > 0 {
		return nil
	}
	j.files = map[string][]byte{}
	for i, f := range files {
		text, err := emit.Source(*f)
		if err != nil {
			return fmt.Errorf("%s: %w", j.folder.Path, err)
		}
		j.files[j.groups[i].FileName(cfg.output)] = text
	}
	return nil
}

// knownCommand is a command whose id is known, though perhaps nothing else.
type knownCommand struct {
	*source.Command
	group *source.Group
	entry shape.Entry
}

// group prepares the generated file of one group.
func group(cfg config, folder *source.Folder, g *source.Group, pkg *source.Package) (*emit.File, []knownCommand, []source.Diagnostic) {
	f := &emit.File{Args: cfg.args(), Package: g.Package, Types: pkg.Types, Suffix: g.Suffix, Taken: map[string]bool{}}
	if g.Constraint != nil {
		f.Constraint = g.Constraint.String()
	}
	for name := range folder.Declared(g.Package) {
		f.Taken[name] = true
	}
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

// collisions reports hand-written declarations that stand in the way of generated ones.
func collisions(folder *source.Folder, groups []*source.Group, files []*emit.File) []source.Diagnostic {
	var diags []source.Diagnostic
	for i, g := range groups {
		declared := folder.Declared(g.Package)
		for _, name := range files[i].Names() {
			for _, d := range declared[name] {
				if source.Compatible(g.Constraint, d.Constraint) {
					diags = append(diags, source.Diagnostic{Pos: d.Pos, Message: fmt.Sprintf("%s is declared here and would be generated, too: rename this one", name)})
				}
			}
		}
		for _, name := range emit.Predeclared {
			for _, d := range declared[name] {
				diags = append(diags, source.Diagnostic{Pos: d.Pos, Message: fmt.Sprintf("%s hides the predeclared one, which generated code needs: rename this one", name)})
			}
		}
		// What the other generated files of the package declare is taken, too.
		for j, other := range files {
			if j != i && groups[j].Package == g.Package {
				for _, name := range other.Names() {
					files[i].Taken[name] = true
				}
			}
		}
	}
	return diags
}

// stale returns the names of files that were generated under the same -output, but are not generated any more.
func stale(cfg config, folder *source.Folder, files map[string][]byte) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(folder.Output)) {
		args, _ := source.OutputArgs(folder.Output[name])
		output := defaultOutput
		if i := slices.Index(args, "-output"); i >= 0 && i+1 < len(args) {
			output = args[i+1]
		}
		stem := strings.TrimSuffix(output, ".go")
		if _, current := files[name]; !current && output == cfg.output && strings.HasPrefix(name, stem) {
			names = append(names, name)
		}
	}
	return names
}

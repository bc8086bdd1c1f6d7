package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/diff"
	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/source"
)

// work does what the command line asks for and returns what to exit with. A folder with errors does not keep the
// others from being done.
func work(cfg config, stdout, stderr io.Writer) int {
	status := exitOK
	failed := func(err error) {
		fmt.Fprintf(stderr, "netcmdgen: %v\n", err)
		status = exitFailed
	}
	loader := source.NewLoader(source.Home(cfg.tags))
	var jobs []*job
	for _, dir := range cfg.dirs {
		j, err := newJob(cfg, dir)
		if err != nil {
			failed(err)
			continue
		}
		loader.Expect(j.folder, j.groups)
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		if err := j.generate(cfg, loader); err != nil {
			failed(err)
			continue
		}
		if len(j.diags) > 0 {
			report(j.diags, stderr)
			status = exitFailed
			continue
		}
		old := stale(cfg, j.folder, j.files)
		switch {
		case len(j.files) == 0 && len(old) == 0:
			failed(fmt.Errorf("no type in %s is marked with //netcode:command or //netcode:replicated", relative(j.folder.Path)))
		case cfg.check:
			if s := check(j.folder, j.files, old, stdout, stderr); s != exitOK {
				status = s
			}
		default:
			if err := write(j.folder, j.files, old); err != nil {
				failed(err)
			}
		}
	}
	return status
}

// report prints diagnostics in the form that editors understand.
func report(diags []source.Diagnostic, stderr io.Writer) {
	for _, d := range source.Sort(diags) {
		d.Pos.Filename = relative(d.Pos.Filename)
		see := ""
		if d.See.IsValid() {
			d.See.Filename = relative(d.See.Filename)
			see = fmt.Sprintf(" (%v)", d.See)
		}
		fmt.Fprintf(stderr, "%v: %s%s\n", d.Pos, d.Message, see)
	}
}

// write brings the generated files up to date and leaves those alone that are.
func write(folder *source.Folder, files map[string][]byte, old []string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(folder.Path, name)
		have, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(have, files[name]):
			continue
		case err == nil && !source.IsOutput(have):
			return fmt.Errorf("%s was not written by netcmdgen: rename it, or choose another -output", relative(path))
		}
		if err := os.WriteFile(path, files[name], 0o666); err != nil {
			return err
		}
	}
	for _, name := range old {
		if err := os.Remove(filepath.Join(folder.Path, name)); err != nil {
			return err
		}
	}
	return nil
}

// check prints what write would change.
func check(folder *source.Folder, files map[string][]byte, old []string, stdout, stderr io.Writer) int {
	status := exitOK
	compare := func(name string, want []byte) {
		path := relative(filepath.Join(folder.Path, name))
		if d := diff.Unified(filepath.ToSlash(path), folder.Output[name], want); d != "" {
			fmt.Fprint(stdout, d)
			fmt.Fprintf(stderr, "netcmdgen: %s is stale: run go generate\n", path)
			status = exitFailed
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		compare(name, files[name])
	}
	for _, name := range old {
		compare(name, nil)
	}
	return status
}

// relative returns a path as it is seen from the current folder, if it lies there.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

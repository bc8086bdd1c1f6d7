package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/source"
)

// expand returns the folders that an argument stands for. With dir/... these are the ones at or below dir that have
// to do with commands or classes; folders that the go command would pass over are passed over here too.
func expand(arg string) ([]string, error) {
	root, all := strings.CutSuffix(filepath.ToSlash(arg), "/...")
	if arg == "..." {
		root, all = ".", true
	}
	if root == "" {
		root = "/"
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", root)
	}
	if !all {
		return []string{root}, nil
	}
	var dirs []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name != root {
			base := d.Name()
			_, err := os.Stat(filepath.Join(name, "go.mod"))
			if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' || err == nil {
				return fs.SkipDir
			}
		}
		concerned, err := hasMarks(name)
		if concerned {
			dirs = append(dirs, name)
		}
		return err
	})
	return dirs, err
}

// hasMarks reports whether there is a marked type, or earlier output, in a folder.
func hasMarks(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return false, err
	}
	mentioned := false
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return false, err
		}
		if source.IsOutput(text) {
			return true, nil
		}
		mentioned = mentioned || bytes.Contains(text, []byte("//netcode:command")) || bytes.Contains(text, []byte("//netcode:replicated"))
	}
	if !mentioned {
		return false, nil
	}
	folder, _, err := source.Scan(dir)
	if err != nil {
		return false, err
	}
	for _, f := range folder.Files {
		if len(f.Marks.Types)+len(f.Marks.Classes) > 0 {
			return true, nil
		}
	}
	return false, nil
}

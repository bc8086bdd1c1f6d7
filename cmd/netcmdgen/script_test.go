package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what cmp gets into the scripts instead of comparing")

// asTool makes the test binary behave like the command, so that the tests run what users run.
const asTool = "NETCMDGEN_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
	}
	os.Exit(m.Run())
}

const ariadne = "github.com/ariadne-netcode/ariadne"

// goEnv lets the go command work in a module of a test, without a network.
var goEnv = []string{
	"GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local", "GO111MODULE=",
	"GOOS=", "GOARCH=", "CGO_ENABLED=0",
}

// root is the folder of this module.
func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// goMod returns a go.mod for a module that uses the working copy of this one.
func goMod(t testing.TB, name string) string {
	return fmt.Sprintf("module %s\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", name, ariadne, root(t))
}

// TestScripts runs the stories in testdata/script: archives of files with, in front of them, a list of what is done
// with these files and what comes of it.
//
//	netcmdgen args...     runs the command; it must succeed. ! in front: it must exit with 1; ?: with 2
//	go args...            the same for the go command
//	with VAR=x ...        sets variables for the next command
//	stdout text           the last output has this text in it; ! in front: it has not
//	stderr text
//	silent                the last command has printed nothing
//	cmp a b               two files, or the last stdout or stderr, are equal
//	exists file...        ! in front: none of them does
//	cp a b
//	rm file...
//	replace file "a" "b"  changes the one place in a file where a is
//
// A file go.mod is made if there is none.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runScript(t, file)
		})
	}
}

type script struct {
	*testing.T
	file           string
	archive        *txtar.Archive
	dir            string
	env            []string // for the next command
	stdout, stderr string
	changed        bool // the archive, by -update
}

func runScript(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	s := &script{T: t, file: file, archive: archive, dir: dir}
	s.write("go.mod", goMod(t, "example.com/game"))
	for _, f := range archive.Files {
		s.write(f.Name, string(f.Data))
	}
	steps := 0
	for i, line := range strings.Split(string(archive.Comment), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		steps++
		if err := s.step(line); err != nil {
			t.Fatalf("%s:%d: %s: %v\nstdout:\n%s\nstderr:\n%s", file, i+1, line, err, s.stdout, s.stderr)
		}
	}
	require.NotZero(t, steps)
	if s.changed {
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o666))
	}
}

func (s *script) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *script) write(name, text string) {
	require.NoError(s, os.MkdirAll(filepath.Dir(s.path(name)), 0o777))
	require.NoError(s, os.WriteFile(s.path(name), []byte(text), 0o666))
}

func (s *script) read(name string) (string, error) {
	switch name {
	case "stdout":
		return s.stdout, nil
	case "stderr":
		return s.stderr, nil
	}
	text, err := os.ReadFile(s.path(name))
	return string(text), err
}

// step does what a line says.
func (s *script) step(line string) error {
	want, mark := 0, ""
	if line[1] == ' ' && (line[0] == '!' || line[0] == '?') {
		mark, line = line[:1], line[2:]
		want = map[string]int{"!": 1, "?": 2}[mark]
	}
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	args := strings.Fields(rest)
	switch verb {
	case "with":
		s.env = append(s.env, args...)
	case "netcmdgen", "go":
		status, err := s.run(verb, args)
		if err == nil && status != want {
			err = fmt.Errorf("exit code %d, want %d", status, want)
		}
		return err
	case "stdout", "stderr":
		text, _ := s.read(verb)
		if strings.Contains(text, rest) == (mark == "!") {
			return errors.New("this is not so")
		}
	case "silent":
		if s.stdout+s.stderr != "" {
			return errors.New("it was not silent")
		}
	case "exists":
		for _, name := range args {
			if _, err := os.Stat(s.path(name)); (err == nil) == (mark == "!") {
				return fmt.Errorf("this is not so for %s", name)
			}
		}
	case "cp":
		text, err := s.read(args[0])
		if err != nil {
			return err
		}
		s.write(args[1], text)
	case "rm":
		for _, name := range args {
			if err := os.Remove(s.path(name)); err != nil {
				return err
			}
		}
	case "cmp":
		return s.cmp(args[0], args[1])
	case "replace":
		return s.replace(args[0], strings.TrimSpace(strings.TrimPrefix(rest, args[0])))
	default:
		return errors.New("unknown step")
	}
	return nil
}

func (s *script) run(name string, args []string) (status int, err error) {
	env := append(os.Environ(), goEnv...)
	env = append(env, s.env...)
	s.env = nil
	if name == "netcmdgen" {
		if name, err = os.Executable(); err != nil {
			return 0, err
		}
		env = append(env, asTool+"=1")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(s.Context(), name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, env, &stdout, &stderr
	err = cmd.Run()
	s.stdout, s.stderr = stdout.String(), stderr.String()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	return 0, err
}

func (s *script) cmp(a, b string) error {
	one, err := s.read(a)
	if err != nil {
		return err
	}
	two, err := s.read(b)
	if err == nil && one == two {
		return nil
	}
	if *update {
		for i, f := range s.archive.Files {
			if f.Name == b {
				s.archive.Files[i].Data, s.changed = []byte(one), true
				return nil
			}
		}
	}
	if err == nil {
		err = fmt.Errorf("they differ; %s is\n%s", a, one)
	}
	return err
}

func (s *script) replace(name, rest string) error {
	before, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return err
	}
	after := strings.TrimSpace(rest[len(before):])
	for _, p := range []*string{&before, &after} {
		if *p, err = strconv.Unquote(*p); err != nil {
			return err
		}
	}
	text, err := s.read(name)
	if err != nil {
		return err
	}
	if n := strings.Count(text, before); n != 1 {
		return fmt.Errorf("%q is there %d times", before, n)
	}
	s.write(name, strings.Replace(text, before, after, 1))
	return nil
}

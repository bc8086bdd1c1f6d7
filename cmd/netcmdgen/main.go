package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ariadne-netcode/ariadne/cmd/netcmdgen/internal/source"
)

// What the command exits with.
const (
	exitOK     = 0
	exitFailed = 1 // the source has errors, or with -check the output is stale
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The names of the main generated files, of the commands and of the replicated classes.
const (
	defaultOutput      = "netcode_commands.go"
	defaultClassOutput = "netcode_replicated.go"
)

// config is what the command line says.
type config struct {
	check  bool
	output string
	tags   []string
	types  []string // nil means the marked ones
	dirs   []string
}

// run is main without the process around it.
func run(args []string, stdout, stderr io.Writer) int {
	cfg, err := parseArgs(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage
	}
	return work(cfg, stdout, stderr)
}

func parseArgs(args []string, stderr io.Writer) (config, error) {
	var cfg config
	var tags, types string
	flags := flag.NewFlagSet("netcmdgen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&cfg.check, "check", false, "write nothing; print a diff and exit with 1 if a generated file is stale")
	flags.StringVar(&cfg.output, "output", defaultOutput, "`name` of the generated file; files for replicated structs, tests and build tags are named after it")
	flags.StringVar(&tags, "tags", "", "comma-separated `list` of build tags that the package needs to be built at all")
	flags.StringVar(&types, "type", "", "comma-separated `list` of types to generate for, instead of the marked ones")
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: netcmdgen [flags] [folder ...]\n\nnetcmdgen generates the codecs and the registration of command types, and the replication of structs. A\nfolder may end in /... to mean those below it too. Without one it is the current folder. Flags:\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return cfg, err
	}
	usage := func(format string, args ...any) (config, error) {
		err := fmt.Errorf(format, args...)
		fmt.Fprintf(stderr, "netcmdgen: %v\n", err)
		flags.Usage()
		return cfg, err
	}
	set := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
	var err error
	if cfg.tags, err = list(tags); err != nil || set["tags"] && tags == "" {
		return usage("-tags %q is not a list of build tags", tags)
	}
	if cfg.types, err = list(types); err != nil || set["type"] && types == "" {
		return usage("-type %q is not a list of types", types)
	}
	name := cfg.output
	switch {
	case name != filepath.Base(name) || !strings.HasSuffix(name, ".go") || name[0] == '_' || name[0] == '.':
		return usage("-output %q is not the name of a Go file, without a folder", name)
	case !source.PlainName(name):
		return usage("-output %q is the name of a file for tests or for one platform; name the main file, and the others follow", name)
	}
	dirs := flags.Args()
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	for _, dir := range dirs {
		expanded, err := expand(dir)
		if err != nil {
			return usage("%v", err)
		}
		cfg.dirs = append(cfg.dirs, expanded...)
	}
	return cfg, nil
}

// list splits a list at its commas.
func list(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	words := strings.Split(s, ",")
	for i, w := range words {
		if words[i] = strings.TrimSpace(w); words[i] == "" || strings.ContainsAny(words[i], " \t") {
			return nil, fmt.Errorf("bad list %q", s)
		}
	}
	return words, nil
}

// classOutput returns the name of the main generated file of replicated classes.
func (c config) classOutput() string {
	if c.output == defaultOutput {
		return defaultClassOutput
	}
	return strings.TrimSuffix(c.output, ".go") + "_replicated.go"
}

// args returns the flags as they are written into generated files: all that has an influence on them.
func (c config) args() string {
	var words []string
	if c.output != defaultOutput {
		words = append(words, "-output", c.output)
	}
	if len(c.tags) > 0 {
		words = append(words, "-tags", strings.Join(c.tags, ","))
	}
	if len(c.types) > 0 {
		words = append(words, "-type", strings.Join(c.types, ","))
	}
	return strings.Join(words, " ")
}

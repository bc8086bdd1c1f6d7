package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// console is where a command writes. Its writers are used by several goroutines.
type console struct{ out, err io.Writer }

// subcommand is one of the things that the program can do.
type subcommand struct {
	name, summary string
	run           func(ctx context.Context, args []string, c console) error
}

func subcommands() []subcommand {
	return append(hosting(),
		subcommand{"bots", "join a server as several players that play by themselves", runBots},
	)
}

// errUsage says that the command line makes no sense; why has been printed.
var errUsage = errors.New("usage")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], console{out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 if all went well, 1 if not, 2 if the command line was wrong.
func run(ctx context.Context, args []string, c console) int {
	for _, sub := range subcommands() {
		if len(args) == 0 || args[0] != sub.name {
			continue
		}
		err := sub.run(ctx, args[1:], c)
		switch {
		case err == nil, errors.Is(err, flag.ErrHelp):
			return 0
		case errors.Is(err, errUsage):
			return 2
		}
		fmt.Fprintf(c.err, "arena %s: %v\n", sub.name, err)
		return 1
	}
	fmt.Fprintln(c.err, "Arena: transform sync over Ariadne. Usage:")
	fmt.Fprintln(c.err)
	for _, sub := range subcommands() {
		fmt.Fprintf(c.err, "  arena %-6s %s\n", sub.name, sub.summary)
	}
	fmt.Fprintln(c.err)
	fmt.Fprintln(c.err, "arena COMMAND -h explains a command.")
	return 2
}

// newFlags returns the flags of a subcommand, which explain it as text.
func newFlags(name, text string, c console) *flag.FlagSet {
	f := flag.NewFlagSet("arena "+name, flag.ContinueOnError)
	f.SetOutput(c.err)
	f.Usage = func() {
		fmt.Fprintf(c.err, "Usage: arena %s [flags]\n\n%s\n\nFlags:\n", name, text)
		f.PrintDefaults()
	}
	return f
}

// parse reads flags, and allows nothing beside them.
func parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if f.NArg() > 0 {
		fmt.Fprintf(f.Output(), "%s: unexpected argument %q\n", f.Name(), f.Arg(0))
		return errUsage
	}
	return nil
}

// turnTime is how often a game loop looks at its network. It is shorter than a step, so that what arrives is not kept
// waiting for the next one.
const turnTime = 5 * time.Millisecond

// errDone ends a game loop without an error.
var errDone = errors.New("done")

// loop calls turn until it returns an error or the context ends. Both errDone and the context's end are reported as
// nil.
func loop(ctx context.Context, turn func(now time.Time) error) error {
	ticker := time.NewTicker(turnTime)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		// Not the ticker's time: it may be old when the machine is busy.
		if err := turn(time.Now()); err != nil {
			if errors.Is(err, errDone) {
				return nil
			}
			return err
		}
	}
}

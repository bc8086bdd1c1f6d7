//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

// drawing bounds how long the program that draws may take, with fetching and compiling a plotting library.
const drawing = 3 * time.Minute

// draw writes down what was measured, and lets the program in plots make pictures of it. That program needs a library
// that this module does not; where it cannot be had, there are no pictures, and that is no failure.
func draw(ctx context.Context, dir string, data *record.Demo, c console) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, record.FileName)
	if err := record.Write(file, data); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "measurements: %s\n", file)
	ctx, cancel := context.WithTimeout(ctx, drawing)
	defer cancel()
	source, err := plotter(ctx)
	if err == nil {
		var said []byte
		said, err = goCommand(ctx, "run", "-C", source, ".", "-dir", dir)
		fmt.Fprintf(c.out, "%s", said)
	}
	if err != nil {
		fmt.Fprintf(c.err, "no plots, because the program in examples/arena/plots does not run here: %v\n", err)
	}
	return nil
}

// plotter returns where the source of the program that draws is: in a clone of this module.
func plotter(ctx context.Context) (string, error) {
	dir, err := goCommand(ctx, "list", "-f", "{{.Dir}}", "github.com/ariadne-netcode/ariadne/examples/arena")
	if err != nil {
		return "", fmt.Errorf("this is not a clone: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(dir)), "plots")
	_, err = os.Stat(filepath.Join(source, "go.mod"))
	return source, err
}

// goCommand runs the go command and returns what it has printed. An error has what it has complained about.
func goCommand(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(strings.TrimSpace(complaints.String())))
	}
	return out, nil
}

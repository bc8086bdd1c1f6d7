// Command plots draws what the demo of the arena has measured: PNG files beside the file of measurements.
//
//	go run . -dir DIR
//
// It is a module of its own, so that nobody depends on the plotting library who only wants to use Ariadne.
//
//   - path.png: where a figure was and where a player saw it
//   - delay.png: how far behind the newest snapshot the screens were
//   - bytes.png: how long each snapshot was
//   - hits.png: what part of the hits on the screen the server confirmed, by lag
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ariadne-netcode/ariadne/examples/arena/record"
)

func main() {
	dir := flag.String("dir", filepath.Join(os.TempDir(), "ariadne-arena"), "directory with the measurements, and for the plots")
	flag.Parse()
	if err := run(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

// run draws what there is to draw.
func run(dir string) error {
	demo, err := record.Read(filepath.Join(dir, record.FileName))
	if err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		draw func(*record.Demo) (picture, error)
	}{
		{"path.png", drawPath},
		{"delay.png", drawDelay},
		{"bytes.png", drawBytes},
		{"hits.png", drawHits},
	} {
		pic, err := p.draw(demo)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if pic == nil {
			continue // nothing was measured
		}
		file := filepath.Join(dir, p.name)
		if err := pic.save(file); err != nil {
			return err
		}
		fmt.Println("plot:", file)
	}
	return nil
}

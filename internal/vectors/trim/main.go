package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// total is the limit for all files together, in bytes.
const total = 1 << 20

// budgets are the limits of the copied files, in bytes. What they leave of the total is for families to come.
var budgets = []struct {
	file  string
	bytes int
}{
	{"session/preparation.json", 12_000},
	{"session/protocol_frames.json", 40_000},
	{"session/journal.json", 28_000},
	{"session/rollback.json", 24_000},
	{"session/local.json", 56_000},
	{"session/server_client.json", 108_000},
	{"session/join_resume.json", 110_000},
	{"session/random.json", 22_000},
	{"citadel/envelope.json", 24_000},
	{"citadel/protocol.json", 40_000},
	{"citadel/malformed.json", 110_000},
	{"citadel/bits.json", 16_000},
	{"citadel/scalar.json", 18_000},
	{"citadel/vector3.json", 16_000},
	{"citadel/quat.json", 18_000},
	{"citadel/schema_hash.json", 20_000},
	{"citadel/layout.json", 60_000},
	{"citadel/ack.json", 20_000},
	{"citadel/interest.json", 30_000},
	{"citadel/na.json", 20_000},
	{"citadel/room.json", 20_000},
	{"citadel/tsync.json", 50_000},
	{"citadel/tsync_v2.json", 24_000},
	{"citadel/netpeer.json", 60_000},
}

func main() {
	from := flag.String("from", filepath.Join("..", "shared", "vectors"), "`folder` with the full set")
	to := flag.String("to", filepath.Join("testdata", "vectors"), "`folder` of the copy")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "trim:", err)
		os.Exit(1)
	}
}

// run copies every file of the table and reports what the copy lacks.
func run(from, to string) error {
	sum := 0
	for _, b := range budgets {
		text, err := os.ReadFile(filepath.Join(from, b.file))
		if err != nil {
			return err
		}
		out, report, err := trim(text, b.bytes)
		if err != nil {
			return fmt.Errorf("%s: %w", b.file, err)
		}
		path := filepath.Join(to, b.file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, out, 0o666); err != nil {
			return err
		}
		fmt.Printf("%s: %d of %d elements, %d bytes\n", b.file, report.kept, report.elements, len(out))
		for _, g := range report.missing {
			fmt.Printf("\tnone of %s\n", g)
		}
		sum += len(out)
	}
	fmt.Printf("%d bytes in all\n", sum)
	if sum > total {
		return fmt.Errorf("%d bytes are more than the limit of %d", sum, total)
	}
	return nil
}

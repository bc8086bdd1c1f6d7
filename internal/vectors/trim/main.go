package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// total is the limit for all files together, packed, in bytes.
const total = 1 << 20

// budgets are the limits of the copied files before they are packed, in bytes. About a ninth of that is left then.
var budgets = []struct {
	file  string
	bytes int
}{
	{"session/preparation.json", 24_000},
	{"session/protocol_frames.json", 120_000},
	{"session/journal.json", 120_000},
	{"session/rollback.json", 120_000},
	{"session/local.json", 300_000},
	{"session/server_client.json", 800_000},
	{"session/join_resume.json", 1_400_000},
	{"session/random.json", 120_000},
	{"citadel/envelope.json", 48_000},
	{"citadel/protocol.json", 120_000},
	{"citadel/malformed.json", 400_000},
	{"citadel/bits.json", 60_000},
	{"citadel/scalar.json", 60_000},
	{"citadel/vector3.json", 60_000},
	{"citadel/quat.json", 60_000},
	{"citadel/schema_hash.json", 60_000},
	{"citadel/layout.json", 180_000},
	{"citadel/ack.json", 60_000},
	{"citadel/interest.json", 120_000},
	{"citadel/na.json", 80_000},
	{"citadel/room.json", 80_000},
	{"citadel/tsync.json", 200_000},
	{"citadel/tsync_v2.json", 100_000},
	{"citadel/netpeer.json", 240_000},
	{"citadel-runtime/snapshot_server.json", 900_000},
	{"citadel-runtime/world_view.json", 720_000},
	{"citadel-runtime/owner_input.json", 360_000},
	{"citadel-runtime/prediction.json", 360_000},
	{"citadel-runtime/rewind.json", 360_000},
	{"citadel-runtime/congestion.json", 270_000},
	{"citadel-runtime/replicator.json", 450_000},
	{"citadel-runtime/authority.json", 450_000},
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
		packed, err := pack(out)
		if err != nil {
			return err
		}
		path := filepath.Join(to, b.file+".gz")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, packed, 0o666); err != nil {
			return err
		}
		fmt.Printf("%s: %d of %d elements, %d bytes, %d packed\n", b.file, report.kept, report.elements, len(out), len(packed))
		for _, g := range report.missing {
			fmt.Printf("\tnone of %s\n", g)
		}
		sum += len(packed)
	}
	fmt.Printf("%d bytes in all\n", sum)
	if sum > total {
		return fmt.Errorf("%d bytes are more than the limit of %d", sum, total)
	}
	return nil
}

// pack compresses a text. The result depends on nothing else.
func pack(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

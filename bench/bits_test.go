package bench

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/icza/bitio"

	"github.com/ariadne-netcode/ariadne/transport/citadel/bitpack"
)

// field is a value and its width in bits.
type field struct {
	value uint64
	width uint8
}

// mixedFields returns fields of 1 to 32 bits, every width as likely as the others.
func mixedFields(n int) []field {
	rng := rand.New(rand.NewPCG(1, 2))
	fields := make([]field, n)
	for i := range fields {
		width := uint8(1 + rng.IntN(32))
		fields[i] = field{rng.Uint64() >> (64 - width), width}
	}
	return fields
}

// pack returns the fields as a bit stream, and the sum of their values.
func pack(fields []field) (stream []byte, sum uint64) {
	var w bitpack.Writer
	for _, f := range fields {
		w.WriteBits(f.value, uint(f.width))
		sum += f.value
	}
	return w.Bytes(), sum
}

func BenchmarkBitWriter(b *testing.B) {
	fields := mixedFields(1024)
	want, _ := pack(fields)
	check := func(got []byte) {
		if !bytes.Equal(want, got) {
			b.Fatal("streams differ")
		}
	}

	var ours []byte
	var theirs bytes.Buffer
	takeTurns(b, len(fields),
		contender{"bitpack", func() {
			var w bitpack.Writer
			w.Reset(ours[:0])
			for _, f := range fields {
				w.WriteBits(f.value, uint(f.width))
			}
			ours = w.Bytes()
			check(ours)
		}},
		contender{"bitio", func() {
			theirs.Reset()
			w := bitio.NewWriter(&theirs)
			for _, f := range fields {
				if err := w.WriteBits(f.value, f.width); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			check(theirs.Bytes())
		}},
		// Their way without errors to look at, and the values known to have no bits above their width.
		contender{"bitio-try", func() {
			theirs.Reset()
			w := bitio.NewWriter(&theirs)
			for _, f := range fields {
				w.TryWriteBitsUnsafe(f.value, f.width)
			}
			if err := w.Close(); err != nil || w.TryError != nil {
				b.Fatal(err, w.TryError)
			}
			check(theirs.Bytes())
		}},
	)
}

func BenchmarkBitReader(b *testing.B) {
	fields := mixedFields(1024)
	stream, want := pack(fields)
	check := func(got uint64, err error) {
		if err != nil || got != want {
			b.Fatal("values differ", err)
		}
	}

	takeTurns(b, len(fields),
		contender{"bitpack", func() {
			var r bitpack.Reader
			r.Reset(stream)
			var sum uint64
			for _, f := range fields {
				v, err := r.ReadBits(uint(f.width))
				if err != nil {
					b.Fatal(err)
				}
				sum += v
			}
			check(sum, r.Finish())
		}},
		contender{"bitio", func() {
			r := bitio.NewReader(bytes.NewReader(stream))
			var sum uint64
			for _, f := range fields {
				v, err := r.ReadBits(f.width)
				if err != nil {
					b.Fatal(err)
				}
				sum += v
			}
			check(sum, nil)
		}},
		contender{"bitio-try", func() {
			r := bitio.NewReader(bytes.NewReader(stream))
			var sum uint64
			for _, f := range fields {
				sum += r.TryReadBits(f.width)
			}
			check(sum, r.TryError)
		}},
	)
}

// TestInlined guards what the figures rest on: the compiler inlines the two methods only as long as they are small
// enough, by its own count, and says nothing when they no longer are.
func TestInlined(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-m", "github.com/ariadne-netcode/ariadne/transport/citadel/bitpack")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, method := range []string{"(*Writer).WriteBits", "(*Reader).ReadBits"} {
		if !bytes.Contains(out, []byte("can inline "+method)) {
			t.Errorf("%s is not inlined", method)
		}
	}
}

// BenchmarkConstantWidths is what a codec does: a function that is given a writer and knows the widths.
func BenchmarkConstantWidths(b *testing.B) {
	const records, fields = 100, 10
	ourRecord := func(w *bitpack.Writer, v uint64) {
		w.WriteBits(v, 32)
		w.WriteBits(v, 16)
		w.WriteBits(v&15, 4)
		w.WriteBits(v, 23)
		w.WriteBits(v, 23)
		w.WriteBits(v, 20)
		w.WriteBits(v&1, 1)
		w.WriteBits(v&3, 2)
		w.WriteBits(v, 10)
		w.WriteBits(v, 7)
	}
	theirRecord := func(w *bitio.Writer, v uint64) {
		w.TryWriteBitsUnsafe(v, 32)
		w.TryWriteBitsUnsafe(v, 16)
		w.TryWriteBitsUnsafe(v&15, 4)
		w.TryWriteBitsUnsafe(v, 23)
		w.TryWriteBitsUnsafe(v, 23)
		w.TryWriteBitsUnsafe(v, 20)
		w.TryWriteBitsUnsafe(v&1, 1)
		w.TryWriteBitsUnsafe(v&3, 2)
		w.TryWriteBitsUnsafe(v, 10)
		w.TryWriteBitsUnsafe(v, 7)
	}
	var ours []byte
	var theirs bytes.Buffer
	takeTurns(b, records*fields,
		contender{"bitpack", func() {
			var w bitpack.Writer
			w.Reset(ours[:0])
			for v := range uint64(records) {
				ourRecord(&w, v)
			}
			ours = w.Bytes()
		}},
		contender{"bitio-try", func() {
			theirs.Reset()
			w := bitio.NewWriter(&theirs)
			for v := range uint64(records) {
				theirRecord(w, v)
			}
			if err := w.Close(); err != nil || w.TryError != nil {
				b.Fatal(err, w.TryError)
			}
			if !bytes.Equal(ours, theirs.Bytes()) {
				b.Fatal("streams differ")
			}
		}},
	)
}

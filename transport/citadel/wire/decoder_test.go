package wire_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

var _ io.Writer = (*wire.Decoder)(nil)

func TestLargestBody(t *testing.T) {
	body := make([]byte, wire.MaxBody+1)
	dst := []byte("kept")
	out, err := wire.AppendFramed(dst, 1, body)
	require.ErrorIs(t, err, wire.ErrFrameTooLarge)
	require.Equal(t, dst, out)
	out, err = wire.AppendFramed(nil, 1, body[1:])
	require.NoError(t, err)
	e, n, err := wire.ParseFramed(out)
	require.NoError(t, err)
	require.Equal(t, len(out), n)
	require.Len(t, e.Body, wire.MaxBody)
}

// However a stream is cut, the same envelopes come out, and the buffer stays small.
func TestDecoderAgainstWholeStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		var want []wire.Envelope
		var stream []byte
		for range rng.IntN(30) {
			body := make([]byte, rng.IntN(1<<rng.IntN(15)))
			for i := range body {
				body[i] = byte(rng.Uint32())
			}
			e := wire.Envelope{Kind: wire.Kind(rng.Uint32()), Body: body}
			want = append(want, e)
			stream, _ = wire.AppendFramed(stream, e.Kind, e.Body)
		}
		var dec wire.Decoder
		var got []wire.Envelope
		for rest := stream; ; {
			e, ok, err := dec.Next()
			require.NoError(t, err)
			if ok {
				got = append(got, wire.Envelope{Kind: e.Kind, Body: bytes.Clone(e.Body)})
				continue
			}
			if len(rest) == 0 {
				break
			}
			free := dec.Free(1)
			require.NotEmpty(t, free)
			n := copy(free, rest[:min(len(rest), 1+rng.IntN(3000))])
			dec.Commit(n)
			rest = rest[n:]
		}
		require.Equal(t, len(want), len(got))
		for i := range want {
			require.Equal(t, want[i].Kind, got[i].Kind)
			require.True(t, bytes.Equal(want[i].Body, got[i].Body))
		}
		require.Zero(t, dec.Buffered())
	}
}

// What a frame announces costs nothing until it is there.
func TestDecoderGrowsWithArrivals(t *testing.T) {
	var dec wire.Decoder
	_, _ = dec.Write(wire.AppendFrameHeader(nil, 1, wire.MaxBody))
	arrived := wire.FrameOverhead
	for arrived < 1<<20 {
		_, ok, err := dec.Next()
		require.NoError(t, err)
		require.False(t, ok)
		room := len(dec.Free(1000)) + dec.Buffered()
		require.LessOrEqual(t, room, max(4<<10, 2*arrived+1000))
		dec.Commit(1000)
		arrived += 1000
	}
}

func TestDecoderGivesLargeBuffersBack(t *testing.T) {
	var dec wire.Decoder
	big, err := wire.AppendFramed(nil, 1, make([]byte, 1<<20))
	require.NoError(t, err)
	_, _ = dec.Write(big)
	_, ok, err := dec.Next()
	require.NoError(t, err)
	require.True(t, ok)
	require.LessOrEqual(t, len(dec.Free(1)), 64<<10)
}

func TestDecoderLimit(t *testing.T) {
	var dec wire.Decoder
	dec.SetLimit(wire.KindBytes + 10)
	frame := func(n int) []byte {
		b, err := wire.AppendFramed(nil, 1, make([]byte, n))
		require.NoError(t, err)
		return b
	}
	_, _ = dec.Write(frame(10))
	_, ok, err := dec.Next()
	require.NoError(t, err)
	require.True(t, ok)
	_, _ = dec.Write(frame(11)[:4])
	_, _, err = dec.Next()
	require.ErrorIs(t, err, wire.ErrFrameTooLarge)
	_, _ = dec.Write(frame(1))
	_, _, again := dec.Next()
	require.Equal(t, err, again, "an error is for ever")
	dec.Reset()
	_, _ = dec.Write(frame(1))
	_, ok, err = dec.Next()
	require.NoError(t, err)
	require.True(t, ok)
	dec.SetLimit(0)
	_, _ = dec.Write(frame(11))
	_, ok, err = dec.Next()
	require.NoError(t, err)
	require.True(t, ok)
}

func TestDecoderAllocatesNothing(t *testing.T) {
	var dec wire.Decoder
	var frames []byte
	for n := range 16 {
		frames, _ = wire.AppendFramed(frames, wire.KindSession, make([]byte, n*10))
	}
	run := func() {
		n := copy(dec.Free(len(frames)), frames)
		dec.Commit(n)
		for {
			_, ok, err := dec.Next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				return
			}
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(100, run))
}

func FuzzDecoder(f *testing.F) {
	var two []byte
	two, _ = wire.AppendFramed(two, wire.KindSession, []byte("frame"))
	two, _ = wire.AppendFramed(two, 34, nil)
	f.Add(two, uint8(3))
	f.Add([]byte{0, 0x80, 0, 0, 0, 1}, uint8(1))
	f.Add([]byte{0, 0, 0, 1, 9}, uint8(0))
	f.Fuzz(func(t *testing.T, stream []byte, chunk uint8) {
		checkFramesAgree(t, stream, int(chunk)+1)

		// In pieces through the decoder, and whole through the parser.
		var dec wire.Decoder
		rest := stream
		parsed, perr := stream, error(nil)
		for {
			e, ok, err := dec.Next()
			if err == nil && !ok {
				if len(rest) == 0 {
					if _, n, err := wire.ParseFramed(parsed); n != 0 || err != nil {
						t.Fatalf("parser finds %d bytes and %v in what the decoder waits with", n, err)
					}
					return
				}
				n := min(len(rest), int(chunk)+1)
				_, _ = dec.Write(rest[:n])
				rest = rest[n:]
				continue
			}
			var want wire.Envelope
			var n int
			want, n, perr = wire.ParseFramed(parsed)
			if err != nil {
				if perr == nil || perr.Error() != err.Error() {
					t.Fatalf("decoder %v, parser %v", err, perr)
				}
				return
			}
			if e.Kind != want.Kind || !bytes.Equal(e.Body, want.Body) {
				t.Fatalf("decoder %v, parser %v", e, want)
			}
			again, err := wire.AppendFramed(nil, e.Kind, e.Body)
			if err != nil || !bytes.Equal(again, parsed[:n]) {
				t.Fatalf("encodes to %x (%v), was %x", again, err, parsed[:n])
			}
			parsed = parsed[n:]
		}
	})
}

// checkFramesAgree takes a stream through a decoder twice, in pieces: copied into it, and from where it lies.
func checkFramesAgree(t *testing.T, stream []byte, chunk int) {
	var copying, borrowing wire.Decoder
	for len(stream) > 0 {
		p := bytes.Clone(stream[:min(len(stream), chunk)])
		stream = stream[len(p):]
		_, _ = copying.Write(p)
		for e, err := range borrowing.Frames(p) {
			want, ok, werr := copying.Next()
			if (err == nil) != ok || (err != nil) != (werr != nil) || e.Kind != want.Kind || !bytes.Equal(e.Body, want.Body) {
				t.Fatalf("frames: %v, %v; next: %v, %v", e, err, want, werr)
			}
			if err != nil {
				return
			}
		}
		if _, ok, err := copying.Next(); ok || err != nil {
			t.Fatalf("next goes on with %v, %v", ok, err)
		}
		clear(p)
	}
	if borrowing.Buffered() != copying.Buffered() {
		t.Fatalf("%d bytes are left, or %d", borrowing.Buffered(), copying.Buffered())
	}
}

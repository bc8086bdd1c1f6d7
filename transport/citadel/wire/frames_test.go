package wire_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// lies reports whether a is part of b's memory: it changes when b does.
func lies(a, b []byte) bool {
	flip := func() {
		for i := range b {
			b[i] ^= 0xff
		}
	}
	before := bytes.Clone(a)
	flip()
	changed := !bytes.Equal(before, a)
	flip()
	return changed
}

// randomStream returns envelopes and their stream encoding.
func randomStream(r *rand.Rand, n int) (want []wire.Envelope, stream []byte) {
	for range n {
		e := wire.Envelope{Kind: wire.Kind(r.Uint32()), Body: random(r, 1+r.IntN(1<<r.IntN(13)))}
		want = append(want, e)
		stream, _ = wire.AppendFramed(stream, e.Kind, e.Body)
	}
	return want, stream
}

// A frame that is whole in the caller's bytes stays where it is; one that is cut is put together elsewhere.
// However the stream is cut, the envelopes are the same.
func TestFramesBorrow(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 300 {
		want, stream := randomStream(r, r.IntN(20))
		var dec wire.Decoder
		var got []wire.Envelope
		for at := 0; at < len(stream); {
			p := bytes.Clone(stream[at:min(len(stream), at+1+r.IntN(4000))])
			at += len(p)
			whole := dec.Buffered() == 0
			for e, err := range dec.Frames(p) {
				require.NoError(t, err)
				require.Equal(t, whole, lies(e.Body, p))
				whole = true // only the first can have begun before p
				got = append(got, wire.Envelope{Kind: e.Kind, Body: bytes.Clone(e.Body)})
			}
			clear(p) // it is not needed any more
		}
		require.Equal(t, want, got)
		require.Zero(t, dec.Buffered())
	}
}

// A loop that is left early loses nothing.
func TestFramesLeftEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for range 300 {
		want, stream := randomStream(r, 1+r.IntN(10))
		var dec wire.Decoder
		var got []wire.Envelope
		keep := func(e wire.Envelope) { got = append(got, wire.Envelope{Kind: e.Kind, Body: bytes.Clone(e.Body)}) }
		for len(stream) > 0 {
			p := bytes.Clone(stream[:1+r.IntN(len(stream))])
			stream = stream[len(p):]
			left := r.IntN(4)
			for e, err := range dec.Frames(p) {
				require.NoError(t, err)
				keep(e)
				if left--; left < 0 {
					break
				}
			}
			clear(p)
			if r.IntN(2) == 0 {
				e, ok, err := dec.Next()
				require.NoError(t, err)
				if ok {
					keep(e)
				}
			}
		}
		for e, err := range dec.Frames(nil) {
			require.NoError(t, err)
			keep(e)
		}
		require.Equal(t, want, got)
		require.Zero(t, dec.Buffered())
	}
}

func TestFramesError(t *testing.T) {
	good, err := wire.AppendFramed(nil, 7, []byte("x"))
	require.NoError(t, err)
	for _, bad := range [][]byte{{0, 0, 0, 1}, {0, 0x80, 0, 1}, {0xff, 0xff, 0xff, 0xff}} {
		for cut := range len(bad) + 1 { // all in the caller's bytes, or begun in the decoder
			var dec wire.Decoder
			frames := 0
			var failed error
			for _, p := range [][]byte{append(good[:len(good):len(good)], bad[:cut]...), append(bad[cut:len(bad):len(bad)], good...)} {
				for e, err := range dec.Frames(p) {
					if err != nil {
						require.Zero(t, e)
						failed = err
						continue // it is the last
					}
					frames++
				}
			}
			require.Error(t, failed)
			require.Equal(t, 1, frames, "what follows an error is not read")
			_, _, again := dec.Next()
			require.Equal(t, failed, again)
			dec.Reset()
			for e, err := range dec.Frames(good) {
				require.NoError(t, err)
				require.Equal(t, wire.Kind(7), e.Kind)
			}
		}
	}
}

// A frame that comes in crumbs takes memory for what has come, whatever it announces.
func TestFramesGrowWithArrivals(t *testing.T) {
	header := wire.AppendFrameHeader(nil, 1, wire.MaxBody)
	crumb := make([]byte, 1000)
	perRun := allocatedBytes(1, func() {
		var dec wire.Decoder
		for range dec.Frames(header) {
			t.Fatal("there is no frame")
		}
		for range 100 {
			for range dec.Frames(crumb) {
				t.Fatal("there is no frame")
			}
		}
	})
	require.Less(t, perRun, 500_000) // 100 kB arrived; a buffer that doubles costs about twice its last size in all
}

// The length is judged as a number of 32 bits, before it becomes an int that may be no larger.
func TestDeclaredFrameLengths(t *testing.T) {
	for _, c := range []struct {
		length uint32
		want   error
	}{
		{0, wire.ErrFrameTooSmall},
		{1, wire.ErrFrameTooSmall},
		{2, nil},
		{wire.MaxFrameBody, nil},
		{wire.MaxFrameBody + 1, wire.ErrFrameTooLarge},
		{1<<31 - 1, wire.ErrFrameTooLarge},
		{1 << 31, wire.ErrFrameTooLarge},
		{1<<31 + 2, wire.ErrFrameTooLarge},
		{1<<32 - 4, wire.ErrFrameTooLarge}, // with its prefix a multiple of 2^32
		{1<<32 - 1, wire.ErrFrameTooLarge},
	} {
		prefix := binary.BigEndian.AppendUint32(nil, c.length)
		e, n, err := wire.ParseFramed(prefix)
		require.ErrorIs(t, err, c.want, c.length)
		require.Zero(t, n)
		require.Zero(t, e)
	}
	// One byte less than announced is not enough.
	frame, err := wire.AppendFramed(nil, 1, []byte("abc"))
	require.NoError(t, err)
	for n := range len(frame) {
		e, took, err := wire.ParseFramed(frame[:n])
		require.NoError(t, err)
		require.Zero(t, took)
		require.Zero(t, e)
	}
}

func TestFramesAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	_, stream := randomStream(r, 50)
	var dec wire.Decoder
	sum := 0
	feed := func(p []byte) {
		for e, err := range dec.Frames(p) {
			if err != nil {
				t.Fatal(err)
			}
			sum += len(e.Body)
		}
	}
	run := func() {
		feed(stream)
		for cut := range 40 { // and with a frame that is cut
			feed(stream[:100*cut])
			feed(stream[100*cut:])
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(10, run))
}

// Kinds that nobody here knows go through the whole layer like any other.
func TestUnknownKindsPassThrough(t *testing.T) {
	for _, kind := range []wire.Kind{0, 44, 99, 100, 101, 0xC000, 0xC004, 0xffff} {
		_, known := kind.Info()
		require.False(t, known, kind)
		body := []byte("opaque\xff")
		want := wire.Envelope{Kind: kind, Body: body}

		e, err := wire.ParseDatagram(wire.AppendDatagram(nil, kind, body))
		require.NoError(t, err)
		require.Equal(t, want, e)
		frame, err := wire.AppendFramed(nil, kind, body)
		require.NoError(t, err)
		var dec wire.Decoder
		for e, err := range dec.Frames(frame) {
			require.NoError(t, err)
			require.Equal(t, want, e)
		}
		_, err = dec.Write(frame)
		require.NoError(t, err)
		e, ok, err := dec.Next()
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, want, e)
	}
}

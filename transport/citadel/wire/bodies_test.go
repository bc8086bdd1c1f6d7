package wire_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func TestPart(t *testing.T) {
	p := wire.Part{Transfer: 0x01020304, Total: 0x05060708, Offset: 0x090a0b0c, Bytes: []byte("xy")}
	b := wire.AppendPart(nil, p)
	require.Equal(t, []byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0cxy"), b)
	got, err := wire.ParsePart(b)
	require.NoError(t, err)
	require.Equal(t, p, got)
	for n := range wire.PartHeaderBytes + 1 {
		_, err := wire.ParsePart(b[:n])
		require.ErrorIs(t, err, wire.ErrPartTooSmall, n)
	}
}

func TestGoodbye(t *testing.T) {
	g := wire.Goodbye{Code: 0x01020304, Reason: []byte("so long")}
	b := wire.AppendGoodbye(nil, g)
	require.Equal(t, []byte("\x01\x02\x03\x04so long"), b)
	got, err := wire.ParseGoodbye(b)
	require.NoError(t, err)
	require.Equal(t, g, got)
	for n := range 4 {
		_, err := wire.ParseGoodbye(b[:n])
		require.ErrorIs(t, err, wire.ErrGoodbyeTooSmall, n)
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "status(9)", wire.AuthStatus(9).String())
	require.Equal(t, "authentication required", wire.ReasonAuthRequired.String())
	require.Equal(t, "reason 9", wire.AuthReason(9).String())
}

// FuzzBodies feeds the same bytes to every body parser: whatever is accepted encodes to the same meaning.
func FuzzBodies(f *testing.F) {
	f.Add(wire.AppendPart(nil, wire.Part{Transfer: 1, Total: 3, Bytes: []byte("abc")}))
	f.Add(wire.AppendGoodbye(nil, wire.Goodbye{Code: 1, Reason: []byte("bye")}))
	f.Add(wire.AppendAuthResult(nil, wire.AuthResult{UserID: []byte("ariadne")}))
	f.Add([]byte{2})
	f.Add([]byte{0, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := wire.ParsePart(b); err == nil && !bytes.Equal(wire.AppendPart(nil, p), b) {
			t.Fatalf("part %v does not encode to %x", p, b)
		}
		if g, err := wire.ParseGoodbye(b); err == nil && !bytes.Equal(wire.AppendGoodbye(nil, g), b) {
			t.Fatalf("goodbye %v does not encode to %x", g, b)
		}
		if e, err := wire.ParseDatagram(b); err == nil && !bytes.Equal(wire.AppendDatagram(nil, e.Kind, e.Body), b) {
			t.Fatalf("datagram %v does not encode to %x", e, b)
		}
		if r, err := wire.ParseAuthResult(b); err == nil && r.Status <= wire.AuthRejected {
			again, err := wire.ParseAuthResult(wire.AppendAuthResult(nil, r))
			if err != nil || again.Status != r.Status || again.Reason != r.Reason || !bytes.Equal(again.UserID, r.UserID) {
				t.Fatalf("%+v became %+v (%v)", r, again, err)
			}
		}
	})
}

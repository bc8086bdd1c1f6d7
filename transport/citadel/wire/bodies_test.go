package wire_test

import (
	"bytes"
	"math/rand/v2"
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
}

func TestGoodbye(t *testing.T) {
	g := wire.Goodbye{Code: 0x01020304, Reason: []byte("so long")}
	b := wire.AppendGoodbye(nil, g)
	require.Equal(t, []byte("\x01\x02\x03\x04so long"), b)
	got, err := wire.ParseGoodbye(b)
	require.NoError(t, err)
	require.Equal(t, g, got)
}

func TestNames(t *testing.T) {
	require.Equal(t, "status(9)", wire.AuthStatus(9).String())
	require.Equal(t, "authentication required", wire.ReasonAuthRequired.String())
	require.Equal(t, "reason 9", wire.AuthReason(9).String())
	require.Equal(t, "ok", wire.RPCOK.String())
	require.Equal(t, "error", wire.RPCError.String())
	require.Equal(t, "status(9)", wire.RPCStatus(9).String())
}

// shortError is what the decoder must return for a body that ends too early.
func (c bodyCase) shortError() error {
	if c.short != nil {
		return c.short
	}
	return wire.ErrTooShort
}

// Every body is refused when it is cut anywhere before its payload, with nothing decoded, and otherwise it means
// what its bytes say.
func TestBodiesTruncated(t *testing.T) {
	for _, c := range bodyCases {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 200 {
				b, need := c.sample(r)
				before := bytes.Clone(b)
				for n := range len(b) + 1 {
					again, zero, err := c.decode(b[:n:n])
					if n < need {
						require.ErrorIs(t, err, c.shortError(), "%d of %x", n, b)
						require.True(t, zero, "a refused body decodes to nothing")
						continue
					}
					require.NoError(t, err, "%d of %x", n, b)
					if !c.loose {
						require.Equal(t, string(b[:n]), string(again))
					}
				}
				require.Equal(t, before, b, "parsers do not write")
			}
		})
	}
}

// Bodies of fixed fields ignore what lies behind them, except for a position.
func TestBodiesTrailing(t *testing.T) {
	for _, name := range []string{
		"transform", "na_presence", "na_spawn", "na_spawn_batch", "na_despawn", "na_state",
		"room_create", "room_join", "room_joined", "match_closed", "room_reject",
	} {
		t.Run(name, func(t *testing.T) {
			c := bodyNamed(t, name)
			r := rand.New(rand.NewPCG(3, 4))
			for range 50 {
				b, need := c.sample(r)
				again, _, err := c.decode(append(b, random(r, 1+r.IntN(100))...))
				require.NoError(t, err)
				require.Equal(t, b[:need], again)
			}
		})
	}
	_, err := wire.ParsePosition(make([]byte, wire.PositionBytes+1))
	require.ErrorIs(t, err, wire.ErrCount)
}

// A length in front of a string is compared with what is there, and the memory that a refusal takes has nothing to
// do with it.
func TestDeclaredLengths(t *testing.T) {
	for _, c := range []struct {
		name   string
		header int // bytes before the length
		unit   int // of what it counts
	}{
		{"rpc_request", 8, 1},
		{"room_create", 0, 1},
		{"room_joined", 8, 1},
		{"room_reject", 2, 1},
		{"na_spawn_batch", 0, wire.SpawnBytes},
	} {
		t.Run(c.name, func(t *testing.T) {
			decode := bodyNamed(t, c.name).decode
			for _, have := range []int{0, 1, 20} {
				for _, declared := range []int{have + 1, have + 2, 0x7fff, 0x8000, 0xffff} {
					b := make([]byte, c.header, 2000)
					b = append(b, byte(declared>>8), byte(declared))
					b = append(b, make([]byte, have*c.unit)...)
					_, zero, err := decode(b)
					require.ErrorIs(t, err, wire.ErrTooShort)
					require.True(t, zero)
					// And with all of it there but the last byte.
					b = append(b, make([]byte, (declared-have)*c.unit-1)...)
					_, _, err = decode(b)
					require.ErrorIs(t, err, wire.ErrTooShort)
				}
			}
		})
	}
}

// Whatever a hostile body announces, refusing it takes no memory.
func TestHostileCountsAllocateNothing(t *testing.T) {
	batch := append([]byte{0xff, 0xff}, make([]byte, 3*wire.SpawnBytes)...)
	rpc := append(make([]byte, 8), 0xff, 0xff)
	joined := append(make([]byte, 8), 0, 0, 0xff, 0xff)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_, err1 := wire.ParseSpawnBatch(batch)
		_, err2 := wire.ParseRPCRequest(rpc)
		_, err3 := wire.ParseRoomJoined(joined)
		_, err4 := wire.ParseState(rpc)
		_, err5 := wire.ParsePosition(rpc)
		_, err6 := wire.ParseDatagram(rpc[:1])
		if err1 == nil || err2 == nil || err3 == nil || err4 == nil || err5 == nil || err6 == nil {
			t.Fatal("accepted")
		}
	}))
}

func TestStringsAreCut(t *testing.T) {
	long := bytes.Repeat([]byte("é"), wire.MaxString/2+1) // a character too long by a byte
	ascii := bytes.Repeat([]byte("a"), wire.MaxString+1)

	got, err := wire.ParseRPCRequest(wire.AppendRPCRequest(nil, wire.RPCRequest{Method: long, Payload: []byte("p")}))
	require.NoError(t, err)
	require.Equal(t, wire.RPCRequest{Method: long[:wire.MaxString-1], Payload: []byte("p")}, got)
	got, err = wire.ParseRPCRequest(wire.AppendRPCRequest(nil, wire.RPCRequest{Method: ascii}))
	require.NoError(t, err)
	require.Len(t, got.Method, wire.MaxString)
	// What is not text in the first place is still cut, near the end.
	noise := wire.AppendRPCRequest(nil, wire.RPCRequest{Method: bytes.Repeat([]byte{0x80}, 1<<17)})
	require.Len(t, noise, wire.RPCRequestHeaderBytes+wire.MaxString-4)

	created, err := wire.ParseRoomCreate(wire.AppendRoomCreate(nil, wire.RoomCreate{Params: long}))
	require.NoError(t, err)
	require.Equal(t, long[:wire.MaxString], created.Params)
	// These strings are cut inside a character, so what comes out is refused.
	_, err = wire.ParseRoomReject(wire.AppendRoomReject(nil, wire.RoomReject{Reason: long}))
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	_, err = wire.ParseRoomJoined(wire.AppendRoomJoined(nil, wire.RoomJoined{Map: long}))
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	_, err = wire.ParseRoomJoined(wire.AppendRoomJoined(nil, wire.RoomJoined{Mode: long}))
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	joined, err := wire.ParseRoomJoined(wire.AppendRoomJoined(nil, wire.RoomJoined{Map: ascii, Mode: ascii}))
	require.NoError(t, err)
	require.Equal(t, wire.RoomJoined{Map: ascii[:wire.MaxString], Mode: ascii[:wire.MaxString]}, joined)
}

func TestAuthToken(t *testing.T) {
	a, err := wire.ParseAuth(wire.AppendAuth(nil, wire.Auth{Token: []byte("t\u00f6ken")}))
	require.NoError(t, err)
	require.Equal(t, "t\u00f6ken", string(a.Token))
	a, err = wire.ParseAuth(nil)
	require.NoError(t, err)
	require.Empty(t, a.Token)
	_, err = wire.ParseAuth([]byte("secret\xff"))
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	require.NotContains(t, err.Error(), "secret")
}

func TestAuthResultErrors(t *testing.T) {
	_, err := wire.ParseAuthResult(nil)
	require.ErrorIs(t, err, wire.ErrAuthResult)
	require.ErrorIs(t, err, wire.ErrTooShort)
	_, err = wire.ParseAuthResult([]byte{0, 0xff})
	require.ErrorIs(t, err, wire.ErrAuthResult)
	require.ErrorIs(t, err, wire.ErrOutOfRange)
}

// FuzzBodies feeds bytes to the decoder of a body: what is accepted encodes to its own beginning, or to another
// spelling where there is one, and that decodes to itself.
func FuzzBodies(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for i, c := range bodyCases {
		b, _ := c.sample(r)
		f.Add(byte(i), b)
	}
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		c := bodyCases[int(which)%len(bodyCases)]
		again, zero, err := c.decode(b)
		if err != nil {
			if !zero {
				t.Fatalf("%s: something of a refused body is left", c.name)
			}
			return
		}
		if !c.loose && !bytes.HasPrefix(b, again) {
			t.Fatalf("%s: encodes to %x, not the beginning of %x", c.name, again, b)
		}
		if len(again) > len(b)+1 {
			t.Fatalf("%s: %d bytes decode to %d", c.name, len(b), len(again))
		}
		twice, _, err := c.decode(again)
		if err != nil || !bytes.Equal(twice, again) {
			t.Fatalf("%s: %x decodes to %x (%v)", c.name, again, twice, err)
		}
	})
}

package tsync_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// fixed are the bodies of fixed size, with values that tell every byte from every other.
var fixed = []struct {
	name string
	hex  string
	// again decodes a body and encodes it again.
	again func(b []byte) ([]byte, error)
}{
	{"hello", "c8800000c8800000c700000048800000488000004700000000000008c7000000c7000000c7000000470000004700000047000000000000040a143c",
		reencode(tsync.ParseHello, tsync.AppendHello)},
	{"ack", "0102030405060708", reencode(tsync.ParseAck, tsync.AppendAck)},
	{"role", "0102030403060708090a0b0c0d0e0f1011121302", reencode(tsync.ParseRole, tsync.AppendRole)},
	{"rewind", "0102030401060708090a0b0c0d0e0f10111213141516171819", reencode(tsync.ParseRewind, tsync.AppendRewind)},
}

func reencode[T any](parse func([]byte) (T, error), encode func([]byte, T) []byte) func([]byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		v, err := parse(b)
		if err != nil {
			return nil, err
		}
		return encode([]byte("before"), v)[len("before"):], nil
	}
}

func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(string(bytes.ReplaceAll([]byte(s), []byte(" "), nil)))
	require.NoError(t, err)
	return b
}

func TestFixedBodies(t *testing.T) {
	for _, f := range fixed {
		t.Run(f.name, func(t *testing.T) {
			b := unhex(t, f.hex)
			for _, longer := range [][]byte{b, append(slices.Clone(b), 0), append(slices.Clone(b), 1, 2, 3)} {
				again, err := f.again(longer)
				require.NoError(t, err)
				require.Equal(t, b, again)
			}
			for n := range b {
				_, err := f.again(b[:n])
				require.ErrorIs(t, err, wire.ErrTooShort, n)
			}
		})
	}
}

func TestHelloFields(t *testing.T) {
	h := tsync.Hello{
		Position: tsync.Bounds{Min: [3]float32{1, 2, 3}, Max: [3]float32{4, 5, 6}, PerUnit: 7},
		Velocity: tsync.Bounds{Min: [3]float32{8, 9, 10}, Max: [3]float32{11, 12, 13}, PerUnit: 14},
		Quat:     quant.Quat15, SendRate: 16, SimRate: 17,
	}
	b := tsync.AppendHello(nil, h)
	require.Len(t, b, tsync.HelloBytes)
	got, err := tsync.ParseHello(b)
	require.NoError(t, err)
	require.Equal(t, h, got)
	for mode := range 256 {
		b[56] = byte(mode)
		_, err := tsync.ParseHello(b)
		if mode == 9 || mode == 10 || mode == 15 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, wire.ErrOutOfRange)
	}
}

func TestRoleFields(t *testing.T) {
	b := tsync.AppendRole(nil, tsync.Role{
		Object: 1, Role: tsync.ServerSimulated, Owner: 2, OwnershipEpoch: 3, Gen: 4, Event: tsync.RoleExit,
	})
	require.Equal(t, unhex(t, "00000001 02 0000000000000002 00000003 0004 03"), b)
	for v := range 256 {
		for _, at := range []int{4, 19} {
			bad := slices.Clone(b)
			bad[at] = byte(v)
			_, err := tsync.ParseRole(bad)
			if v <= 3 {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, wire.ErrOutOfRange)
		}
	}
	var names []string
	for v := range uint8(5) {
		names = append(names, tsync.RoleKind(v).String(), tsync.RoleEvent(v).String())
	}
	require.Equal(t, []string{
		"owner predicted", "assign", "remote interpolated", "handoff", "server simulated", "enter",
		"static replicated", "exit", "role(4)", "event(4)",
	}, names)
}

func TestRewindFlags(t *testing.T) {
	b := unhex(t, fixed[3].hex)
	for flags := range 256 {
		b[4] = byte(flags)
		r, err := tsync.ParseRewind(b)
		require.NoError(t, err)
		require.Equal(t, flags&1 != 0, r.Hit)
		require.Equal(t, byte(flags&1), tsync.AppendRewind(nil, r)[4], "unknown flags are dropped")
	}
}

// TestFloatBits sends floats through that arithmetic would change: a signalling NaN must not come out quiet.
func TestFloatBits(t *testing.T) {
	for _, bits := range []uint32{0x7f800001, 0xff800001, 0x7fa5a5a5, 0x7fc00000, 0xffffffff, 0x80000000, 1, 0x7f800000} {
		x := math.Float32frombits(bits)
		v := [3]float32{x, x, x}
		rewind, err := tsync.ParseRewind(tsync.AppendRewind(nil, tsync.Rewind{HitPoint: v}))
		require.NoError(t, err)
		requireBits(t, bits, rewind.HitPoint[:]...)

		bounds := tsync.Bounds{Min: v, Max: v}
		hello, err := tsync.ParseHello(tsync.AppendHello(nil, tsync.Hello{Position: bounds, Velocity: bounds, Quat: 9}))
		require.NoError(t, err)
		for _, b := range []tsync.Bounds{hello.Position, hello.Velocity} {
			requireBits(t, bits, append(b.Min[:], b.Max[:]...)...)
		}

		in := tsync.Input{Frames: []tsync.InputFrame{{DT: x, Move: v, Fire: true, Origin: v, Direction: v}}}
		var got tsync.Input
		require.NoError(t, tsync.ParseInput(tsync.AppendInput(nil, &in), &got))
		f := got.Frames[0]
		requireBits(t, bits, append(append(append(f.Move[:], f.Origin[:]...), f.Direction[:]...), f.DT)...)
	}
}

func requireBits(t *testing.T, want uint32, floats ...float32) {
	for i, x := range floats {
		require.Equal(t, want, math.Float32bits(x), i)
	}
}

func TestInputBytes(t *testing.T) {
	in := &tsync.Input{Acked: 0x01020304, LastSeen: 0x05060708, Frames: []tsync.InputFrame{
		{Seq: 1, SimTick: 2, DT: 1, Object: 3, OwnershipEpoch: 4, Move: [3]float32{1, 2, 3}, Payload: []byte("abc")},
		{Seq: 5, Fire: true, Origin: [3]float32{1, 2, 3}, Direction: [3]float32{4, 5, 6}, Payload: []byte("d")},
	}}
	want := unhex(t, "01020304 05060708 02"+
		"00000001 00000002 3f800000 00000003 00000004 3f800000 40000000 40400000 00 0003 616263"+
		"00000005 00000000 00000000 00000000 00000000 00000000 00000000 00000000 01 0001 64"+
		"3f800000 40000000 40400000 40800000 40a00000 40c00000")
	b := tsync.AppendInput([]byte("before"), in)
	require.Equal(t, append([]byte("before"), want...), b)
	require.Equal(t, len(want), tsync.InputBytes(in))
	require.Equal(t, want, handPackInput(nil, in))

	dirty := tsync.Input{Frames: slices.Repeat([]tsync.InputFrame{{Fire: true, Origin: [3]float32{9, 9, 9}, Payload: []byte("x")}}, 3)}
	require.NoError(t, tsync.ParseInput(append(want, 1, 2, 3), &dirty))
	require.Equal(t, *in, dirty, "nothing is left of what was there")
	require.Equal(t, 3, cap(dirty.Frames[0].Payload), "appending to a payload leaves the body alone")

	for n := range want {
		require.ErrorIs(t, tsync.ParseInput(want[:n], &dirty), wire.ErrTooShort, n)
		require.Equal(t, tsync.Input{Frames: []tsync.InputFrame{}}, dirty)
	}
}

func TestInputFlags(t *testing.T) {
	const at = 9 + 32
	b := tsync.AppendInput(nil, &tsync.Input{Frames: []tsync.InputFrame{{Fire: true}}})
	var in tsync.Input
	for flags := range 256 {
		b[at] = byte(flags)
		require.NoError(t, tsync.ParseInput(b, &in))
		require.Equal(t, flags&1 != 0, in.Frames[0].Fire)
		require.Equal(t, byte(flags&1), tsync.AppendInput(nil, &in)[at], "unknown flags are dropped")
	}
}

func TestInputLimits(t *testing.T) {
	long := make([]byte, tsync.MaxInputPayload+10)
	in := &tsync.Input{Frames: make([]tsync.InputFrame, 40)}
	in.Frames[0].Payload = long
	in.Frames[31].Payload = long[:tsync.MaxInputPayload]
	in.Frames[32].Payload = long
	b := tsync.AppendInput(nil, in)
	require.Equal(t, len(b), tsync.InputBytes(in))
	var got tsync.Input
	require.NoError(t, tsync.ParseInput(b, &got))
	require.Len(t, got.Frames, tsync.MaxInputFrames)
	require.Len(t, got.Frames[0].Payload, tsync.MaxInputPayload)
	require.Len(t, got.Frames[31].Payload, tsync.MaxInputPayload)

	b[8] = 33
	require.ErrorIs(t, tsync.ParseInput(b, &got), wire.ErrCount)
	require.Empty(t, got.Frames)
	require.ErrorIs(t, tsync.ParseInput(b[:9], &got), wire.ErrCount, "a wrong count comes before what is missing")
}

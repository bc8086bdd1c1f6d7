package client_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

func newSender(t testing.TB, cfg client.SenderConfig) *client.Sender {
	t.Helper()
	s, err := client.NewSender(cfg, 7, 3)
	require.NoError(t, err)
	return s
}

func push(t testing.TB, s *client.Sender, in client.Input) uint32 {
	t.Helper()
	seq, err := s.Push(&in, 50)
	require.NoError(t, err)
	return seq
}

// bundle returns the next bundle and the numbers in it.
func bundle(t testing.TB, s *client.Sender) (in tsync.Input, seqs []uint32) {
	t.Helper()
	body := s.AppendInput(nil, 11, 12)
	require.LessOrEqual(t, len(body), tsync.MaxSnapshotBytes)
	require.NoError(t, tsync.ParseInput(body, &in))
	for _, f := range in.Frames {
		seqs = append(seqs, f.Seq)
	}
	return in, seqs
}

func sequence(from, to uint32) (out []uint32) {
	for ; from <= to; from++ {
		out = append(out, from)
	}
	return out
}

func TestBundlesAreRedundant(t *testing.T) {
	s := newSender(t, client.SenderConfig{Redundancy: 3})
	require.Empty(t, s.AppendInput(nil, 1, 1))
	for n := uint32(1); n <= 6; n++ {
		require.Equal(t, n, push(t, s, client.Input{Move: [3]float32{float32(n), 0, 0}, DT: 0.5, Payload: []byte{byte(n)}}))
		s.Ack(max(n, 3) - 3)
		in, seqs := bundle(t, s)
		require.Equal(t, sequence(max(n, 3)-2, n), seqs)
		require.EqualValues(t, 11, in.Acked)
		require.EqualValues(t, 12, in.LastSeen)
		last := in.Frames[len(in.Frames)-1]
		require.Equal(t, tsync.InputFrame{
			Seq: n, SimTick: 50, DT: 0.5, Object: 7, OwnershipEpoch: 3, Move: [3]float32{float32(n), 0, 0}, Payload: []byte{byte(n)},
		}, last)
	}
	s.Ack(99)
	require.Equal(t, 3, s.Pending(), "an acknowledgement of what was never sent")
	s.Ack(6)
	require.Zero(t, s.Pending())
	s.Reset(8, 4)
	require.EqualValues(t, 1, push(t, s, client.Input{}))
}

func TestShotsAreKeptUntilAcknowledged(t *testing.T) {
	s := newSender(t, client.SenderConfig{Redundancy: 2})
	shot := client.Input{Fire: true, Origin: [3]float32{1, 2, 3}, Direction: [3]float32{0, 0, 1}}
	push(t, s, shot)
	for n := uint32(2); n <= 9; n++ {
		push(t, s, client.Input{})
		in, seqs := bundle(t, s)
		require.Contains(t, seqs, uint32(1))
		require.Equal(t, n, seqs[len(seqs)-1])
		require.True(t, in.Frames[0].Fire)
		require.Equal(t, shot.Origin, in.Frames[0].Origin)
		require.Equal(t, shot.Direction, in.Frames[0].Direction)
	}
	s.Ack(1)
	_, seqs := bundle(t, s)
	require.Equal(t, []uint32{8, 9}, seqs)
}

func TestBundlesFitADatagram(t *testing.T) {
	for _, c := range []struct {
		payload int
		fire    bool
	}{{0, false}, {0, true}, {50, false}, {400, true}, {1100, false}, {1113, true}} {
		s := newSender(t, client.SenderConfig{Redundancy: tsync.MaxInputFrames, MaxPayload: tsync.MaxInputPayload})
		for range 40 {
			push(t, s, client.Input{Payload: make([]byte, c.payload), Fire: c.fire, Direction: [3]float32{1}})
		}
		require.Equal(t, 40, s.Unsent())
		var got []uint32
		for n := 0; s.Unsent() > 0; n++ {
			require.Less(t, n, 50)
			_, seqs := bundle(t, s)
			require.NotEmpty(t, seqs)
			require.LessOrEqual(t, len(seqs), tsync.MaxInputFrames)
			got = append(got, seqs...)
		}
		require.Subset(t, got, sequence(1, 40), "%d bytes of payload", c.payload)
	}
}

func TestSenderRefuses(t *testing.T) {
	s := newSender(t, client.SenderConfig{MaxPayload: tsync.MaxInputPayload})
	for name, c := range map[string]struct {
		in  client.Input
		err error
	}{
		"velocity":       {client.Input{Move: [3]float32{nan}}, client.ErrNotFinite},
		"origin":         {client.Input{Fire: true, Origin: [3]float32{0, inf}}, client.ErrNotFinite},
		"direction":      {client.Input{Fire: true, Direction: [3]float32{0, 0, nan}}, client.ErrNotFinite},
		"payload":        {client.Input{Payload: make([]byte, 1138)}, client.ErrPayload},
		"shot's payload": {client.Input{Payload: make([]byte, 1114), Fire: true}, client.ErrPayload},
		"endless":        {client.Input{Payload: make([]byte, 1<<20)}, client.ErrPayload},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Push(&c.in, 0)
			require.ErrorIs(t, err, c.err)
			require.Zero(t, s.Pending())
		})
	}
	push(t, s, client.Input{DT: nan, Origin: [3]float32{nan}})
	in, _ := bundle(t, s)
	require.Zero(t, in.Frames[0].DT, "what is predicted is what is sent")
	require.Zero(t, in.Frames[0].Origin, "nothing is fired")
	for range client.MaxPending - 1 {
		push(t, s, client.Input{})
	}
	_, err := s.Push(&client.Input{}, 0)
	require.ErrorIs(t, err, client.ErrPending)

	for _, cfg := range []client.SenderConfig{{Redundancy: -1}, {Redundancy: 33}, {MaxBytes: 84}, {MaxBytes: -1},
		{MaxPayload: -1}, {MaxPayload: tsync.MaxInputPayload + 1}} {
		_, err := client.NewSender(cfg, 0, 0)
		require.ErrorIs(t, err, client.ErrConfig)
	}
	_, err = client.NewSender(client.SenderConfig{MaxBytes: 85}, 0, 0)
	require.NoError(t, err)

	s = newSender(t, client.SenderConfig{}) // what a server by default would not take
	push(t, s, client.Input{Payload: make([]byte, server.DefaultPayload)})
	_, err = s.Push(&client.Input{Payload: make([]byte, server.DefaultPayload+1)}, 0)
	require.ErrorIs(t, err, client.ErrPayload)
}

func TestSenderV2(t *testing.T) {
	s := newSender(t, client.SenderConfig{})
	body, err := s.AppendInputV2([]byte{1}, tsync.Clock{}, 0, 0)
	require.NoError(t, err)
	require.Equal(t, []byte{1}, body)
	push(t, s, client.Input{})
	body, err = s.AppendInputV2([]byte{1}, tsync.Clock{}, 0, 0)
	require.ErrorIs(t, err, wire.ErrOutOfRange)
	require.Equal(t, []byte{1}, body)
	require.Equal(t, 1, s.Unsent())
	body, err = s.AppendInputV2(nil, tsync.Clock{Epoch: 9, Tick: 1 << 40, Rate: 60}, 5, 6)
	require.NoError(t, err)
	var in tsync.InputV2
	require.NoError(t, tsync.ParseInputV2(body, &in))
	require.EqualValues(t, 9, in.Epoch)
	require.Equal(t, uint64(1<<40), in.LastObservedTick)
	require.EqualValues(t, 5, in.Input.Acked)
	require.Len(t, in.Input.Frames, 1)
	require.Zero(t, s.Unsent())
}

// Whatever the network loses, in bursts too, a server gets every input once and in order, and a shot that is resent is
// resolved once.
func TestEveryInputArrives(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := newSender(t, client.SenderConfig{Redundancy: 4})
		var queue motion.Queue[tsync.InputFrame]
		var in tsync.Input
		var fired, shots []uint32
		applied, pushed, burst, lost := uint32(0), uint32(0), 0, 0
		type ack struct {
			due int
			seq uint32
		}
		var acks []ack
		for now := 0; now < 3000 || applied < pushed; now++ {
			require.Less(t, now, 10_000, "the server waits for an input that does not come")
			if now < 3000 && s.Check(&client.Input{}) == nil {
				fire := r.IntN(10) == 0
				pushed = push(t, s, client.Input{Fire: fire, Direction: [3]float32{1}})
				if fire {
					fired = append(fired, pushed)
				}
			}
			body := s.AppendInput(nil, 0, 0)
			if burst == 0 && r.IntN(200) == 0 {
				burst = r.IntN(60)
			}
			if burst > 0 || r.IntN(100) < 30 {
				burst = max(0, burst-1)
				lost++
			} else if len(body) > 0 {
				require.NoError(t, tsync.ParseInput(body, &in))
				for i := range in.Frames {
					motion.OfferFrame(&queue, &in.Frames[i])
				}
				for {
					seq, f := queue.Next()
					if f == nil {
						break
					}
					applied++
					require.Equal(t, applied, seq)
					require.Equal(t, seq, f.Seq)
					if f.Fire {
						shots = append(shots, seq)
					}
				}
			}
			if now%3 == 0 && r.IntN(100) < 70 {
				acks = append(acks, ack{now + 6, queue.Acked()})
			}
			for len(acks) > 0 && acks[0].due <= now {
				s.Ack(acks[0].seq)
				acks = acks[1:]
			}
		}
		require.NotZero(t, lost)
		require.NotEmpty(t, fired)
		require.Equal(t, fired, shots)
	}
}

// TestEverythingIsSentAtLast has inputs of which few fit a bundle, and a server that is silent: what was not sent must have
// its turn, however much could be said again.
func TestEverythingIsSentAtLast(t *testing.T) {
	for redundancy := 1; redundancy <= tsync.MaxInputFrames; redundancy++ {
		for _, payload := range []int{0, 300, 500, 1000} {
			s, err := client.NewSender(client.SenderConfig{Redundancy: redundancy, MaxPayload: tsync.MaxInputPayload}, 1, 1)
			require.NoError(t, err)
			oldest := 0
			for seq := range uint32(60) {
				push(t, s, client.Input{Payload: make([]byte, payload), Fire: seq%2 == 0})
				for n := 0; s.Unsent() > 0; n++ {
					require.Less(t, n, 10, "redundancy %d, payload %d, input %d", redundancy, payload, seq)
					var in tsync.Input
					require.NoError(t, tsync.ParseInput(s.AppendInput(nil, 0, 0), &in))
					if in.Frames[0].Seq == 1 {
						oldest++
					}
				}
			}
			require.Greater(t, oldest, 1, "redundancy %d, payload %d: the first one is sent again", redundancy, payload)
		}
	}
}

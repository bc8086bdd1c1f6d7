package session_test

import (
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

// ring is a transport that keeps the frames of connection 1 in buffers that it uses again, so that what is measured is
// the session's.
type ring struct {
	frames [][]byte
	n      int
}

func (r *ring) Send(to session.ConnID, frame []byte) {
	if to != 1 {
		return
	}
	if r.n == len(r.frames) {
		r.frames = append(r.frames, nil)
	}
	r.frames[r.n] = append(r.frames[r.n][:0], frame...)
	r.n++
}

func (r *ring) each(receive func(frame []byte)) {
	n := r.n
	r.n = 0
	for i := range n {
		receive(r.frames[i])
	}
}

// duo is an authority and one client with nothing between them.
type duo struct {
	server, client *peer
	router         *session.Server
	join           *session.Client
	up, down       ring
	step           netcode.Step
}

func newDuo(t testing.TB, retain int) *duo {
	d := new(duo)
	config := func(mode netcode.Mode, author netcode.AuthorID) peerConfig {
		s := start()
		s.Author = author
		return peerConfig{depth: 16, noMutator: true, Config: session.Config{
			Mode: mode, Start: s, Limits: session.Limits{Retain: retain},
		}}
	}
	d.server = newPeer(t, config(netcode.Server, 100))
	d.client = newPeer(t, config(netcode.Client, 7))
	d.router = session.NewServer(&d.down)
	require.NoError(t, d.router.Add(d.server.Host))
	require.NoError(t, d.router.Bind(1, 1, 7))
	var err error
	d.join, err = session.NewClient(d.client.Host, &d.up)
	require.NoError(t, err)
	d.join.Join(1)
	d.exchange()
	d.exchange()
	require.Equal(t, session.Ready, d.join.State())
	return d
}

func (d *duo) exchange() {
	d.up.each(func(f []byte) { d.router.Receive(1, f) })
	d.down.each(func(f []byte) { d.join.Receive(1, f) })
}

// advance runs one step on both sides and reads the events, as a game does.
func (d *duo) advance() {
	d.step++
	if err := d.client.Tick(d.step); err != nil {
		panic(err)
	}
	d.exchange()
	if err := d.server.Tick(d.step); err != nil {
		panic(err)
	}
	if err := d.router.BroadcastStep(1); err != nil {
		panic(err)
	}
	d.exchange()
	d.client.Events()
	d.server.Events()
}

func (d *duo) predict() {
	if _, err := d.client.send("add", 5, d.step+1); err != nil {
		panic(err)
	}
	d.advance()
}

func TestNothingIsAllocatedInSteadyState(t *testing.T) {
	d := newDuo(t, 64)
	for range 2000 {
		d.predict()
	}
	if n := testing.AllocsPerRun(500, d.predict); n != 0 {
		t.Errorf("a right prediction allocates %v times", n)
	}
	if n := testing.AllocsPerRun(500, d.advance); n != 0 {
		t.Errorf("an idle step allocates %v times", n)
	}
	s := d.client.Stats()
	require.Equal(t, s.Predictions, s.Right)
	require.Greater(t, s.Right, uint64(2000))
	require.Zero(t, s.ReplayedSteps)
	require.Equal(t, d.server.ledger.bytes(), d.client.ledger.bytes())
}

// One step of an authority and a client that have nothing to say: two ticks, a step frame, and the mark
// machinery looking for changes.
func BenchmarkIdleStep(b *testing.B) {
	d := newDuo(b, 64)
	b.ReportAllocs()
	for b.Loop() {
		d.advance()
	}
}

// The whole life of a right prediction on both sides: issued, executed, proposed, admitted, recorded,
// announced, confirmed; with the step it runs in.
func BenchmarkRightPrediction(b *testing.B) {
	d := newDuo(b, 64)
	for range 2000 {
		d.predict()
	}
	b.ReportAllocs()
	for b.Loop() {
		d.predict()
	}
	b.ReportMetric(float64(d.client.Stats().ReplayedSteps), "replayed")
}

// A resume that lacks ten commands costs those ten, however many there have been.
func BenchmarkResume(b *testing.B) {
	for _, records := range []int{1_000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			d := newDuo(b, 2_000_000)
			for i := range records {
				if _, err := d.server.send("add", 5, d.step+1); err != nil {
					b.Fatal(err)
				}
				d.down.n = 0
				if i%16 == 15 {
					d.step++
					if err := d.server.Tick(d.step); err != nil {
						b.Fatal(err)
					}
				}
			}
			d.server.Events()
			revision := d.server.Config().Journal.Revision()
			request := (&protocol.SyncRequest{
				Session: 1, Protocol: 2, Step: d.step, Revision: revision - 10, HasRevision: true,
				LastResolved: 0, HasLastResolved: true,
			}).Append(nil)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				d.down.n = 0
				if r, err := d.router.Receive(1, request); r != netcode.Accepted {
					b.Fatal(err)
				}
			}
			require.Equal(b, 13, d.down.n, "status, resume info, ten outcomes, complete")
		})
	}
}

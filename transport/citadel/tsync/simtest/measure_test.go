package simtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/client"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// scene is the session of the measurements: objects on circles and objects that turn sharply, watched by one client
// that drives an object of its own, which is knocked aside now and then.
type scene struct {
	world    *server.World
	conn     *server.Client
	client   *client.Client
	up, down *link
	rng      *rand.Rand
	path     [1 + sceneMovers][][3]float32 // by mover, by tick

	bytes       uint64
	knocks      int
	turns       []float64 // errors, in centimetres, of the movers that turn
	circles     []float64
	behind      []float64 // ticks from the world to the screen
	corrections []float64 // centimetres
}

const (
	sceneSeconds = 120
	sceneMovers  = 16 // the odd ones turn
	sceneOwn     = sceneMovers + 1
	sceneDelay   = 3 // ticks each way, and up to sceneJitter more
	sceneJitter  = 2
	simRate      = 60
	warmUp       = 2 * simRate
)

func newScene(t testing.TB, loss float64, sendRate uint8) *scene {
	hello := tsync.DefaultHello()
	hello.SendRate = sendRate
	s := &scene{rng: rand.New(rand.NewPCG(1, uint64(sendRate)))}
	var err error
	s.world, err = server.New(server.Config{Hello: hello, Budget: -1})
	require.NoError(t, err)
	s.conn, err = s.world.Join(1, nil)
	require.NoError(t, err)
	s.client, err = client.New(client.Config{Participant: 1})
	require.NoError(t, err)
	w := weather{loss: loss, delay: sceneDelay, jitter: sceneJitter}
	s.up, s.down = newLink(rand.New(rand.NewPCG(2, 1)), w), newLink(rand.New(rand.NewPCG(2, 2)), w)
	for id := uint32(1); id <= sceneMovers; id++ {
		_, err := s.world.Spawn(server.Object{ID: id, Role: tsync.ServerSimulated, ReplicateVelocity: true, State: s.mover(id, 0)})
		require.NoError(t, err)
	}
	_, err = s.world.Spawn(server.Object{ID: sceneOwn, Role: tsync.OwnerPredicted, Owner: 1, ReplicateVelocity: true})
	require.NoError(t, err)
	s.client.Flush()
	_, err = s.client.Receive(wire.KindTsyncHello, s.conn.AppendHello(nil))
	require.NoError(t, err)
	return s
}

// mover returns where a mover that goes in a circle is at a tick: 5 m around, at 3 to 6 m/s.
func (s *scene) mover(id uint32, tick int) tsync.State {
	const radius = 500
	speed := 300 + 20*float64(id)
	turn := speed / radius
	sin, cos := math.Sincos(turn * float64(tick) / simRate)
	return tsync.State{
		Position: [3]float32{float32(radius * cos), float32(radius * sin), float32(100 * id)},
		Velocity: [3]float32{float32(-speed * sin), float32(speed * cos), 0},
		Rotation: [4]float32{3: 1},
	}
}

// turn makes the movers that turn go at 6 m/s in another direction, every half a second on average.
func (s *scene) turn(t testing.TB, tick int) {
	for id := uint32(1); id <= sceneMovers; id++ {
		state := s.mover(id, tick-1) // the step to come moves it on by its velocity
		if id%2 == 1 {
			if s.rng.IntN(simRate/2) != 0 {
				continue
			}
			o, _ := s.world.Object(id)
			state = o.State
			sin, cos := math.Sincos(2 * math.Pi * s.rng.Float64())
			state.Velocity = [3]float32{float32(600 * cos), float32(600 * sin), 0}
		} else {
			next := s.mover(id, tick)
			for i := range state.Position {
				state.Velocity[i] = next.Velocity[i]
				state.Position[i] = next.Position[i] - next.Velocity[i]/simRate
			}
		}
		require.NoError(t, s.world.SetState(id, state))
	}
}

// run plays the scene.
func (s *scene) run(t testing.TB) {
	var buf []byte
	rng := rand.New(rand.NewPCG(3, 3))
	for tick := 1; tick <= sceneSeconds*simRate; tick++ {
		s.up.deliver(tick, func(kind byte, body []byte) {
			if wire.Kind(kind) == wire.KindTsyncAck {
				require.NoError(t, s.conn.Ack(body))
			} else {
				require.NoError(t, s.conn.Input(body))
			}
		})
		s.turn(t, tick)
		if tick%simRate == 0 {
			s.knock(t)
		}
		s.world.Tick()
		for id := 1; id <= sceneMovers; id++ {
			o, _ := s.world.Object(uint32(id))
			s.path[id] = append(s.path[id], o.State.Position)
		}
		for _, r := range s.conn.Roles() { // without a delay: it is not what is measured
			_, err := s.client.Receive(wire.KindTsyncRole, tsync.AppendRole(nil, r))
			require.NoError(t, err)
		}
		if s.conn.Due() {
			var err error
			buf, err = s.conn.AppendSnapshot(buf[:0])
			require.NoError(t, err)
			s.bytes += uint64(len(buf) + wire.KindBytes)
			s.down.send(tick, byte(wire.KindTsyncSnapshot), buf)
		}
		s.down.deliver(tick, func(kind byte, body []byte) {
			before := s.client.Stats().Corrections
			_, err := s.client.Receive(wire.Kind(kind), body)
			require.NoError(t, err)
			if after := s.client.Stats(); after.Corrections > before {
				s.corrections = append(s.corrections, float64(after.LastCorrection))
			}
		})
		s.show(tick)
		s.drive(rng)
		for _, f := range s.client.Flush() {
			s.up.send(tick+1, byte(f.Kind), f.Body)
		}
	}
}

// knock puts the client's own object half a metre aside.
func (s *scene) knock(t testing.TB) {
	o, _ := s.world.Object(sceneOwn)
	o.State.Position[2] = 50 - o.State.Position[2]
	require.NoError(t, s.world.SetState(sceneOwn, o.State))
	s.knocks++
}

// drive makes the client move its object.
func (s *scene) drive(rng *rand.Rand) {
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	move := [3]float32{float32(400 * cos), float32(400 * sin), 0}
	_, _ = s.client.Push(sceneOwn, &client.Input{Move: move, DT: 1.0 / simRate}) // not before it is in view
}

// show compares what a screen shows with where the movers were at that tick.
func (s *scene) show(tick int) {
	at, ok := s.client.Advance(1.0 / simRate)
	if !ok || tick < warmUp {
		return
	}
	s.behind = append(s.behind, float64(tick)-at)
	for id := 1; id <= sceneMovers; id++ {
		shown, ok := s.client.View().Sample(uint32(id), at)
		if !ok {
			continue
		}
		e := distance(shown.Position, s.at(id, at))
		if id%2 == 1 {
			s.turns = append(s.turns, e)
		} else {
			s.circles = append(s.circles, e)
		}
	}
}

// at returns where a mover was at a tick, on a straight line between two.
func (s *scene) at(id int, tick float64) (p [3]float32) {
	path := s.path[id] // the first is of tick 1
	tick = min(max(tick, 1), float64(len(path)))
	lo := min(int(tick), len(path)-1)
	part := float32(tick - float64(lo))
	for i := range p {
		a, b := path[lo-1][i], path[lo][i]
		p[i] = a + float32((b-a)*part)
	}
	return p
}

func distance(a, b [3]float32) float64 {
	var square float64
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		square += d * d
	}
	return math.Sqrt(square)
}

// quantile returns the value that so much of a list is not above. It sorts the list.
func quantile(of []float64, q float64) float64 {
	slices.Sort(of)
	if len(of) == 0 {
		return 0
	}
	return of[min(int(q*float64(len(of))), len(of)-1)]
}

// The figures of the package documentation: go test -run TestMeasureScene -v. How large errors are depends on the
// movers, so that only the order of things is asserted: nothing is far off, and no loss but only a knock is a
// correction.
func TestMeasureScene(t *testing.T) {
	t.Logf("%-5s %5s | %-20s | %-20s | %-25s | %s", "Hz", "loss", "circles: p50 p99 max", "turning: p50 p99 max", "corrections: of, p50, max", "ms behind: p50 p99 | bytes/s")
	for _, rate := range []uint8{20, 60} {
		for _, loss := range []float64{0, 0.02, 0.05, 0.10} {
			s := newScene(t, loss, rate)
			s.run(t)
			line := fmt.Sprintf("%-5d %4.0f%%", rate, 100*loss)
			for _, e := range [][]float64{s.circles, s.turns} {
				line += fmt.Sprintf(" | %6.2f %6.2f %6.2f", quantile(e, 0.5), quantile(e, 0.99), quantile(e, 1))
			}
			c := s.corrections
			line += fmt.Sprintf(" | %3d of %3d %6.1f %6.1f  ", len(c), s.knocks, quantile(c, 0.5), quantile(c, 1))
			line += fmt.Sprintf(" | %4.0f %4.0f", 1000*quantile(s.behind, 0.5)/simRate, 1000*quantile(s.behind, 0.99)/simRate)
			t.Logf("%s | %.0f", line, float64(s.bytes)/sceneSeconds)

			interval := 1 / float64(rate)
			require.Less(t, quantile(s.circles, 0.5), 1.0)
			require.Less(t, quantile(s.turns, 1), 2*600*(client.MaxExtrapolation+4*interval), "further than it can have gone")
			require.LessOrEqual(t, len(c), s.knocks, "loss alone corrects nothing")
			require.Greater(t, len(c), s.knocks/2)
			require.InDelta(t, 50, quantile(c, 0.5), 1)
		}
	}
}

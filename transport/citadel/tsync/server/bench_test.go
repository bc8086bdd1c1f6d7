package server_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/server"
)

// crowd is a world of clusters of 256 objects, all of which move and turn, with clients that see a cluster each and whose
// acknowledgements take ackDelay snapshots.
type crowd struct {
	world   *server.World
	clients []*server.Client
	ids     []uint32 // last snapshot of each client
	buf     []byte
	ack     []byte
	turn    int
	bytes   int
	sent    int
}

const (
	clusterObjects = 256
	ackDelay       = 2
)

func newCrowd(tb testing.TB, clients, objects int, config server.Config) *crowd {
	config.CellSize = 5000
	config.Radius = interest.Radius{Enter: 5000, Leave: 5000}
	w, err := server.New(config)
	require.NoError(tb, err)
	clusters := objects / clusterObjects
	// Neighbouring clusters are far enough from each other that nobody sees two.
	at := func(cluster int) [3]float32 {
		return [3]float32{float32(cluster%16)*20000 - 160000, float32(cluster/16)*20000 - 160000, 0}
	}
	for i := range objects {
		p := at(i / clusterObjects)
		p[0] += float32(i%16) * 100
		p[1] += float32(i%clusterObjects/16) * 100
		_, err := w.Spawn(server.Object{
			ID: uint32(i), Role: tsync.ServerSimulated, ReplicateVelocity: i%2 == 0,
			State: tsync.State{Position: p, Velocity: [3]float32{float32(1 + i%7), 2, 0}},
		})
		require.NoError(tb, err)
	}
	c := &crowd{world: w, buf: make([]byte, 0, 2048), ids: make([]uint32, clients)}
	for i := range clients {
		client, err := w.Join(uint64(i+1), nil)
		require.NoError(tb, err)
		require.NoError(tb, client.Look(at(i%clusters)))
		c.clients = append(c.clients, client)
	}
	return c
}

// step runs a step in which every client gets a snapshot.
func (c *crowd) step(tb testing.TB) {
	c.turn++
	c.world.Tick()
	for i, client := range c.clients {
		body, err := client.AppendSnapshot(c.buf)
		if err != nil {
			tb.Fatal(err)
		}
		if len(body) > 0 {
			c.ids[i]++
			c.bytes += len(body)
			c.sent++
		}
		if id := c.ids[i]; id > ackDelay {
			c.ack = tsync.AppendAck(c.ack[:0], tsync.Ack{ID: id - ackDelay})
			if err := client.Ack(c.ack); err != nil {
				tb.Fatal(err)
			}
		}
		client.Roles()
	}
}

// updates returns how many updates were sent.
func (c *crowd) updates() (n uint64) {
	for _, client := range c.clients {
		n += client.Stats().Updates
	}
	return n
}

// BenchmarkTick runs steps in which every client gets a snapshot of 256 objects that all move: as many as fit, or 16.
func BenchmarkTick(b *testing.B) {
	for _, budget := range []int{-1, 16} {
		b.Run(fmt.Sprintf("clients=64/objects=4096/budget=%d", budget), func(b *testing.B) {
			c := newCrowd(b, 64, 4096, server.Config{Budget: budget})
			for range 200 {
				c.step(b)
			}
			c.bytes, c.sent = 0, 0
			updates := c.updates()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				c.step(b)
			}
			b.ReportMetric(float64(c.bytes)/float64(c.sent), "B/snapshot")
			b.ReportMetric(float64(c.bytes)/float64(c.updates()-updates), "B/update")
		})
	}
}

// BenchmarkLatch runs steps without clients: it moves 4,096 objects, quantises them and puts them into the grid.
func BenchmarkLatch(b *testing.B) {
	c := newCrowd(b, 0, 4096, server.Config{})
	c.world.Tick()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		c.world.Tick()
	}
}

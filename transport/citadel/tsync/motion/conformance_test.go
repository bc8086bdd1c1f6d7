package motion_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
)

type ownerInputFile struct {
	Family    string            `json:"family"`
	Set       string            `json:"set"`
	Seed      string            `json:"seed"`
	Source    string            `json:"source"`
	MaxAhead  int               `json:"max_ahead_gap"`
	Queues    []queueCase       `json:"queues"`
	Integrate []integrateCase   `json:"integrate"`
	Worlds    []json.RawMessage `json:"worlds"` // a server's business
}

type queueCase struct {
	ID     string       `json:"id"`
	Kind   string       `json:"kind"`
	What   string       `json:"what"` // the offers in words
	Offers []queueOffer `json:"offers"`
	Last   *lastOffer   `json:"last_offer"`
}

type queueOffer struct {
	Seq      uint32          `json:"seq"`
	Outcome  string          `json:"outcome"`
	Released json.RawMessage `json:"released"` // the numbers, or only how many
	Acked    uint32          `json:"last_contiguous"`
	Pending  int             `json:"pending"`
}

type lastOffer struct {
	Seq     uint32 `json:"seq"`
	Count   int    `json:"released_count"`
	First   uint32 `json:"released_first"`
	Last    uint32 `json:"released_last"`
	Acked   uint32 `json:"last_contiguous"`
	Pending int    `json:"pending"`
}

type integrateCase struct {
	ID            string       `json:"id"`
	MaxSpeed      *float64     `json:"max_speed"` // readable only, like everything without bits
	MaxSpeedBits  vectors.F32  `json:"max_speed_bits"`
	MaxDT         *float64     `json:"max_dt"`
	MaxDTBits     vectors.F32  `json:"max_dt_bits"`
	Bounds        boundsCase   `json:"bounds"`
	Position      []*float64   `json:"position"`
	PositionBits  vectors.Vec3 `json:"position_bits"`
	DT            *float64     `json:"dt"`
	DTBits        vectors.F32  `json:"dt_bits"`
	Move          []*float64   `json:"move_velocity"`
	MoveBits      vectors.Vec3 `json:"move_velocity_bits"`
	PositionAfter []*float64   `json:"position_after"`
	WantPosition  vectors.Vec3 `json:"position_after_bits"`
	VelocityAfter []*float64   `json:"velocity_after"`
	WantVelocity  vectors.Vec3 `json:"velocity_after_bits"`
}

type boundsCase struct {
	Min     []*float64   `json:"min"`
	MinBits vectors.Vec3 `json:"min_bits"`
	Max     []*float64   `json:"max"`
	MaxBits vectors.Vec3 `json:"max_bits"`
}

func TestConformanceOwnerInput(t *testing.T) {
	vectors.EachFile(t, "citadel-runtime", "owner_input.json", func(t *testing.T, f ownerInputFile) {
		require.Equal(t, motion.MaxAhead, f.MaxAhead)
		for _, c := range f.Queues {
			t.Run(c.ID, c.run)
		}
		for _, c := range f.Integrate {
			t.Run(c.ID, c.run)
		}
	})
}

func (c queueCase) run(t *testing.T) {
	var q motion.Queue[uint32]
	for i, o := range c.Offers {
		outcome, released := offer(&q, o.Seq)
		require.Equal(t, o.Outcome, outcome, "offer %d of %d", i, o.Seq)
		requireReleased(t, o.Released, released)
		require.Equal(t, o.Acked, q.Acked(), "offer %d of %d", i, o.Seq)
		require.Equal(t, o.Pending, q.Pending(), "offer %d of %d", i, o.Seq)
	}
	if c.Last == nil {
		return
	}
	_, released := offer(&q, c.Last.Seq)
	require.Len(t, released, c.Last.Count)
	for i, seq := range released {
		require.Equal(t, c.Last.First+uint32(i), seq)
	}
	require.Equal(t, c.Last.Last, released[len(released)-1])
	require.Equal(t, c.Last.Acked, q.Acked())
	require.Equal(t, c.Last.Pending, q.Pending())
}

// offer does at once all that can be done after an offer, as the reference does.
func offer(q *motion.Queue[uint32], seq uint32) (outcome string, released []uint32) {
	outcome = "duplicate"
	if item := q.Offer(seq); item != nil {
		*item, outcome = seq, "accepted"
	}
	for {
		seq, item := q.Next()
		if item == nil {
			return outcome, released
		}
		if *item != seq {
			panic("the queue mixes its slots up")
		}
		released = append(released, seq)
	}
}

func requireReleased(t *testing.T, want json.RawMessage, got []uint32) {
	var numbers []uint32
	var count int
	if json.Unmarshal(want, &numbers) == nil {
		require.Len(t, got, len(numbers))
		for i := range numbers {
			require.Equal(t, numbers[i], got[i])
		}
		return
	}
	require.NoError(t, json.Unmarshal(want, &count))
	require.Len(t, got, count)
}

func (c integrateCase) run(t *testing.T) {
	limits := motion.Limits{
		MaxSpeed: c.MaxSpeedBits.Float(), MaxDT: c.MaxDTBits.Float(),
		World: motion.Box{Min: c.Bounds.MinBits.Floats(), Max: c.Bounds.MaxBits.Floats()},
	}
	s := tsync.State{Position: c.PositionBits.Floats(), Rotation: [4]float32{3, 1, 4, 1}}
	motion.Integrate(&s, c.MoveBits.Floats(), c.DTBits.Float(), &limits)
	require.Equal(t, c.WantPosition, vectors.Bits3(s.Position))
	require.Equal(t, c.WantVelocity, vectors.Bits3(s.Velocity))
	require.Equal(t, [4]float32{3, 1, 4, 1}, s.Rotation)
}

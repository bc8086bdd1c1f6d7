package server

import (
	"fmt"
	"math"

	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/motion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
)

// The defaults of a [Config].
const (
	DefaultCellSize   = 5_000     // centimetres; what is outside the 3 by 3 cells around a viewer does not come into view
	DefaultRadius     = 1_000_000 // centimetres, to enter and to leave; with cells of 5,000, the cells decide who enters
	DefaultBudget     = 16        // updates of a snapshot
	DefaultRing       = 64        // states that server and client keep of each other
	DefaultMaxPayload = 1_200     // bytes of a datagram, the kind included
	DefaultMaxWait    = 64        // snapshots
	DefaultInputRate  = 4         // inputs for every step of the simulation
	DefaultMaxObjects = 65_536
	DefaultTombstones = 65_536
	DefaultPayload    = motion.DefaultPayload
	DefaultReach      = 1_000 // centimetres from an object to the origin of its shots
	DefaultShotRate   = 30    // shots a second
)

// leastPayload has room for the kind, a clock, the header of a snapshot, a removed id and the widest update that a
// configuration can have.
const leastPayload = kindBytes + tsync.ClockBytes + tsync.SnapshotHeaderBytes + 4 + 48

// mostHistory bounds what is kept of an object, in ticks, if shots may be put back without a limit.
const mostHistory = 4096

// kindBytes is what a frame has in front of its body.
const kindBytes = 2

// Config configures a [World]. The zero value is useful: a zero field means its default.
//
// Functions are called from within [Client.Input]. They may look at the world and change its objects.
type Config struct {
	// Hello is what the server offers: the bounds and the precision of snapshots, and its rates. Every axis may have
	// at most 32 bits, and snapshots may not be more frequent than steps. Default [tsync.DefaultHello].
	Hello tsync.Hello

	// Epoch names this run of the simulation to clients of version 2. Zero means that version 2 is not offered.
	Epoch uint64

	// CellSize is that of the interest grid, in centimetres. An object comes into view only in the 3 by 3 cells around
	// the viewer, which with the default is from 50 to 100 m away at most, whatever the Radius. Who wants clients to see
	// farther chooses cells of at least Radius.Enter.
	CellSize float32

	// Radius is how far clients see, unless [Client.SetRadius] says otherwise. The default of 10 km is as good as none for
	// entering, because the cells are smaller: objects enter by cells, and are kept until they are 10 km away.
	Radius interest.Radius

	// Budget is the most updates of one snapshot. A negative one means no bound other than MaxPayload.
	Budget int

	// Ring is how many states the server keeps of what each client has, and how many snapshots a client keeps. Not less
	// than 64, which is what clients have.
	Ring int

	// MaxPayload bounds a snapshot in bytes, the two of its kind included. What does not fit waits. [Client.SetMaxPayload]
	// can lower it for a client.
	MaxPayload int

	// MaxWait is after how many snapshots without room for it a changed object goes ahead of everything.
	MaxWait int

	// Limits are those of an owner's input. The default is [motion.DefaultLimits] within the bounds of Hello.
	Limits motion.Limits

	// Allowance is how many seconds of input an owner may save up. Default [motion.DefaultMost].
	Allowance float64

	// InputRate is how many new inputs a client may have in a step of the simulation, on average. It saves up a
	// second's worth.
	InputRate int

	// MaxInputPayload bounds the bytes of its own that a game puts into an input. Inputs with more are refused.
	MaxInputPayload int

	// MaxObjects bounds the world, and Tombstones how many dead ids it remembers the generation of. For ids that it
	// had to forget, generations start above those that it forgot.
	MaxObjects, Tombstones int

	// MuzzleReach is how far from its object a shot may begin, in centimetres. One from farther away, or from where no
	// number says, is a miss. It has to cover what is between an object's position and its weapons, and by how much its
	// owner's prediction may be off. A negative one means that shots may begin anywhere. Default [DefaultReach].
	MuzzleReach float32

	// ShotRate is how many shots a second of a client are resolved, on average, because each is a test of everything
	// that has a shape. It saves up a second's worth; those beyond it are misses. How fast a weapon fires is for the
	// game to say.
	ShotRate int

	// Rewind bounds how far back shots are put. Default [rewind.DefaultLimits].
	Rewind rewind.Limits

	// Congestion says when a client gets less. The default is [congestion.DefaultConfig] with the send rate of Hello, and
	// half of it at the floor, and a MaxAckAge that is not less than two snapshots at the floor and a quarter of a second.
	// Budget is an upper bound in both modes.
	Congestion congestion.Config

	// PlayerSlots is how many clients get an object of their own when they join: ids from 1, the lowest free one first.
	// It goes when they leave.
	PlayerSlots int

	// SpawnPoint says where the object of a slot appears. Default: side by side along the x axis, 200 cm apart.
	SpawnPoint func(slot uint32) tsync.State

	// DemoMovers is how many objects move to and fro on their own: ids from 1. None if there are PlayerSlots.
	DemoMovers int

	// OnInput is told every input of an owner that counts, in order and once, after it has moved the object. The frame
	// and its payload are valid during the call.
	OnInput func(c *Client, frame *tsync.InputFrame)

	// OnShot is told what a shot hit, once, after OnInput. The client itself learns it from [Client.Rewinds].
	OnShot func(c *Client, shot Shot)

	// Reference makes the server repeat what the public reference does where that is wrong; the package documentation
	// lists it. It is for conformance tests.
	Reference bool
}

// withDefaults returns the configuration with nothing left open, or an error that names what is wrong with it.
func (c Config) withDefaults() (Config, error) {
	if c.Hello == (tsync.Hello{}) {
		c.Hello = tsync.DefaultHello()
	}
	orDefault(&c.CellSize, DefaultCellSize)
	if c.Radius == (interest.Radius{}) {
		c.Radius = interest.Radius{Enter: DefaultRadius, Leave: DefaultRadius}
	}
	orDefault(&c.Budget, DefaultBudget)
	orDefault(&c.Ring, DefaultRing)
	orDefault(&c.MaxPayload, DefaultMaxPayload)
	orDefault(&c.MaxWait, DefaultMaxWait)
	if c.Limits == (motion.Limits{}) {
		c.Limits = motion.DefaultLimits()
		c.Limits.World = motion.Box{Min: c.Hello.Position.Min, Max: c.Hello.Position.Max}
	}
	orDefault(&c.Allowance, motion.DefaultMost)
	orDefault(&c.InputRate, DefaultInputRate)
	orDefault(&c.MaxInputPayload, DefaultPayload)
	orDefault(&c.MuzzleReach, DefaultReach)
	orDefault(&c.ShotRate, DefaultShotRate)
	orDefault(&c.MaxObjects, DefaultMaxObjects)
	orDefault(&c.Tombstones, DefaultTombstones)
	if c.Rewind == (rewind.Limits{}) {
		c.Rewind = rewind.DefaultLimits(c.Hello.SimRate)
	}
	if c.Congestion == (congestion.Config{}) {
		c.Congestion = congestion.DefaultConfig()
		c.Congestion.GoodRate = c.Hello.SendRate
		c.Congestion.FloorRate = max(c.Hello.SendRate/2, 1)
		c.Congestion.MaxAckAge = max(c.Congestion.MaxAckAge, leastAckAge(c.Hello.SimRate, c.Congestion.FloorRate))
	}
	if c.SpawnPoint == nil {
		c.SpawnPoint = sideBySide
	}
	return c, c.validate()
}

// leastAckAge returns how many ticks old an acknowledgement may be without that being a sign of anything: two snapshots at
// the floor, which come no sooner, and a quarter of a second for the way. Ticks are short in a fast simulation, and
// snapshots rare at a low rate; the default of 30 is for 60 ticks and 20 snapshots a second.
func leastAckAge(simRate, floorRate uint8) float64 {
	return float64(simRate) * (2/float64(max(floorRate, 1)) + 0.25)
}

func orDefault[T comparable](v *T, standard T) {
	var zero T
	if *v == zero {
		*v = standard
	}
}

func (c *Config) validate() error {
	if err := c.validateHello(); err != nil {
		return err
	}
	if !positive(c.CellSize) {
		return fmt.Errorf("%w: CellSize is %v", ErrConfig, c.CellSize)
	}
	if err := checkRadius(c.Radius); err != nil {
		return err
	}
	if err := c.Limits.Validate(); err != nil {
		return fmt.Errorf("%w: Limits: %w", ErrConfig, err)
	}
	if err := c.Rewind.Validate(); err != nil {
		return fmt.Errorf("%w: Rewind: %w", ErrConfig, err)
	}
	if err := c.Congestion.Validate(); err != nil {
		return fmt.Errorf("%w: Congestion: %w", ErrConfig, err)
	}
	if c.Congestion.GoodRate > c.Hello.SimRate || c.Congestion.FloorRate > c.Hello.SimRate {
		return fmt.Errorf("%w: Congestion: more snapshots than steps a second", ErrConfig)
	}
	if !(c.Allowance > 0 && c.Allowance <= math.MaxFloat64) {
		return fmt.Errorf("%w: Allowance is %v", ErrConfig, c.Allowance)
	}
	if !finite(c.MuzzleReach) {
		return fmt.Errorf("%w: MuzzleReach is %v", ErrConfig, c.MuzzleReach)
	}
	for _, f := range []struct {
		name           string
		v, least, most int
	}{
		{"Budget", c.Budget, math.MinInt, math.MaxUint16},
		{"Ring", c.Ring, DefaultRing, 4096},
		{"MaxPayload", c.MaxPayload, leastPayload, math.MaxUint16},
		{"MaxWait", c.MaxWait, 1, math.MaxUint16},
		{"InputRate", c.InputRate, 1, 1024},
		{"ShotRate", c.ShotRate, 1, 1024},
		{"MaxInputPayload", c.MaxInputPayload, 0, tsync.MaxInputPayload},
		{"MaxObjects", c.MaxObjects, 1, 1 << 24},
		{"Tombstones", c.Tombstones, 1, 1 << 24},
		{"PlayerSlots", c.PlayerSlots, 0, c.MaxObjects},
		{"DemoMovers", c.DemoMovers, 0, c.MaxObjects},
	} {
		if f.v < f.least || f.v > f.most {
			return fmt.Errorf("%w: %s is %d", ErrConfig, f.name, f.v)
		}
	}
	return nil
}

func (c *Config) validateHello() error {
	h := &c.Hello
	codec, err := tsync.NewCodec(*h)
	if err != nil {
		return fmt.Errorf("%w: Hello: %w", ErrConfig, err)
	}
	position, velocity := codec.Position(), codec.Velocity()
	for i := range position {
		if position[i].Bits() > 32 || velocity[i].Bits() > 32 {
			return fmt.Errorf("%w: Hello: an axis has more than 32 bits", ErrConfig)
		}
	}
	if h.SendRate == 0 || h.SimRate == 0 || h.SendRate > h.SimRate {
		return fmt.Errorf("%w: Hello: %d snapshots and %d steps a second", ErrConfig, h.SendRate, h.SimRate)
	}
	return nil
}

func checkRadius(r interest.Radius) error {
	if !positive(r.Enter) || !positive(r.Leave) {
		return fmt.Errorf("%w: Radius is %v to enter and %v to leave", ErrConfig, r.Enter, r.Leave)
	}
	return nil
}

func positive(v float32) bool { return v > 0 && v <= math.MaxFloat32 }

func sideBySide(slot uint32) tsync.State {
	return tsync.State{Position: [3]float32{200 * float32(slot), 0, 0}, Rotation: identity}
}

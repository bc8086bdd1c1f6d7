package server

import (
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/baseline"
	"github.com/ariadne-netcode/ariadne/transport/citadel/interest"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/congestion"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync/rewind"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// Client is what the server knows of one connection. Make one with [World.Join]; after [World.Leave] it must not be
// used any more.
type Client struct {
	world       *World
	participant uint64
	version2    bool
	slot        int // 0 for none, else the id of its object

	viewer    [3]float32
	follows   uint32 // an object, if following
	following bool
	radius    interest.Radius
	view      interest.View[uint32]
	tracks    []track // of what is in the view, by ascending id

	ids       baseline.IDs[uint32]
	states    states
	newestAck uint32 // the newest snapshot that the client has acknowledged, kept or not

	ackedTick uint64 // of the newest snapshot that the client has acknowledged, or before that the first

	congestion *congestion.Controller
	meter      congestion.Meter
	lagMeter   congestion.LagMeter
	lag        rewind.Lag
	rate       uint8 // snapshots a second
	budget     int   // updates of a snapshot
	phase      int   // what of the next snapshot is due, in parts of dueParts

	inputs  tsync.Input // scratch
	inputs2 tsync.InputV2
	tokens  int // new inputs that may come
	shots   int // parts of shots that may be resolved; a step's worth is one for each of a second
	roles   []tsync.Role
	told    []tsync.Role
	rewinds []tsync.Rewind
	shown   []tsync.Rewind
	stats   Stats

	maxPayload int // bytes of a snapshot, its kind included
	manyRoles  int // roles that are worth a look for those that have been overtaken

	scratch scratch
}

// Stats counts what happened to a client.
type Stats struct {
	Snapshots     uint64 // sent
	Fulls         uint64 // of them, without a base
	SnapshotBytes uint64
	Updates       uint64
	Deferred      uint64 // updates that had to wait for want of room
	Removals      uint64

	AcksIgnored uint64 // acknowledgements that moved nothing
	Inputs      uint64 // inputs that counted
	Duplicates  uint64 // inputs that had come before or were too far ahead
	Refused     uint64 // inputs for other people's objects, of other epochs, or too large
	RateLimited uint64 // inputs that came too fast
	Malformed   uint64 // bodies
	NotFinite   uint64 // inputs with a number that is none; they count, and stop the object
	Astray      uint64 // shots that began too far from their object, see [Config.MuzzleReach]
	TooFast     uint64 // shots that came too fast, see [Config.ShotRate]
}

// Join adds a client, which has sent the body of its kind-7 frame to opt in. With [Config.PlayerSlots], it gets an
// object if there is one left. Objects that the participant owns, because it was here before, begin a new ownership
// epoch. It returns [ErrNotOptIn] unless the body is empty, or [ErrParticipant].
func (w *World) Join(participant uint64, optIn []byte) (*Client, error) {
	if len(optIn) > 0 {
		return nil, ErrNotOptIn
	}
	if participant == 0 || slices.ContainsFunc(w.clients, func(c *Client) bool { return c.participant == participant }) {
		return nil, ErrParticipant
	}
	control, err := congestion.New(w.config.Congestion)
	if err != nil {
		return nil, err
	}
	c := &Client{world: w, participant: participant, radius: w.config.Radius, congestion: control}
	c.SetMaxPayload(0)
	c.obeyCongestion()
	c.tokens, c.shots = c.mostTokens(), c.mostShots()
	// Clients that join together are not all due in the same step.
	c.phase = len(w.clients) * c.dueParts() / 7 % c.dueParts()
	w.clients = append(w.clients, c)
	for i := range w.objects {
		if p := &w.objects[i]; p.live && p.Owner == participant && p.Role == tsync.OwnerPredicted {
			w.AssignOwner(p.ID, participant)
		}
	}
	w.giveSlot(c)
	return c, nil
}

// Leave removes a client, and the object of its slot. Other objects that it owns stay its own.
func (w *World) Leave(c *Client) {
	i := slices.Index(w.clients, c)
	if i < 0 {
		return
	}
	w.clients = slices.Delete(w.clients, i, i+1)
	w.freeSlot(c)
	c.participant = 0 // what still comes from it is nobody's
}

// Clients returns the clients in the order of joining. The slice is the world's: it is valid until a client joins or
// leaves, and must not be changed.
func (w *World) Clients() []*Client { return w.clients[:len(w.clients):len(w.clients)] }

// Participant returns who the client is.
func (c *Client) Participant() uint64 { return c.participant }

// Slot returns the object of the client's player slot, if it has one.
func (c *Client) Slot() (object uint32, ok bool) { return uint32(c.slot), c.slot != 0 }

// AppendHello appends the body of the kind-7 frame that answers an opt-in. The answer to a client that asks again is the
// same.
func (c *Client) AppendHello(dst []byte) []byte {
	return tsync.AppendHello(dst, c.world.config.Hello)
}

// Upgrade takes the body of a kind-29 frame, with which a client says that it speaks version 2, and appends that of the
// answer. From then on snapshots are kind 30. It returns [ErrVersion2] if the server does not offer it, or an error of
// [tsync.ParseManifest].
func (c *Client) Upgrade(dst, manifest []byte) ([]byte, error) {
	if c.world.config.Epoch == 0 {
		return dst, ErrVersion2
	}
	m, err := tsync.ParseManifest(manifest)
	if err != nil {
		c.stats.Malformed++
		return dst, err
	}
	c.version2 = true
	return tsync.AppendManifest(dst, m), nil
}

// SnapshotKind returns the kind of the client's snapshots, 8 or with version 2 30.
func (c *Client) SnapshotKind() wire.Kind {
	if c.version2 {
		return wire.KindTsyncV2Snapshot
	}
	return wire.KindTsyncSnapshot
}

// Stats returns the counters.
func (c *Client) Stats() Stats { return c.stats }

// Look makes the client look from a position, in centimetres, in the beginning the origin; what is near is told. It
// returns [ErrNotFinite].
func (c *Client) Look(from [3]float32) error {
	if !finite(from[0]) || !finite(from[1]) || !finite(from[2]) {
		return ErrNotFinite
	}
	c.viewer, c.following = from, false
	return nil
}

// Follow makes the client look from where an object is, as long as it lives and then from where it was. A client with a
// slot follows the object of it.
func (c *Client) Follow(object uint32) { c.follows, c.following = object, true }

// Sees reports whether an object is in the client's view, as of its last snapshot.
func (c *Client) Sees(object uint32) bool { return c.view.Contains(object) }

// SetRadius changes how far the client sees. It returns [ErrConfig] for a distance that is not positive and finite.
func (c *Client) SetRadius(r interest.Radius) error {
	if err := checkRadius(r); err != nil {
		return err
	}
	c.radius = r
	return nil
}

// SetMaxPayload bounds the client's snapshots in bytes, the two of their kind included, by what its connection carries: a
// snapshot that has to be split, or is sent another way, is a late one. 0 stands for [Config.MaxPayload], which is never
// exceeded; and there is always room for one update, some 100 bytes.
func (c *Client) SetMaxPayload(bytes int) {
	most := c.world.config.MaxPayload
	if bytes == 0 {
		bytes = most
	}
	c.maxPayload = min(max(bytes, leastPayload), most)
}

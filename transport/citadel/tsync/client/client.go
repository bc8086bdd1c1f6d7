package client

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// DefaultMaxOwned is how many objects a client predicts at most by default.
const DefaultMaxOwned = 4

// Config is how a [Client] differs from the default. The zero value is the default.
type Config struct {
	View      ViewConfig
	Predictor PredictorConfig
	Sender    SenderConfig

	// Participant is who the client is, if it knows. Zero means that it learns so from the first role that gives it an
	// object to predict, which a server sends to the owner alone.
	Participant uint64

	// MaxOwned is how many objects can be predicted at a time. Zero means [DefaultMaxOwned].
	MaxOwned int

	// Version2 makes the client offer version 2, which it speaks if the server answers.
	Version2 bool
}

// Frame is a frame to send, by the delivery of its kind. The body is the client's, until the next call of
// [Client.Flush].
type Frame struct {
	Kind wire.Kind
	Body []byte
}

// Event is what an application has to know of a frame: [Welcome], [RoleChanged] or [ShotResolved].
type Event interface{ event() }

// Welcome says that the server has told how it encodes: snapshots can be taken from now on. The world is empty, and
// whatever was known of an earlier one is forgotten.
type Welcome struct{ Hello tsync.Hello }

// RoleChanged says what an object is to the client from now on.
type RoleChanged struct {
	tsync.Role
	Mine bool // the client predicts it: [Client.Push] takes inputs as soon as it is in view
}

// ShotResolved says what a shot has hit.
type ShotResolved struct{ tsync.Rewind }

func (Welcome) event()      {}
func (RoleChanged) event()  {}
func (ShotResolved) event() {}

// Client is all of the client half of transform sync: a [View] of the world at the tick of a [RenderClock], with a
// [Predictor] and a [Sender] for each object of its own. Frames from the server go into Receive, inputs into Push and time
// into Advance; poses to show come out of AppendPoses, and frames to send out of Flush.
//
// In steady state none of them allocates. A client is not safe for concurrent use.
type Client struct {
	cfg         Config
	participant uint64
	view        *View
	clock       RenderClock
	roles       map[uint32]knownRole
	owned       []*own // by object
	spare       []*own
	started     bool // the opening frames are out
	version2    bool // the server speaks it
	ackDue      bool
	stats       Stats
	frames      []Frame
	buf         []byte
}

// New returns a client that has not met its server. Its error is [ErrConfig] or [motion.ErrLimits].
func New(cfg Config) (*Client, error) {
	if cfg.MaxOwned == 0 {
		cfg.MaxOwned = DefaultMaxOwned
	}
	if cfg.MaxOwned < 0 {
		return nil, fmt.Errorf("%w: MaxOwned is %d", ErrConfig, cfg.MaxOwned)
	}
	var err error
	if cfg.Predictor, err = cfg.Predictor.withDefaults(); err != nil {
		return nil, err
	}
	if cfg.Sender, err = cfg.Sender.withDefaults(); err != nil {
		return nil, err
	}
	if cfg.View, err = cfg.View.withDefaults(); err != nil {
		return nil, err
	}
	return &Client{cfg: cfg, participant: cfg.Participant, roles: map[uint32]knownRole{}}, nil
}

// Receive takes a frame from the server and retains nothing of it. It returns what the application has to know, most
// often nothing. Snapshots that are stale or have no base are normal and no errors; [Client.Stats] counts them.
//
// An error says that a frame is not what a server sends, and that it changed nothing but counters: [ErrKind] for a frame
// of another protocol, an error of package tsync for a malformed one, [ErrNotFinite], [ErrSnapshotID], [ErrBounds],
// [ErrObjects] or [ErrOwned]. Whether the connection should go on is for the application to decide.
func (c *Client) Receive(kind wire.Kind, body []byte) (Event, error) {
	ev, err := c.receive(kind, body)
	if err != nil {
		c.stats.Refused++
		return nil, err
	}
	return ev, nil
}

func (c *Client) receive(kind wire.Kind, body []byte) (Event, error) {
	switch kind {
	case wire.KindTsyncHello:
		return c.hello(body)
	case wire.KindTsyncV2Hello:
		_, err := tsync.ParseManifest(body)
		if err == nil && c.cfg.Version2 {
			c.version2 = true
		}
		return nil, err
	case wire.KindTsyncSnapshot, wire.KindTsyncV2Snapshot:
		return nil, c.snapshot(kind, body)
	case wire.KindTsyncRole:
		r, err := tsync.ParseRole(body)
		if err != nil {
			return nil, err
		}
		return c.role(r)
	case wire.KindTsyncRewind:
		r, err := tsync.ParseRewind(body)
		if err != nil {
			return nil, err
		}
		if !finite3(r.HitPoint) {
			return nil, fmt.Errorf("rewind: %w", ErrNotFinite)
		}
		return ShotResolved{r}, nil
	}
	return nil, ErrKind
}

// hello begins a new world, unless the server only repeats itself.
func (c *Client) hello(body []byte) (Event, error) {
	h, err := tsync.ParseHello(body)
	if err != nil {
		return nil, err
	}
	if c.view != nil && c.view.rebuild.codec.Hello() == h {
		return nil, nil
	}
	codec, err := tsync.NewCodec(h)
	if err != nil {
		return nil, err
	}
	view, err := NewView(codec, c.cfg.View)
	if err != nil {
		return nil, err
	}
	if c.view != nil { // roles that came before the first hello are about this world
		clear(c.roles)
		c.spare = append(c.spare, c.owned...)
		c.owned = c.owned[:0]
		c.participant = c.cfg.Participant
	}
	c.view, c.clock, c.ackDue = view, RenderClock{}, false
	return Welcome{h}, nil
}

// snapshot applies a snapshot and what it says of the client's own objects.
func (c *Client) snapshot(kind wire.Kind, body []byte) error {
	if c.view == nil {
		c.stats.Early++
		return nil
	}
	apply := c.view.Apply
	if kind == wire.KindTsyncV2Snapshot {
		apply = c.view.ApplyV2
	}
	switch err := apply(body); {
	case err == nil:
	case errors.Is(err, ErrStale):
		return nil
	case errors.Is(err, ErrMissingBase):
		c.ackDue = true // so that the server learns which bases there are
		return nil
	default:
		return err
	}
	c.ackDue = true
	c.clock.Sync(c.view)
	for _, o := range c.owned {
		o.follow(c.view, &c.stats)
	}
	return nil
}

// ResetEpoch forgets the world and accepts only snapshots of the given run of the simulation, as [View.ResetEpoch] does.
// It changes nothing before the hello.
func (c *Client) ResetEpoch(epoch uint64) error {
	if c.view == nil {
		return nil
	}
	if err := c.view.ResetEpoch(epoch); err != nil {
		return err
	}
	c.clock = RenderClock{}
	for _, o := range c.owned {
		o.placed = false
	}
	return nil
}

// View returns the view of the world, or nil before the hello. It must not be given snapshots but by
// [Client.Receive].
func (c *Client) View() *View { return c.view }

// Participant returns who the client is, or 0 if it does not know.
func (c *Client) Participant() uint64 { return c.participant }

// Stats returns the counters.
func (c *Client) Stats() Stats {
	s := c.stats
	if c.view != nil {
		s.View = c.view.stats
	}
	return s
}

// Role returns what an object is to the client, if the server has said so and not taken it back.
func (c *Client) Role(object uint32) (tsync.Role, bool) {
	r, ok := c.roles[object]
	return r.told, ok && !r.exited
}

// Advance lets some seconds pass, for a frame of the application: the tick to show goes on, and visual offsets get
// smaller. It returns that tick, or false as long as there is nothing to show.
func (c *Client) Advance(seconds float64) (tick float64, ok bool) {
	for _, o := range c.owned {
		o.predictor.Smooth(seconds)
	}
	if c.view == nil {
		return 0, false
	}
	return c.clock.Advance(c.view, seconds)
}

// AppendPoses appends where every object in view is at the tick of the last [Client.Advance], in the order of their ids:
// the client's own as predicted, the others as they were.
func (c *Client) AppendPoses(dst []Pose) []Pose {
	tick, ok := c.clock.Tick()
	if c.view == nil || !ok {
		return dst
	}
	start := len(dst)
	dst = c.view.AppendPoses(dst, tick)
	for _, o := range c.owned {
		if !o.placed {
			continue
		}
		if n, ok := slices.BinarySearchFunc(dst[start:], o.object, func(p Pose, id uint32) int { return cmp.Compare(p.Object, id) }); ok {
			p := &dst[start+n]
			p.State, p.Predicted = o.predictor.Render(), true
		}
	}
	return dst
}

// AppendOwned appends the objects that the client owns, in ascending order.
func (c *Client) AppendOwned(dst []uint32) []uint32 {
	for _, o := range c.owned {
		dst = append(dst, o.object)
	}
	return dst
}

// Predicted returns the predicted state of an object of the client's own, and the one to show, if it is in view.
func (c *Client) Predicted(object uint32) (state, shown tsync.State, ok bool) {
	o := c.find(object)
	if o == nil || !o.placed {
		return tsync.State{}, tsync.State{}, false
	}
	return o.predictor.State(), o.predictor.Render(), true
}

// Pending returns how many inputs for an object the server has not acknowledged.
func (c *Client) Pending(object uint32) int {
	if o := c.find(object); o != nil {
		return o.sender.Pending()
	}
	return 0
}

// Push moves an object of the client's own at once, and keeps the input for the server. It returns its number, by which
// [ShotResolved] refers to a shot. It returns [ErrNotOwned] if the object is not the client's or not in view, or an error
// of [Predictor.Push] or [Sender.Push]; then nothing has changed.
func (c *Client) Push(object uint32, in *Input) (seq uint32, err error) {
	o := c.find(object)
	if o == nil || !o.placed {
		return 0, ErrNotOwned
	}
	if err := o.sender.Check(in); err != nil {
		return 0, err
	}
	if _, err := o.predictor.Push(in.Move, in.DT); err != nil {
		return 0, err
	}
	return o.sender.Push(in, c.hint())
}

// hint returns the tick that the player sees, for a frame.
func (c *Client) hint() uint32 {
	tick, _ := c.clock.Tick()
	return uint32(int64(math.Floor(max(tick, 0))))
}

// Flush returns what is to be sent now: what opens the exchange in the first call; a bundle for each object with pending
// inputs, which carries the newest acknowledgement; and, if snapshots came, the whole acknowledgement, with its history.
// Call it after every input, or as often as snapshots come if there are none. The slice and the bodies are valid until the next call.
func (c *Client) Flush() []Frame {
	c.frames, c.buf = c.frames[:0], c.buf[:0]
	if !c.started {
		c.started = true
		c.add(wire.KindTsyncHello, c.buf)
		if c.cfg.Version2 {
			c.add(wire.KindTsyncV2Hello, tsync.AppendManifest(c.buf, tsync.DefaultManifest()))
		}
	}
	if c.view == nil {
		return c.frames
	}
	for _, o := range c.owned {
		c.bundle(o.sender)
	}
	if c.ackDue {
		c.ackDue = false
		c.add(wire.KindTsyncAck, tsync.AppendAck(c.buf, c.view.Ack()))
	}
	return c.frames
}

// bundle adds the bundles of a sender: one, or as many as there are new inputs for.
func (c *Client) bundle(s *Sender) {
	ack, seen := c.view.Ack(), c.view.LastSeen()
	for more := s.Pending() > 0; more; more = s.Unsent() > 0 {
		if c.version2 {
			buf, err := s.AppendInputV2(c.buf, c.view.Clock(), ack.ID, seen)
			if err != nil {
				return // no clock yet: it comes with the first snapshot
			}
			c.add(wire.KindTsyncV2Input, buf)
		} else {
			c.add(wire.KindTsyncInput, s.AppendInput(c.buf, ack.ID, seen))
		}
	}
}

// add takes a frame whose body was appended to the buffer.
func (c *Client) add(kind wire.Kind, buf []byte) {
	c.frames = append(c.frames, Frame{kind, buf[len(c.buf):len(buf):len(buf)]})
	c.buf = buf
}

// find returns an object of the client's own, or nil.
func (c *Client) find(object uint32) *own {
	n, ok := c.place(object)
	if !ok {
		return nil
	}
	return c.owned[n]
}

// place returns where an object is or would be among the client's own.
func (c *Client) place(object uint32) (int, bool) {
	return slices.BinarySearchFunc(c.owned, object, func(o *own, id uint32) int { return cmp.Compare(o.object, id) })
}

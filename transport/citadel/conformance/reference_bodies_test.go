package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/transport/citadel/netpeer"
	"github.com/ariadne-netcode/ariadne/transport/citadel/quant"
	"github.com/ariadne-netcode/ariadne/transport/citadel/tsync"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// bodyFormat decodes a body into what the page shows of it, and encodes it again.
type bodyFormat func(t *testing.T, body []byte) (value any, again []byte, err error)

// bodyFormats are the formats by what the page calls them: the number of the kind, and one form without a kind.
var bodyFormats = map[string]bodyFormat{
	"1":      pageFormat(wire.ParsePosition, wire.AppendPosition),
	"2":      pagePeerPosition,
	"3":      pageFormat(wire.ParseRPCRequest, wire.AppendRPCRequest),
	"4":      pageFormat(wire.ParseRPCResponse, wire.AppendRPCResponse),
	"5":      pageFormat(wire.ParseAuth, wire.AppendAuth),
	"6":      pageFormat(wire.ParseAuthResult, wire.AppendAuthResult),
	"7":      pageFormat(tsync.ParseHello, tsync.AppendHello),
	"8":      pageSnapshot,
	"9":      pageInput,
	"10":     pageFormat(tsync.ParseAck, tsync.AppendAck),
	"11":     pageFormat(tsync.ParseRole, tsync.AppendRole),
	"12":     pageFormat(tsync.ParseRewind, tsync.AppendRewind),
	"13":     pageBunch,
	"13list": pageCoalesced,
	"14":     pageAcks,
	"15":     pageTable,
	"16":     pageFormat(wire.ParsePresence, wire.AppendPresence),
	"17":     pageFormat(wire.ParseSpawn, wire.AppendSpawn),
	"18":     pageSpawnBatch,
	"19":     pageFormat(wire.ParseDespawn, wire.AppendDespawn),
	"20":     pageFormat(wire.ParseState, wire.AppendState),
	"21":     pageFormat(wire.ParseRoomCreate, wire.AppendRoomCreate),
	"22":     pageFormat(wire.ParseRoomID, wire.AppendRoomID),
	"23":     pageFormat(wire.ParseRoomJoined, wire.AppendRoomJoined),
	"24":     pageFormat(wire.ParseRoomID, wire.AppendRoomID),
	"25":     pageFormat(wire.ParseRoomID, wire.AppendRoomID),
	"26":     pageFormatErr(wire.ParseMatchmakerMatched, wire.AppendMatchmakerMatched),
	"27":     pageFormatErr(wire.ParseNotification, wire.AppendNotification),
	"28":     pageFormatErr(wire.ParseChatEvent, wire.AppendChatEvent),
	"29":     pageFormat(tsync.ParseManifest, tsync.AppendManifest),
	"30":     pageSnapshotV2,
	"31":     pageInputV2,
	"32":     pageFormat(wire.ParseMatchClosed, wire.AppendMatchClosed),
	"33":     pageFormat(wire.ParseRoomReject, wire.AppendRoomReject),
	"0xc001": pageSession,
	"0xc002": pageFormat(wire.ParsePart, wire.AppendPart),
	"0xc003": pageFormat(wire.ParseGoodbye, wire.AppendGoodbye),
}

// pageFormat is a format whose encoder cannot fail.
func pageFormat[T any](parse func([]byte) (T, error), encode func([]byte, T) []byte) bodyFormat {
	return pageFormatErr(parse, func(dst []byte, v T) ([]byte, error) { return encode(dst, v), nil })
}

// pageFormatErr is a format whose encoder can fail.
func pageFormatErr[T any](parse func([]byte) (T, error), encode func([]byte, T) ([]byte, error)) bodyFormat {
	return func(t *testing.T, body []byte) (any, []byte, error) {
		v, err := parse(body)
		if err != nil {
			return nil, nil, err
		}
		again, err := encode(nil, v)
		require.NoError(t, err)
		return v, again, nil
	}
}

// pagePeerPosition is a position that was relayed.
func pagePeerPosition(_ *testing.T, body []byte) (any, []byte, error) {
	tagged, err := wire.ParseTagged(body)
	if err != nil {
		return nil, nil, err
	}
	p, err := wire.ParsePosition(tagged.Payload)
	if err != nil {
		return nil, nil, err
	}
	again := wire.AppendTagged(nil, wire.Tagged{Sender: tagged.Sender, Payload: wire.AppendPosition(nil, p)})
	return members{{"Sender", tagged.Sender}, {"Position", p}}, again, nil
}

func pageSession(_ *testing.T, body []byte) (any, []byte, error) { return body, body, nil }

func pageSpawnBatch(_ *testing.T, body []byte) (any, []byte, error) {
	batch, err := wire.ParseSpawnBatch(body)
	if err != nil {
		return nil, nil, err
	}
	spawns := []wire.Spawn{}
	for i := range batch.Len() {
		spawns = append(spawns, batch.At(i))
	}
	return spawns, wire.AppendSpawnBatch(nil, spawns), nil
}

// defaultCodec is that of the hello that the page shows.
func defaultCodec(t *testing.T) *tsync.Codec {
	c, err := tsync.NewCodec(tsync.DefaultHello())
	require.NoError(t, err)
	return c
}

// snapshotView is a snapshot with numbers in the place of codes.
type snapshotView struct {
	Tick     uint32
	ID       uint32
	Base     uint32
	SendRate uint8
	Removed  []uint32
	Updates  []updateView
}

type updateView struct {
	Object   uint32
	Gen      uint16
	Fields   tsync.Fields
	Position [3]float32
	Rotation [4]float32
	Velocity [3]float32
	InputSeq uint32
}

func viewSnapshot(c *tsync.Codec, s *tsync.Snapshot) snapshotView {
	v := snapshotView{Tick: s.Tick, ID: s.ID, Base: s.Base, SendRate: s.SendRate, Removed: s.Removed}
	for _, u := range s.Updates {
		var state tsync.State
		c.Dequantize(&u.Codes, u.Fields, &state)
		v.Updates = append(v.Updates, updateView{
			Object: u.Object, Gen: u.Gen, Fields: u.Fields, InputSeq: u.InputSeq,
			Position: state.Position, Rotation: state.Rotation, Velocity: state.Velocity,
		})
	}
	return v
}

func pageSnapshot(t *testing.T, body []byte) (any, []byte, error) {
	c := defaultCodec(t)
	var s tsync.Snapshot
	if err := c.ParseSnapshot(body, &s); err != nil {
		return nil, nil, err
	}
	again, err := c.AppendSnapshot(nil, &s)
	require.NoError(t, err)
	return viewSnapshot(c, &s), again, nil
}

func pageSnapshotV2(t *testing.T, body []byte) (any, []byte, error) {
	c := defaultCodec(t)
	var s tsync.SnapshotV2
	if err := c.ParseSnapshotV2(body, &s); err != nil {
		return nil, nil, err
	}
	again, err := c.AppendSnapshotV2(nil, &s)
	require.NoError(t, err)
	return members{{"Clock", s.Clock}, {"Snapshot", viewSnapshot(c, &s.Snapshot)}}, again, nil
}

func pageInput(_ *testing.T, body []byte) (any, []byte, error) {
	var in tsync.Input
	if err := tsync.ParseInput(body, &in); err != nil {
		return nil, nil, err
	}
	return in, tsync.AppendInput(nil, &in), nil
}

func pageInputV2(t *testing.T, body []byte) (any, []byte, error) {
	var in tsync.InputV2
	if err := tsync.ParseInputV2(body, &in); err != nil {
		return nil, nil, err
	}
	again, err := tsync.AppendInputV2(nil, &in)
	require.NoError(t, err)
	return in, again, nil
}

// hero is the class of the examples, with what its fields are called.
func hero(t *testing.T) (*netpeer.Schema, []string) {
	layout, _ := heroLayout(t)
	id, err := layout.Identity()
	require.NoError(t, err)
	var fields []netpeer.Field
	var names []string
	for _, p := range layout.Properties {
		names = append(names, p.Name)
		fields = append(fields, heroField(t, p.Name))
	}
	s, err := netpeer.NewSchema(id, fields...)
	require.NoError(t, err)
	return s, names
}

// heroField is how the page says that a field of the class is coded.
func heroField(t *testing.T, name string) netpeer.Field {
	switch name {
	case "alive":
		return netpeer.Bool()
	case "health":
		return netpeer.Int(0, 100)
	case "emote":
		q, err := quant.NewScalar(0, 1, 1024)
		require.NoError(t, err)
		return netpeer.Scalar(q)
	case "aim":
		q, err := quant.NewVector([3]float32{-100, -100, -100}, [3]float32{100, 100, 100}, 10)
		require.NoError(t, err)
		return netpeer.Vector(q)
	case "facing":
		return netpeer.Quat(quant.Quat10)
	case "name":
		return netpeer.Bytes(32)
	case "inventory":
		return netpeer.Collection(netpeer.Int(0, 1000), 16)
	}
	t.Fatalf("the page does not say how %q is coded", name)
	return netpeer.Field{}
}

func pageBunch(t *testing.T, body []byte) (any, []byte, error) {
	s, names := hero(t)
	var b netpeer.Bunch
	if err := netpeer.ParseBunch(body, s, nil, &b); err != nil {
		return nil, nil, err
	}
	again, err := s.AppendBunch(nil, &b)
	require.NoError(t, err)
	return viewBunch(t, s, names, &b), again, nil
}

func viewBunch(t *testing.T, s *netpeer.Schema, names []string, b *netpeer.Bunch) members {
	v := members{{"Object", b.Object}, {"Result", b.Result}}
	if b.Full {
		v = append(v, member{"Full", b.Full}, member{"Identity", b.Identity})
	} else {
		v = append(v, member{"Base", b.Base})
	}
	for i := range b.Changes {
		c := &b.Changes[i]
		v = append(v, member{names[c.Field], viewValue(t, s.Field(c.Field), &c.Value)})
	}
	return v
}

func viewValue(t *testing.T, f *netpeer.Field, v *netpeer.Value) (view any) {
	var err error
	switch v.Kind() {
	case netpeer.KindBool:
		view, err = v.Bool()
	case netpeer.KindInt:
		view, err = v.Int(f)
	case netpeer.KindScalar:
		view, err = v.Scalar(f)
	case netpeer.KindVector:
		view, err = v.Vector(f)
	case netpeer.KindQuat:
		view, err = v.Quat(f)
	case netpeer.KindBytes:
		view, err = v.Bytes()
	case netpeer.KindCollection:
		d, e := v.Collection()
		require.NoError(t, e)
		view = viewCollection(t, f.Item(), d)
	}
	require.NoError(t, err)
	return view
}

// collectionView is a collection's changes with numbers in the place of codes.
type collectionView struct {
	Removed        []netpeer.ElementID
	Added, Changed []elementView
}

type elementView struct {
	ID    netpeer.ElementID
	Key   uint64
	Value any
}

func viewCollection(t *testing.T, item *netpeer.Field, d *netpeer.CollectionDelta) collectionView {
	elements := func(list []netpeer.Element) (views []elementView) {
		for i := range list {
			e := &list[i]
			views = append(views, elementView{ID: e.ID, Key: e.Key, Value: viewValue(t, item, &e.Value)})
		}
		return views
	}
	return collectionView{Removed: d.Removed, Added: elements(d.Added), Changed: elements(d.Changed)}
}

// pageCoalesced is a list of bunches, which share a budget.
func pageCoalesced(t *testing.T, body []byte) (any, []byte, error) {
	s, names := hero(t)
	var again [][]byte
	var budget netpeer.Budget
	views := []members{}
	for one, err := range netpeer.Bunches(body) {
		if err != nil {
			return nil, nil, err
		}
		var b netpeer.Bunch
		if err := netpeer.ParseBunch(one, s, &budget, &b); err != nil {
			return nil, nil, err
		}
		views = append(views, viewBunch(t, s, names, &b))
		encoded, err := s.AppendBunch(nil, &b)
		require.NoError(t, err)
		again = append(again, encoded)
	}
	all, err := netpeer.AppendBunches(nil, again)
	require.NoError(t, err)
	return views, all, nil
}

func pageAcks(t *testing.T, body []byte) (any, []byte, error) {
	var entries []netpeer.AckEntry
	if err := netpeer.ParseAcks(body, &entries); err != nil {
		return nil, nil, err
	}
	again, err := netpeer.AppendAcks(nil, entries)
	require.NoError(t, err)
	return entries, again, nil
}

func pageTable(t *testing.T, body []byte) (any, []byte, error) {
	var entries []netpeer.TableEntry
	if err := netpeer.ParseTable(body, &entries); err != nil {
		return nil, nil, err
	}
	again, err := netpeer.AppendTable(nil, entries)
	require.NoError(t, err)
	return entries, again, nil
}

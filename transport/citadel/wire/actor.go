package wire

import (
	"encoding/binary"
	"math"
)

// Sizes of the bodies of networked actors, in bytes.
const (
	TransformBytes = 40
	PresenceBytes  = 2 + TransformBytes
	SpawnBytes     = 4 + 2 + 8 + TransformBytes
	DespawnBytes   = 4
	StateBytes     = 4 + TransformBytes

	// MaxSpawnBatch is the most entries that a [SpawnBatch] can have.
	MaxSpawnBatch = 1<<16 - 1
)

// Transform is where an actor is and how it moves. It is raw: nothing is quantised, and whatever bits a number
// has, those of a NaN included, are the bits that arrive. Whoever applies a transform has to check it.
//
//	position x y z | rotation x y z w | velocity x y z, all f32
type Transform struct {
	Position [3]float32 // centimetres
	Rotation [4]float32 // a quaternion
	Velocity [3]float32 // centimetres per second
}

// AppendTransform appends the encoding of t.
func AppendTransform(dst []byte, t Transform) []byte { return appendTransform(dst, &t) }

func appendTransform(dst []byte, t *Transform) []byte {
	// Room for all ten numbers is made once; appending them one by one is twice as slow.
	dst = append(dst, make([]byte, TransformBytes)...)
	b := dst[len(dst)-TransformBytes:]
	putFloats(b[0:12], t.Position[:])
	putFloats(b[12:28], t.Rotation[:])
	putFloats(b[28:40], t.Velocity[:])
	return dst
}

// ParseTransform reads a transform from the start of b. The only error is [ErrTooShort].
func ParseTransform(b []byte) (t Transform, err error) {
	if len(b) < TransformBytes {
		return Transform{}, errShortTransform
	}
	t.read(b)
	return t, nil
}

// read takes the first [TransformBytes] of b.
func (t *Transform) read(b []byte) {
	readFloats(t.Position[:], b[0:12])
	readFloats(t.Rotation[:], b[12:28])
	readFloats(t.Velocity[:], b[28:40])
}

func putFloats(b []byte, fs []float32) {
	for i, f := range fs {
		binary.BigEndian.PutUint32(b[4*i:], math.Float32bits(f))
	}
}

func readFloats(fs []float32, b []byte) {
	for i := range fs {
		fs[i] = math.Float32frombits(binary.BigEndian.Uint32(b[4*i:]))
	}
}

// Presence is the body of a [KindNAPresence]: a client says what it looks like and where it is. The server
// chooses the object's id.
//
//	archetype u16 | transform
type Presence struct {
	Archetype uint16
	Transform Transform
}

// AppendPresence appends the encoding of p.
func AppendPresence(dst []byte, p Presence) []byte {
	dst = binary.BigEndian.AppendUint16(dst, p.Archetype)
	return appendTransform(dst, &p.Transform)
}

// ParsePresence reads a body; bytes behind it are ignored. The only error is [ErrTooShort].
func ParsePresence(b []byte) (p Presence, err error) {
	if len(b) < PresenceBytes {
		return Presence{}, errShortPresence
	}
	p.Archetype = binary.BigEndian.Uint16(b)
	p.Transform.read(b[2:])
	return p, nil
}

// Spawn is the body of a [KindNASpawn]: an actor has appeared.
//
//	object u32 | archetype u16 | owner u64 | transform
type Spawn struct {
	Object    uint32
	Archetype uint16
	Owner     uint64 // the session that controls the actor; 0 is the server
	Transform Transform
}

// AppendSpawn appends the encoding of s.
func AppendSpawn(dst []byte, s Spawn) []byte { return appendSpawn(dst, &s) }

func appendSpawn(dst []byte, s *Spawn) []byte {
	dst = binary.BigEndian.AppendUint32(dst, s.Object)
	dst = binary.BigEndian.AppendUint16(dst, s.Archetype)
	dst = binary.BigEndian.AppendUint64(dst, s.Owner)
	return appendTransform(dst, &s.Transform)
}

// ParseSpawn reads a body; bytes behind it are ignored. The only error is [ErrTooShort].
func ParseSpawn(b []byte) (s Spawn, err error) {
	if len(b) < SpawnBytes {
		return Spawn{}, errShortSpawn
	}
	s.read(b)
	return s, nil
}

// read takes the first [SpawnBytes] of b.
func (s *Spawn) read(b []byte) {
	s.Object = binary.BigEndian.Uint32(b)
	s.Archetype = binary.BigEndian.Uint16(b[4:])
	s.Owner = binary.BigEndian.Uint64(b[6:])
	s.Transform.read(b[14:])
}

// SpawnBatch is the body of a [KindNASpawnBatch]: the actors that are there already when a client joins. It is
// a view into the bytes that it was parsed from, so it costs no memory however many actors it announces, and it
// changes with those bytes. The zero value is a batch without actors.
//
//	count u16 | spawn[count]
type SpawnBatch struct {
	entries []byte // whole spawns
}

// AppendSpawnBatch appends the encoding of a batch. Spawns behind the first [MaxSpawnBatch] are left out.
func AppendSpawnBatch(dst []byte, spawns []Spawn) []byte {
	spawns = spawns[:min(len(spawns), MaxSpawnBatch)]
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(spawns)))
	for i := range spawns {
		dst = appendSpawn(dst, &spawns[i])
	}
	return dst
}

// ParseSpawnBatch reads a body and borrows it; bytes behind the last spawn are ignored. A body without its
// count, or without all the spawns that it announces, is [ErrTooShort].
func ParseSpawnBatch(b []byte) (SpawnBatch, error) {
	if len(b) < 2 {
		return SpawnBatch{}, errShortBatch
	}
	n, entries := int(binary.BigEndian.Uint16(b)), b[2:]
	if n > len(entries)/SpawnBytes {
		return SpawnBatch{}, errShortBatch
	}
	return SpawnBatch{entries: entries[:n*SpawnBytes]}, nil
}

// Len returns the number of spawns.
func (s SpawnBatch) Len() int { return len(s.entries) / SpawnBytes }

// At returns spawn i, counted from 0. It panics if there is none.
func (s SpawnBatch) At(i int) (spawn Spawn) {
	spawn.read(s.entries[i*SpawnBytes:])
	return spawn
}

// Despawn is the body of a [KindNADespawn]: an actor is gone, or out of the receiver's sight.
//
//	object u32
type Despawn struct {
	Object uint32
}

// AppendDespawn appends the encoding of d.
func AppendDespawn(dst []byte, d Despawn) []byte {
	return binary.BigEndian.AppendUint32(dst, d.Object)
}

// ParseDespawn reads a body; bytes behind it are ignored. The only error is [ErrTooShort].
func ParseDespawn(b []byte) (Despawn, error) {
	if len(b) < DespawnBytes {
		return Despawn{}, errShortDespawn
	}
	return Despawn{Object: binary.BigEndian.Uint32(b)}, nil
}

// State is the body of a [KindNAState]: where the owner of an actor says that the actor is.
//
//	object u32 | transform
type State struct {
	Object    uint32
	Transform Transform
}

// AppendState appends the encoding of s.
func AppendState(dst []byte, s State) []byte {
	dst = binary.BigEndian.AppendUint32(dst, s.Object)
	return appendTransform(dst, &s.Transform)
}

// ParseState reads a body; bytes behind it are ignored. The only error is [ErrTooShort].
func ParseState(b []byte) (s State, err error) {
	if len(b) < StateBytes {
		return State{}, errShortState
	}
	s.Object = binary.BigEndian.Uint32(b)
	s.Transform.read(b[4:])
	return s, nil
}

package game

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"lukechampine.com/blake3"

	"github.com/ariadne-netcode/ariadne/netcode"
)

var _ netcode.Simulation = (*World)(nil)

// Tick implements [netcode.Simulation]: everything that happens by itself in one step.
func (w *World) Tick(step netcode.Step) {
	w.Step = step
	if w.Over {
		if w.Pause--; w.Pause == 0 {
			w.nextRound()
		}
		return
	}
	for i := range w.Players {
		w.pass(i)
	}
	w.judge()
}

// stateVersion is the first byte of a state. Change it whenever the layout below changes.
const stateVersion = 1

// Sizes of the parts of a state in bytes.
const (
	headSize   = 1 + 8 + 2 + 4*2 + 4 + 8 + 4 + 1 + 4 + 2 + 2*MaxPlayers
	playerSize = 4 + NameSize + 2 + 4 + 2 + 4
	lootSize   = 8 + 2 + 2
)

func (s *State) size() int {
	return headSize + len(s.Tiles) + 1 + len(s.Players)*playerSize + 2 + len(s.Loot)*lootSize
}

// AppendBinary implements [encoding.BinaryAppender]: it appends the whole state, little-endian. It allocates
// nothing if dst has room.
func (w *World) AppendBinary(dst []byte) ([]byte, error) {
	s := &w.State
	le := binary.LittleEndian
	dst = slices.Grow(dst, s.size())

	dst = append(dst, stateVersion)
	dst = le.AppendUint64(dst, s.Seed)
	dst = append(dst, s.Columns, s.Rows)
	for _, n := range [...]uint16{s.Coins, s.Spikes, s.Doors, s.Chests} {
		dst = le.AppendUint16(dst, n)
	}
	dst = le.AppendUint32(dst, s.Goal)
	dst = le.AppendUint64(dst, uint64(s.Step))
	dst = le.AppendUint32(dst, s.Round)
	dst = append(dst, flag(s.Over))
	dst = le.AppendUint32(dst, uint32(s.Winner))
	dst = le.AppendUint16(dst, s.Pause)
	for _, p := range s.Homes {
		dst = append(dst, p.X, p.Y)
	}
	for _, t := range s.Tiles {
		dst = append(dst, byte(t))
	}
	dst = append(dst, byte(len(s.Players)))
	for i := range s.Players {
		dst = appendPlayer(dst, &s.Players[i])
	}
	dst = le.AppendUint16(dst, uint16(len(s.Loot)))
	for _, l := range s.Loot {
		dst = le.AppendUint64(dst, l.ID)
		dst = append(dst, l.At.X, l.At.Y)
		dst = le.AppendUint16(dst, l.Gold)
	}
	return dst, nil
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendPlayer(dst []byte, p *Player) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, uint32(p.Author))
	dst = append(dst, p.Name[:]...)
	dst = append(dst, p.At.X, p.At.Y)
	dst = le.AppendUint32(dst, p.Score)
	dst = le.AppendUint16(dst, p.Wins)
	return append(dst, p.Health, p.Wait, p.Safe, p.Down)
}

// ErrState says that bytes are not the state of a world.
var ErrState = errors.New("game: malformed state")

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It refuses anything that AppendBinary could not
// have written with [ErrState], and changes nothing then. In the steady state it allocates nothing.
func (w *World) UnmarshalBinary(data []byte) error {
	r := reader{rest: data}
	next := &w.spare
	r.head(next)
	r.tiles(next)
	r.players(next)
	r.loot(next)
	r.require(len(r.rest) == 0, "end")
	if r.bad != "" {
		return fmt.Errorf("%w: %s at byte %d", ErrState, r.bad, len(data)-len(r.rest))
	}
	w.State, w.spare = w.spare, w.State
	return nil
}

// reader takes a state apart. Once something is wrong, it yields zeros, and bad says what it was.
type reader struct {
	rest []byte
	bad  string
}

func (r *reader) require(ok bool, what string) {
	if !ok && r.bad == "" {
		r.bad = what
	}
}

func (r *reader) bytes(n int) []byte {
	r.require(len(r.rest) >= n, "length")
	if r.bad != "" {
		return zeros[:n]
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// zeros is as long as the longest single read.
var zeros [NameSize]byte

func (r *reader) u8() uint8   { return r.bytes(1)[0] }
func (r *reader) u16() uint16 { return binary.LittleEndian.Uint16(r.bytes(2)) }
func (r *reader) u32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *reader) u64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }
func (r *reader) pos() Pos    { return Pos{r.u8(), r.u8()} }

func (r *reader) head(s *State) {
	r.require(r.u8() == stateVersion, "version")
	s.Settings = Settings{
		Seed: r.u64(), Columns: r.u8(), Rows: r.u8(),
		Coins: r.u16(), Spikes: r.u16(), Doors: r.u16(), Chests: r.u16(), Goal: r.u32(),
	}
	r.require(r.bad != "" || s.check() == nil, "settings")
	s.Step = netcode.Step(r.u64())
	s.Round = r.u32()
	over := r.u8()
	r.require(over <= 1, "flag")
	s.Over = over == 1
	s.Winner = netcode.AuthorID(r.u32())
	s.Pause = r.u16()
	r.require(s.Pause <= pauseTime && s.Over == (s.Pause > 0) && (s.Over || s.Winner == 0), "winner")
	for i := range s.Homes {
		s.Homes[i] = r.pos()
	}
}

func (r *reader) tiles(s *State) {
	s.Tiles = s.Tiles[:0]
	if r.bad != "" {
		return // the size is not to be trusted
	}
	n := s.Width() * s.Height()
	r.require(len(r.rest) >= n, "length")
	if r.bad != "" {
		return
	}
	for i, b := range r.rest[:n] {
		x, y := i%s.Width(), i/s.Width()
		edge := x == 0 || y == 0 || x == s.Width()-1 || y == s.Height()-1
		r.require(Tile(b) < tileKinds && (!edge || Tile(b) == Wall), "tile")
		s.Tiles = append(s.Tiles, Tile(b))
	}
	r.rest = r.rest[n:]
	for _, home := range s.Homes {
		r.require(s.At(home).Walkable(), "home")
	}
}

func (r *reader) players(s *State) {
	n := r.u8()
	r.require(n <= MaxPlayers, "number of players")
	s.Players = s.Players[:0]
	for range n {
		if r.bad != "" {
			return
		}
		p := Player{
			Author: netcode.AuthorID(r.u32()), Name: Name(r.bytes(NameSize)), At: r.pos(),
			Score: r.u32(), Wins: r.u16(), Health: r.u8(), Wait: r.u8(), Safe: r.u8(), Down: r.u8(),
		}
		r.require(r.bad != "" || s.Player(p.Author) == nil, "author")
		r.require(p.Name.valid(), "name")
		r.require(r.bad != "" || s.At(p.At).Walkable(), "place")
		r.require(p.Health <= MaxHealth && p.Down <= downTime && (p.Health == 0) == (p.Down > 0), "health")
		r.require(p.Wait <= ActEvery && p.Safe <= safeTime, "counter")
		s.Players = append(s.Players, p)
	}
}

func (r *reader) loot(s *State) {
	n := r.u16()
	r.require(n <= MaxLoot, "number of pieces")
	s.Loot = s.Loot[:0]
	for range n {
		if r.bad != "" {
			return
		}
		l := Loot{ID: r.u64(), At: r.pos(), Gold: r.u16()}
		r.require(r.bad != "" || s.At(l.At) != Wall, "piece")
		r.require(len(s.Loot) == 0 || s.Loot[len(s.Loot)-1].ID < l.ID, "order of pieces")
		r.require(l.Gold > 0, "gold")
		s.Loot = append(s.Loot, l)
	}
}

// Hash returns a short fingerprint of a state as AppendBinary writes it: the first eight bytes of its BLAKE3
// hash in hexadecimal.
func Hash(state []byte) string {
	sum := blake3.Sum256(state)
	return hex.EncodeToString(sum[:8])
}

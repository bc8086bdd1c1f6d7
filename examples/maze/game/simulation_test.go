package game

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/netcode"
)

// busy plays a small maze at random: many players, all commands, some of them nonsense.
func busy(t testing.TB, seed uint64, steps int) *World {
	w, err := New(Settings{Seed: seed, Columns: 9, Rows: 6, Coins: 12, Spikes: 10, Doors: 8, Chests: 8, Goal: 40})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(seed, 0))
	id := uint64(1)
	for range steps {
		for range rng.IntN(6) {
			author := netcode.AuthorID(rng.IntN(MaxPlayers + 2))
			p := w.Player(author)
			if p == nil {
				w.join(author, NewName("player"))
				continue
			}
			near := p.At.Step(Dir(rng.IntN(5)))
			switch rng.IntN(8) {
			case 0:
				w.toggle(author, near)
			case 1:
				w.search(author, near, uint16(rng.IntN(HopedGold)))
			case 2:
				gold := uint16(rng.IntN(8))
				w.drop(author, gold, id, rng.Uint64())
				id += uint64(pieces(gold))
			default:
				w.move(author, Dir(rng.IntN(5)))
			}
		}
		w.Tick(w.Step + 1)
	}
	return w
}

func encode(t testing.TB, w *World) []byte {
	state, err := w.AppendBinary(nil)
	require.NoError(t, err)
	return state
}

func TestStateRoundTrip(t *testing.T) {
	var hurt, over, loot, later int
	for seed := range uint64(100) {
		w := busy(t, seed, int(seed)*40)
		state := encode(t, w)
		require.Len(t, state, w.size())

		var other World
		require.NoError(t, other.UnmarshalBinary(state))
		require.Equal(t, state, encode(t, &other))
		require.Equal(t, w.Settings, other.Settings)
		require.ElementsMatch(t, w.Players, other.Players)

		for range 50 {
			w.Tick(w.Step + 1)
			other.Tick(other.Step + 1)
		}
		require.Equal(t, encode(t, w), encode(t, &other), "what Tick reads is in the state")

		for i := range w.Players {
			if w.Players[i].Health < MaxHealth {
				hurt++
			}
		}
		if w.Over {
			over++
		}
		loot += len(w.Loot)
		later += int(w.Round)
	}
	for what, n := range map[string]int{"injuries": hurt, "ended rounds": over, "loot": loot, "later rounds": later} {
		require.NotZero(t, n, "the worlds should show %s", what)
	}
}

func TestStateIsAppended(t *testing.T) {
	w := busy(t, 1, 200)
	state := encode(t, w)
	longer, err := w.AppendBinary([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, append([]byte("before"), state...), longer)
}

func TestSameCommandsSameBytes(t *testing.T) {
	require.Equal(t, encode(t, busy(t, 5, 2000)), encode(t, busy(t, 5, 2000)))
	require.NotEqual(t, encode(t, busy(t, 5, 2000)), encode(t, busy(t, 6, 2000)))
}

// The hash pins the rules: a change here is a change that no older peer can follow. It must then come with
// another protocol id.
func TestRulesHaveNotChanged(t *testing.T) {
	require.Equal(t, "79978f8769a356e0", Hash(encode(t, busy(t, 42, 3000))))
}

func TestLoadingIsIndependentOfWhatWasThere(t *testing.T) {
	state := encode(t, busy(t, 3, 500))
	w := busy(t, 9, 700)
	for range 3 { // alternates between the two buffers
		require.NoError(t, w.UnmarshalBinary(state))
		require.Equal(t, state, encode(t, w))
		w.Tick(w.Step + 1)
	}
}

func TestLoadKeepsNothingOfItsInput(t *testing.T) {
	state := encode(t, busy(t, 3, 500))
	input := bytes.Clone(state)
	var w World
	require.NoError(t, w.UnmarshalBinary(input))
	clear(input)
	require.Equal(t, state, encode(t, &w))
}

func TestEveryPrefixIsRefused(t *testing.T) {
	w := busy(t, 4, 400)
	require.NotEmpty(t, w.Loot)
	state := encode(t, w)
	for n := range state {
		require.ErrorIs(t, w.UnmarshalBinary(state[:n]), ErrState, "%d of %d bytes", n, len(state))
	}
	require.ErrorIs(t, w.UnmarshalBinary(append(bytes.Clone(state), 0)), ErrState)
	require.Equal(t, state, encode(t, w), "nothing was changed")
}

func TestMalformedStates(t *testing.T) {
	good := busy(t, 4, 400)
	require.False(t, good.Over)
	require.NotEmpty(t, good.Loot)
	require.Greater(t, len(good.Players), 1)
	for name, spoil := range map[string]func(s *State){
		"settings":               func(s *State) { s.Goal = 0 },
		"winner without end":     func(s *State) { s.Winner = 3 },
		"end without a pause":    func(s *State) { s.Over = true },
		"pause without an end":   func(s *State) { s.Pause = 1 },
		"endless pause":          func(s *State) { s.Over, s.Pause = true, pauseTime+1 },
		"home in a wall":         func(s *State) { s.Homes[3] = Pos{0, 0} },
		"home outside":           func(s *State) { s.Homes[3] = Pos{200, 1} },
		"unknown tile":           func(s *State) { s.Tiles[len(s.Tiles)/2] = tileKinds },
		"hole in the outer wall": func(s *State) { s.Tiles[3] = Floor },
		"author twice":           func(s *State) { s.Players[1].Author = s.Players[0].Author },
		"name with a gap":        func(s *State) { s.Players[0].Name = Name{'a', 0, 'b'} },
		"name with a newline":    func(s *State) { s.Players[0].Name = Name{'\n'} },
		"player in a wall":       func(s *State) { s.Players[0].At = Pos{0, 0} },
		"player outside":         func(s *State) { s.Players[0].At = Pos{255, 255} },
		"too healthy":            func(s *State) { s.Players[0].Health = MaxHealth + 1 },
		"dead for ever":          func(s *State) { s.Players[0].Health, s.Players[0].Down = 0, 0 },
		"down but healthy":       func(s *State) { s.Players[0].Health, s.Players[0].Down = 1, 1 },
		"waits too long":         func(s *State) { s.Players[0].Wait = ActEvery + 1 },
		"safe too long":          func(s *State) { s.Players[0].Safe = safeTime + 1 },
		"loot in a wall":         func(s *State) { s.Loot[0].At = Pos{0, 0} },
		"loot without gold":      func(s *State) { s.Loot[0].Gold = 0 },
		"loot twice":             func(s *State) { s.Loot = append(s.Loot, s.Loot[len(s.Loot)-1]) },
		"too many players": func(s *State) {
			for i := range netcode.AuthorID(MaxPlayers) {
				s.Players = append(s.Players, Player{Author: 1000 + i, At: s.Homes[0], Health: 1})
			}
		},
		"too much loot": func(s *State) {
			for i := range uint64(MaxLoot) {
				s.Loot = append(s.Loot, Loot{ID: 1<<40 + i, At: s.Homes[0], Gold: 1})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var w World
			require.NoError(t, w.UnmarshalBinary(encode(t, good)))
			spoil(&w.State)
			bad := encode(t, &w)

			victim := busy(t, 1, 100)
			before := encode(t, victim)
			require.ErrorIs(t, victim.UnmarshalBinary(bad), ErrState)
			require.Equal(t, before, encode(t, victim), "nothing was changed")
		})
	}
}

func FuzzState(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(encode(f, busy(f, seed, int(seed)*300)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := busy(t, 1, 10)
		before := encode(t, w)
		if err := w.UnmarshalBinary(data); err != nil {
			require.ErrorIs(t, err, ErrState)
			require.Equal(t, before, encode(t, w))
			return
		}
		require.Equal(t, data, encode(t, w), "a state has one encoding")
		// Whatever was let in can be played.
		for i := range w.Players {
			for dir := North; dir <= West; dir++ {
				p := &w.Players[i]
				w.move(p.Author, dir)
				w.toggle(p.Author, p.At.Step(dir))
				w.search(p.Author, p.At.Step(dir), 1)
				w.drop(p.Author, 3, 1, 1)
				w.Tick(w.Step + 1)
			}
		}
		w.AppendPicture(nil, 1)
		require.NoError(t, new(World).UnmarshalBinary(encode(t, w)), "rules lead from states to states")
	})
}

func TestStateAllocatesNothing(t *testing.T) {
	w := busy(t, 2, 500)
	buffer := make([]byte, 0, w.size())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := w.AppendBinary(buffer); err != nil {
			t.Fatal(err)
		}
	}))
	state := encode(t, w)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := w.UnmarshalBinary(state); err != nil {
			t.Fatal(err)
		}
		w.Tick(w.Step + 1)
	}))
}

func BenchmarkState(b *testing.B) {
	w := busy(b, 2, 500)
	state := encode(b, w)
	b.Run("Append", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(state)))
		buffer := make([]byte, 0, len(state))
		for b.Loop() {
			if _, err := w.AppendBinary(buffer); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Load", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(state)))
		for b.Loop() {
			if err := w.UnmarshalBinary(state); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Tick", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.Tick(w.Step + 1)
		}
	})
}

package rollback_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ariadne-netcode/ariadne/internal/vectors"
	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/rollback"
)

type modelCase struct {
	Name         string      `json:"name"`
	StartStep    vectors.I64 `json:"start_step"`
	HistoryDepth int         `json:"history_depth"`
	Ops          []modelOp   `json:"ops"`
}

type modelOp struct {
	Op    string       `json:"op"`
	Key   *modelKey    `json:"key"`
	Step  *vectors.I64 `json:"step"`
	Order uint32       `json:"order"`
	Value int32        `json:"value"`
	ID    vectors.U64  `json:"id"`
	Seed  vectors.U64  `json:"seed"`
	Hex   vectors.Hex  `json:"hex"`

	Expect struct {
		State         vectors.Hex  `json:"state_hex"`
		Executions    *int         `json:"executions"`
		Hex           vectors.Hex  `json:"hex"`
		CompletedStep *vectors.I64 `json:"completed_step"`
		OK            *bool        `json:"ok"`
		Error         string       `json:"error"`
	} `json:"expect"`
}

type modelKey struct {
	Session  vectors.U64 `json:"session_id"`
	Author   uint32      `json:"author"`
	Sequence vectors.U64 `json:"sequence"`
}

func (k *modelKey) key() netcode.Key {
	return netcode.Key{
		Session:  netcode.SessionID(k.Session),
		Author:   netcode.AuthorID(k.Author),
		Sequence: netcode.Sequence(k.Sequence),
	}
}

func TestConformanceRollback(t *testing.T) {
	vectors.Each(t, "session", "rollback.json", func(t *testing.T, c modelCase) {
		r := newRig(t, rollback.Config{Start: netcode.Step(c.StartStep), Depth: c.HistoryDepth})
		for i, op := range c.Ops {
			t.Logf("op %d: %s", i, op.Op)
			r.replay(op)
		}
	})
}

func (r *rig) replay(op modelOp) {
	want := op.Expect
	switch op.Op {
	case "set_command":
		h := netcode.Header{Key: op.Key.key(), Type: 3, Step: netcode.Step(*op.Step), Order: netcode.Order(op.Order)}
		r.set(r.entry(r.game, h, payload{Value: op.Value, ID: uint64(op.ID), Seed: uint64(op.Seed)}))
	case "remove":
		r.m.Remove(op.Key.key())
	case "try_schedule", "can_cancel":
		step, err := r.m.Schedule(netcode.Step(*op.Step))
		require.Equal(r.t, netcode.Step(*op.Step), step)
		require.Equal(r.t, *want.OK, err == nil)
		if err != nil {
			require.ErrorIs(r.t, err, netcode.ErrHistoryExceeded)
		}
	case "tick":
		before := r.game.executions
		r.tick(netcode.Step(*op.Step))
		require.Equal(r.t, *want.Executions, r.game.executions-before)
		require.Equal(r.t, []byte(want.State), r.game.append(nil))
	case "save":
		b, err := r.m.AppendState(nil)
		require.NoError(r.t, err)
		require.Equal(r.t, []byte(want.Hex), b)
	case "save_replay_anchor":
		b, step, err := r.m.AppendAnchor(nil)
		require.NoError(r.t, err)
		require.Equal(r.t, []byte(want.Hex), b)
		require.Equal(r.t, netcode.Step(*want.CompletedStep), step)
	case "load":
		err := r.m.Load(op.Hex)
		if want.Error != "" {
			require.Equal(r.t, "argument", want.Error)
			require.ErrorIs(r.t, err, rollback.ErrShortState)
			return
		}
		require.NoError(r.t, err)
		require.Equal(r.t, []byte(want.State), r.game.append(nil))
		r.released()
	default:
		r.t.Fatalf("unknown op %q", op.Op)
	}
}

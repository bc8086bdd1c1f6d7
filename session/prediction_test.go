package session_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/protocol"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/session"
	"github.com/stretchr/testify/require"
)

func TestPredictionBehindOwnWindowIsRefusedAtSend(t *testing.T) {
	w := play(t, "session depth=4", "player ann 7", "enter ann", "tick server ann 9")
	ann := w.player("ann")
	ann.Events()
	k, err := ann.send("add", 5, 2)
	var refused *session.RefusedError
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, netcode.ErrHistoryExceeded)
	require.Equal(t, key(7, 0), k)
	require.Empty(t, ann.up, "nothing to ask the authority")
	events := ann.Events()
	require.Len(t, events, 1)
	require.Equal(t, session.Refused, events[0].Kind)

	// The sequence is used and settled: the next one is 1, and a join says that 0 needs no answer.
	k, err = ann.send("add", 6, 10)
	require.NoError(t, err)
	require.Equal(t, key(7, 1), k)
	w.play("settle", "cut ann")
	require.Contains(t, w.play("connect ann", "settle"), "answered through 1")
	w.play("tick server ann 12")
	w.agree()
}

func TestConflictKeepsAcceptedCommand(t *testing.T) {
	w := play(t, "session", "player ann 7", "enter ann", "send ann add 5 @2", "settle", "tick server ann 3")
	ann := w.player("ann")
	// Another request under the same key, as a second process of the same author would send it.
	r, err := w.router.Receive(ann.conn, (&protocol.Proposal{
		Header: netcode.Header{Key: key(7, 0), Type: idAdd, Step: 3}, Payload: make([]byte, 20),
	}).Append(nil))
	require.Equal(t, netcode.Conflict, r)
	require.Error(t, err)
	w.play("settle", "tick server ann 4")
	require.EqualValues(t, 1, ann.ledger.ExecutionCount)
	w.agree()
}

func TestEqualOrdersDoNotDependOnArrival(t *testing.T) {
	// Ann predicts with order 1 what the authority gives order 2, because Bob's command has order 1.
	for _, bobFirst := range []bool{true, false} {
		w := play(t, "session", "player ann 7", "player bob 8", "connect ann", "connect bob", "settle",
			"send bob add 2 @2", "deliver bob server")
		if bobFirst {
			w.play("deliver server ann", "send ann add 1 @2")
		} else {
			w.play("send ann add 1 @2", "deliver server ann")
		}
		w.play("tick ann 3")
		guess := w.player("ann").ledger.bytes()
		w.play("settle", "tick server ann bob 3")
		require.Equal(t, guess, w.player("ann").ledger.bytes(), "authoritative first: the guess was right")
		w.agree()
	}
}

func TestExecutorsReplayButConfirmationsDoNot(t *testing.T) {
	executed, replayed, confirmed := 0, 0, 0
	w := &stage{t: t}
	w.command("session mutate")
	w.serve(nil)
	w.config.Trace = &netcode.Trace{
		Executed: func(_ netcode.Header, replay bool) {
			executed++
			if replay {
				replayed++
			}
		},
		Confirmed: func(netcode.Header, bool) { confirmed++ },
	}
	w.play("player ann 7", "enter ann", "send ann add 1 @2", "tick ann 5", "settle", "tick ann 5")
	require.Equal(t, 2, executed)
	require.Equal(t, 1, replayed)
	require.Equal(t, 1, confirmed)
	w.play("cut ann", "connect ann", "settle", "cut ann", "connect ann", "connect ann", "settle", "tick server ann 6")
	require.Equal(t, 1, confirmed)
	w.agree()
}

func TestCorrectionsAtEveryDistance(t *testing.T) {
	const depth = 4
	for _, first := range []netcode.Step{1, 50} { // with the window at the very start of the session, and later
		for ahead := netcode.Step(-2); ahead <= depth+1; ahead++ {
			// The client predicts a command for a step and goes on until that step lies ahead steps back, at the
			// current step, or in the future. Then the authority corrects it.
			w := play(t, fmt.Sprintf("session depth=%d mutate", depth), "player ann 7", "enter ann")
			ann := w.player("ann")
			if first > 1 {
				w.play(fmt.Sprintf("tick server ann %d", first-1))
			}
			step := first + max(0, -ahead)
			_, err := ann.send("add", 5, step)
			require.NoError(t, err)
			w.play("deliver ann server")
			require.NoError(t, ann.Tick(step+ahead))
			w.play("settle")
			require.NoError(t, ann.Tick(max(step+ahead, ann.Step())))

			s := ann.Stats()
			switch {
			case ahead < 0: // not executed yet
				require.Zero(t, s.ReplayedSteps)
				require.EqualValues(t, 1, s.Corrected)
			case ahead < depth:
				require.EqualValues(t, ahead+1, s.ReplayedSteps, "distance %d from %d", ahead, first)
				require.EqualValues(t, 1, s.Corrected)
				require.Zero(t, s.Resyncs)
			default: // one step older than the oldest that is retained
				require.EqualValues(t, 1, s.Resyncs, "distance %d from %d", ahead, first)
			}
			w.play(fmt.Sprintf("tick server ann %d", first+10))
			require.EqualValues(t, 1, ann.ledger.ExecutionCount)
			w.agree()
		}
	}
}

// counted is a payload that counts how often it is decoded.
type counted struct{ entry }

var decodes int

func (c *counted) UnmarshalBinary(b []byte) error {
	decodes++
	return c.entry.UnmarshalBinary(b)
}

// pointing is a payload that an executor could change for the next replay.
type pointing struct{ Data []byte }

func (p *pointing) AppendBinary(b []byte) ([]byte, error) { return append(b, p.Data...), nil }

func (p *pointing) UnmarshalBinary(b []byte) error {
	decodes++
	p.Data = bytes.Clone(b)
	return nil
}

func TestValuesAreDecodedOnceAndPointersAfresh(t *testing.T) {
	replay := func(t *testing.T, p *peer) {
		require.NoError(t, p.Tick(2))
		for range 5 { // each time, a late command makes step 2 run again
			_, err := p.send("add", 1, 2)
			require.NoError(t, err)
			require.NoError(t, p.Tick(2))
		}
		require.EqualValues(t, 5, p.Stats().Rollbacks)
	}
	executed := 0
	t.Run("value", func(t *testing.T) {
		p := localPeer(t, nil)
		typ, err := registry.Register(p.Config().Registry, 71, registry.Options[counted]{})
		require.NoError(t, err)
		c, err := session.Handle(p.Host, typ, session.Handlers[counted]{Execute: func(netcode.Command[counted]) { executed++ }})
		require.NoError(t, err)
		decodes, executed = 0, 0
		_, err = c.Send(counted{}, 2)
		require.NoError(t, err)
		replay(t, p)
		require.Equal(t, 6, executed)
		require.Equal(t, 1, decodes)
	})
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("pointer, shared %v", shared), func(t *testing.T) {
			p := localPeer(t, nil)
			typ, err := registry.Register(p.Config().Registry, 72, registry.Options[pointing]{Shared: shared})
			require.NoError(t, err)
			c, err := session.Handle(p.Host, typ, session.Handlers[pointing]{Execute: func(c netcode.Command[pointing]) {
				executed++
				if !shared {
					require.Equal(t, []byte{1, 2, 3}, c.Payload.Data)
					c.Payload.Data[0] = 99 // must not reach the next replay
				}
			}})
			require.NoError(t, err)
			decodes, executed = 0, 0
			data := []byte{1, 2, 3}
			_, err = c.Send(pointing{data}, 2)
			require.NoError(t, err)
			data[1] = 88 // Send has encoded it
			replay(t, p)
			require.Equal(t, 6, executed)
			if shared {
				require.Equal(t, 1, decodes)
			} else {
				require.Equal(t, 1+6, decodes)
			}
		})
	}
}

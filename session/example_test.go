package session_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ariadne-netcode/ariadne/netcode"
	"github.com/ariadne-netcode/ariadne/registry"
	"github.com/ariadne-netcode/ariadne/rollback"
	"github.com/ariadne-netcode/ariadne/session"
)

// Push is a command: it moves a counter.
type Push struct{ By int8 }

func (p *Push) AppendBinary(b []byte) ([]byte, error) { return append(b, byte(p.By)), nil }

func (p *Push) UnmarshalBinary(b []byte) error {
	if len(b) != 1 {
		return errors.New("push: want one byte")
	}
	p.By = int8(b[0])
	return nil
}

// Counter is a simulation: the sum of all pushes, halved at every hundredth step.
type Counter struct{ Sum int64 }

func (c *Counter) Tick(s netcode.Step) {
	if s%100 == 0 {
		c.Sum /= 2
	}
}

func (c *Counter) AppendBinary(b []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint64(b, uint64(c.Sum)), nil
}

func (c *Counter) UnmarshalBinary(b []byte) error {
	if len(b) != 8 {
		return errors.New("counter: want eight bytes")
	}
	c.Sum = int64(binary.LittleEndian.Uint64(b))
	return nil
}

// newCounter wires a peer of the counter game. Every peer does exactly the same.
func newCounter(mode netcode.Mode, author netcode.AuthorID) (*session.Host, *Counter, *session.Commands[Push], error) {
	reg := registry.New()
	push, err := registry.Register(reg, 0xC0117E5, registry.Options[Push]{Predicted: true})
	if err != nil {
		return nil, nil, nil, err
	}
	counter := new(Counter)
	model, err := rollback.New(counter, rollback.Config{Start: 1})
	if err != nil {
		return nil, nil, nil, err
	}
	host, err := session.NewHost(session.Config{
		Start:    netcode.Start{Session: 1, Protocol: netcode.ProtocolID(reg.Digest()), Author: author, Step: 1},
		Mode:     mode,
		Registry: reg,
		Model:    model,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	commands, err := session.Handle(host, push, session.Handlers[Push]{
		Validate: func(c netcode.Command[Push], _ netcode.Step) error {
			if c.Payload.By < -10 || c.Payload.By > 10 {
				return errors.New("too hard")
			}
			return nil
		},
		Execute: func(c netcode.Command[Push]) { counter.Sum += int64(c.Payload.By) },
	})
	return host, counter, commands, err
}

// A local host needs neither transport nor join.
func ExampleHost() {
	host, counter, push, err := newCounter(netcode.Local, 1)
	if err != nil {
		panic(err)
	}
	push.Send(Push{By: 3}, 2)
	_, err = push.Send(Push{By: 99}, 2)
	fmt.Println(err)
	host.Tick(5)
	fmt.Println("step", host.Step(), "sum", counter.Sum)
	// Output:
	// session: command 1/1 rejected: too hard
	// step 5 sum 3
}

// wire is a transport that keeps frames until they are asked for: the simplest there is.
type wire [][]byte

func (w *wire) Send(_ session.ConnID, frame []byte) { *w = append(*w, append([]byte(nil), frame...)) }

func (w *wire) take() [][]byte {
	frames := *w
	*w = nil
	return frames
}

// An authority and a client, connected by two slices of frames. The client executes its command before the
// authority has seen it; the outcome confirms it and nothing is executed again.
func ExampleClient() {
	const conn session.ConnID = 1
	var toClient, toServer wire

	authority, sum, _, err := newCounter(netcode.Server, 100)
	if err != nil {
		panic(err)
	}
	server := session.NewServer(&toClient)
	server.Add(authority)
	server.Bind(conn, 1, 7) // the connection has been authenticated as author 7

	host, predicted, push, err := newCounter(netcode.Client, 7)
	if err != nil {
		panic(err)
	}
	client, err := session.NewClient(host, &toServer)
	if err != nil {
		panic(err)
	}
	exchange := func() {
		for _, f := range toServer.take() {
			server.Receive(conn, f)
		}
		for _, f := range toClient.take() {
			client.Receive(conn, f)
		}
	}

	client.Join(conn)
	exchange()
	fmt.Println("client is", client.State())

	push.Send(Push{By: 4}, 2)
	host.Tick(3)
	fmt.Println("predicted", predicted.Sum, "while the authority has", sum.Sum)

	exchange()
	authority.Tick(3)
	host.Tick(3)
	stats := host.Stats()
	fmt.Println("authority has", sum.Sum, "- right predictions:", stats.Right, "replayed steps:", stats.ReplayedSteps)
	// Output:
	// client is ready
	// predicted 4 while the authority has 0
	// authority has 4 - right predictions: 1 replayed steps: 0
}

// A snapshot and the commands after it are a whole session: here they move it to another process.
func ExampleHost_Capture() {
	host, _, push, _ := newCounter(netcode.Local, 1)
	push.Send(Push{By: 3}, 2)
	push.Send(Push{By: 5}, 900) // still to come
	host.Tick(500)
	snapshot, _ := host.Capture()

	other, counter, _, _ := newCounter(netcode.Client, 2)
	if err := other.Restore(snapshot); err != nil {
		fmt.Println(err)
	}
	for _, r := range host.AppendAccepted(nil, snapshot.Cursor) {
		other.ApplyOutcome(session.OutcomeOf(r))
	}
	other.Tick(950)
	fmt.Println("step", other.Step(), "sum", counter.Sum)
	// Output:
	// step 950 sum 2
}

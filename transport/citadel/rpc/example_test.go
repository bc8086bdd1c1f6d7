package rpc_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/rpc"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wire"
)

// A server and a client in one process. The server's loop owns a counter, and needs no lock for it.
func Example() {
	server, err := rpc.NewServer(rpc.Config{Timeout: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	counter := 0
	err = errors.Join(
		server.HandleLoop("count", func(call rpc.Call) ([]byte, error) {
			counter++
			return fmt.Append(nil, counter), nil
		}),
		server.Handle("store.buy", func(ctx context.Context, call rpc.Call) ([]byte, error) {
			if string(call.Payload) == "minotaur" {
				return nil, errors.New("relation \"beasts\" does not exist") // for the server's eyes
			}
			return nil, rpc.Errorf("out of %s", call.Payload)
		}),
	)
	if err != nil {
		fmt.Println(err)
		return
	}

	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ln.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Pin: pin})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	client, err := rpc.NewClient(conn, rpc.ClientConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}

	// Two game loops.
	go func() {
		for ln.Inbox().Wait(ctx) == nil {
			ln.Inbox().Drain(func(e citadel.Event) { server.Receive(e) })
		}
	}()
	go func() {
		for conn.Inbox().Wait(ctx) == nil {
			conn.Inbox().Drain(func(e citadel.Event) { client.Receive(e) })
		}
	}()

	for range 2 {
		reply, err := client.Call(ctx, "count", nil)
		fmt.Printf("%s %v\n", reply, err)
	}
	_, err = client.Call(ctx, "store.buy", []byte("thread"))
	fmt.Println(err)
	_, err = client.Call(ctx, "store.buy", []byte("minotaur"))
	fmt.Println(err, errors.Is(err, rpc.ErrInternal))
	// Output:
	// 1 <nil>
	// 2 <nil>
	// rpc: server answered "out of thread"
	// rpc: server answered "internal error" true
}

// On the loop itself, nothing waits: the response calls back.
func ExampleClient_Go() {
	conn := new(peer) // stands for a *citadel.Conn
	client, err := rpc.NewClient(conn, rpc.ClientConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	id, err := client.Go("motd", nil, func(reply []byte, err error) {
		fmt.Printf("%s %v\n", reply, err)
	})
	fmt.Println(id, err)
	client.Frame(wire.Envelope{Kind: wire.KindRPCResponse, Body: wire.AppendRPCResponse(nil, wire.RPCResponse{
		ID: id, Status: wire.RPCOK, Payload: []byte("mind the bull"),
	})})
	// Output:
	// 1 <nil>
	// mind the bull <nil>
}

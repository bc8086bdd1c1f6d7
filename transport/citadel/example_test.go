package citadel_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// A server that echoes session frames, and a client that says one thing and leaves.
func Example() {
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		TLS: &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: citadel.FirstOf(
			citadel.Guests(),
			citadel.Tokens(map[string]string{"s3cret": "ariadne"}),
		),
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	served := make(chan struct{})
	go func() {
		defer close(served)
		for open := true; open && ln.Inbox().Wait(ctx) == nil; {
			ln.Inbox().Drain(func(e citadel.Event) {
				switch e.Kind {
				case citadel.Opened:
					fmt.Println("server: welcome", e.Conn.Identity().UserID)
				case citadel.Session:
					_ = e.Conn.SendSession(e.Envelope.Body) // an error comes again as a Closed event
				case citadel.Closed:
					fmt.Println("server:", e.Err)
					open = false
				}
			})
		}
	}()

	conn, err := citadel.Dial(ctx, ln.Addr().String(), citadel.DialConfig{Pin: pin, Token: []byte("s3cret")})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = conn.SendSession([]byte("hello"))
	for answered := false; !answered && conn.Inbox().Wait(ctx) == nil; {
		conn.Inbox().Drain(func(e citadel.Event) {
			if e.Kind == citadel.Session {
				fmt.Printf("client: %s\n", e.Envelope.Body)
				answered = true
			}
		})
	}
	conn.Disconnect(citadel.CodeApplication, "the thread is spun")
	<-served
	_ = ln.Close()
	<-conn.Done()
	// Output:
	// server: welcome ariadne
	// client: hello
	// server: citadel: connection closed by the peer (code 0x100): the thread is spun
}

func ExampleDial_rejected() {
	cert, pin, err := citadel.DevCertificate("127.0.0.1")
	if err != nil {
		fmt.Println(err)
		return
	}
	ln, err := citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		TLS:           &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: citadel.Tokens(map[string]string{"s3cret": "ariadne"}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ln.Close()

	for _, token := range []string{"", "guess"} {
		_, err = citadel.Dial(context.Background(), ln.Addr().String(), citadel.DialConfig{Pin: pin, Token: []byte(token)})
		if auth, ok := errors.AsType[*citadel.AuthError](err); ok {
			fmt.Println(auth.Reason)
		}
	}
	// Output:
	// authentication required
	// authentication failed
}

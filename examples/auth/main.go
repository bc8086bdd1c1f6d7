package main

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
)

// The names that the parts of the demonstration have for each other.
const (
	issuerName = "https://login.example"
	gameName   = "maze"
	keyName    = "2026-11"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "auth:", err)
		os.Exit(1)
	}
}

// run plays all the parts.
func run(ctx context.Context, out io.Writer) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	login := &Issuer{Name: issuerName, KeyName: keyName, Key: private}
	ln, pin, err := serve(map[string]ed25519.PublicKey{keyName: public})
	if err != nil {
		return err
	}
	var loop sync.WaitGroup
	defer loop.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	loop.Go(func() { greet(ctx, ln.Inbox()) })
	defer ln.Close()
	fmt.Fprintln(out, "server listens on", ln.Addr())

	guests, err := everybody(login)
	if err != nil {
		return err
	}
	for _, g := range guests {
		heard, err := join(ctx, ln.Addr().String(), pin, g.token)
		if err != nil {
			heard = err.Error()
		}
		fmt.Fprintf(out, "%-28s %s\n", g.what+":", heard)
	}
	return ctx.Err()
}

// serve starts a game server.
func serve(keys map[string]ed25519.PublicKey) (ln *citadel.Listener, pin string, err error) {
	verifier, err := NewVerifier(Rules{
		Keys: keys, Issuer: issuerName, Audience: gameName,
		MaxLifetime: 10 * time.Minute, Leeway: 5 * time.Second,
	})
	if err != nil {
		return nil, "", err
	}
	cert, pin, err := citadel.DevCertificate()
	if err != nil {
		return nil, "", err
	}
	ln, err = citadel.Listen("127.0.0.1:0", citadel.ListenConfig{
		TLS:           &tls.Config{Certificates: []tls.Certificate{cert}},
		Authenticator: verifier,
	})
	return ln, pin, err
}

// greet is the server's loop.
func greet(ctx context.Context, inbox *citadel.Inbox) {
	for inbox.Wait(ctx) == nil {
		inbox.Drain(func(e citadel.Event) {
			if e.Kind == citadel.Opened {
				// If it fails the connection has ended, which is all the same here.
				_ = e.Conn.SendSession([]byte("welcome, " + e.Conn.Identity().UserID))
			}
		})
	}
}

// join connects with a token and returns what the server says.
func join(ctx context.Context, addr, pin, token string) (heard string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := citadel.Dial(ctx, addr, citadel.DialConfig{Pin: pin, Token: []byte(token)})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	for heard == "" && err == nil {
		if err = conn.Inbox().Wait(ctx); err != nil {
			return "", err
		}
		conn.Inbox().Drain(func(e citadel.Event) {
			switch e.Kind {
			case citadel.Session:
				heard = string(e.Envelope.Body)
			case citadel.Closed:
				err = e.Err
			}
		})
	}
	return heard, err
}

// guest is somebody who wants to come in.
type guest struct{ what, token string }

// everybody returns one of each kind.
func everybody(login *Issuer) ([]guest, error) {
	_, otherKey, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	impostor := &Issuer{Name: login.Name, KeyName: login.KeyName, Key: otherKey}
	yesterday := &Issuer{Name: login.Name, KeyName: login.KeyName, Key: login.Key, Now: func() time.Time {
		return time.Now().Add(-24 * time.Hour)
	}}
	guests := []guest{{"nobody", ""}}
	for _, kind := range []struct {
		what   string
		issuer *Issuer
		game   string
	}{
		{"theseus", login, gameName},
		{"with yesterday's token", yesterday, gameName},
		{"with a token for chess", login, "chess"},
		{"with a forged token", impostor, gameName},
	} {
		token, err := kind.issuer.Token("theseus", kind.game, time.Minute)
		if err != nil {
			return nil, err
		}
		guests = append(guests, guest{kind.what, token})
	}
	return guests, nil
}

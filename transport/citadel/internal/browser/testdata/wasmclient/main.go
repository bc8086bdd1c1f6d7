//go:build js

// Command client is what a game compiled for browsers would be: it speaks to the server of the browser test
// with this module's own packages.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall/js"
	"time"

	"github.com/ariadne-netcode/ariadne/transport/citadel"
	"github.com/ariadne-netcode/ariadne/transport/citadel/ws"
	"github.com/ariadne-netcode/ariadne/transport/citadel/wt"
)

const patience = 20 * time.Second

// settings is what the test tells the page.
type settings struct {
	WS, WT, Hash   string
	Cable, CutPath string
	StrictWS       string
	StrictWT       string
}

func main() {
	var s settings
	if err := json.Unmarshal([]byte(os.Args[1]), &s); err != nil {
		report("settings", err)
		return
	}
	plain := citadel.DialConfig{}
	pinned := citadel.DialConfig{Pin: s.Hash}
	overWS := func(ctx context.Context) (*citadel.Conn, error) { return ws.Dial(ctx, s.WS, plain) }
	overWT := func(ctx context.Context) (*citadel.Conn, error) { return wt.Dial(ctx, s.WT, pinned) }
	step("WebSocket", func() error { return converse(overWS, citadel.Frame) })
	step("WebTransport", func() error { return converse(overWT, citadel.Datagram) })
	step("WebSocket: thrown out", func() error { return thrownOut(overWS) })
	step("WebTransport: thrown out", func() error { return thrownOut(overWT) })
	step("WebSocket: server dies", func() error { return dies(s) })
	step("refusals", func() error { return refusals(s) })
}

// step runs one part of the test and reports how it went.
func step(name string, fn func() error) {
	js.Global().Call("citadelBegins", name)
	report(name, fn())
}

func report(step string, err error) {
	detail := ""
	if err != nil {
		detail = err.Error()
	}
	js.Global().Call("citadelReport", step, err == nil, detail)
}

// event is an event that owns its body.
type event struct {
	citadel.Event
	body []byte
}

// next returns the next event that is no progress.
func next(ctx context.Context, conn *citadel.Conn, queue *[]event) (event, error) {
	for len(*queue) == 0 {
		if err := conn.Inbox().Wait(ctx); err != nil {
			return event{}, err
		}
		conn.Inbox().Drain(func(e citadel.Event) {
			if e.Kind != citadel.Progress {
				*queue = append(*queue, event{e, bytes.Clone(e.Envelope.Body)})
			}
		})
	}
	e := (*queue)[0]
	*queue = (*queue)[1:]
	return e, nil
}

func converse(dial func(context.Context) (*citadel.Conn, error), unreliable citadel.EventKind) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var queue []event
	expect := func(kind citadel.EventKind, body []byte) error {
		e, err := next(ctx, conn, &queue)
		if err == nil && (e.Kind != kind || !bytes.Equal(e.body, body)) {
			err = fmt.Errorf("got %v with %d bytes and error %v, want %v with %d", e.Kind, len(e.body), e.Err, kind, len(body))
		}
		return err
	}
	if err := expect(citadel.Opened, nil); err != nil {
		return err
	}
	for _, size := range []int{1, 1000, 64 << 10, 1 << 20} {
		body := bytes.Repeat([]byte{byte(size >> 3)}, size)
		if err := conn.SendSession(body); err != nil {
			return err
		}
		if err := expect(citadel.Session, body); err != nil {
			return err
		}
	}
	for i := range 100 {
		if err := conn.Send(200, []byte{byte(i)}); err != nil {
			return err
		}
	}
	for i := range 100 {
		if err := expect(citadel.Frame, []byte{byte(i)}); err != nil {
			return err
		}
	}
	if err := conn.SendDatagram(200, []byte("perhaps")); err != nil {
		return err
	}
	if err := expect(unreliable, []byte("perhaps")); err != nil {
		return err
	}
	conn.Disconnect(0x103, "program leaves")
	<-conn.Done()
	return nil
}

func thrownOut(dial func(context.Context) (*citadel.Conn, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := dial(ctx)
	if err != nil {
		return err
	}
	if err := conn.Send(201, nil); err != nil {
		return err
	}
	<-conn.Done()
	e, ok := errors.AsType[*citadel.CloseError](conn.Err())
	if !ok || !e.Remote || e.Code != 0x101 || e.Reason != "go home" {
		return fmt.Errorf("closed with %v", conn.Err())
	}
	return nil
}

// dies connects through a cable, is idle for a while and then has the cable cut.
func dies(s settings) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cfg := citadel.Config{IdleTimeout: time.Second, KeepAlive: 100 * time.Millisecond}
	conn, err := ws.Dial(ctx, s.Cable, citadel.DialConfig{Config: cfg})
	if err != nil {
		return err
	}
	time.Sleep(2 * cfg.IdleTimeout)
	if conn.Err() != nil {
		return fmt.Errorf("before the cut: %w", conn.Err())
	}
	resp, err := http.Post(s.CutPath, "text/plain", strings.NewReader(""))
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	select {
	case <-conn.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	if !errors.Is(conn.Err(), citadel.ErrTimeout) {
		return conn.Err()
	}
	return nil
}

func refusals(s settings) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, err := ws.Dial(ctx, s.StrictWS, citadel.DialConfig{}); err == nil {
		return errors.New("a foreign page got in by WebSocket")
	}
	if _, err := wt.Dial(ctx, s.StrictWT, citadel.DialConfig{Pin: s.Hash}); err == nil {
		return errors.New("a foreign page got in by WebTransport")
	}
	if _, err := wt.Dial(ctx, s.WT, citadel.DialConfig{Pin: strings.Repeat("ab", 32)}); err == nil {
		return errors.New("another certificate would do")
	}
	if _, err := ws.Dial(ctx, s.WS, citadel.DialConfig{Pin: s.Hash}); err == nil {
		return errors.New("a pin is ignored")
	}
	return nil
}

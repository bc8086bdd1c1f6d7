package wt

import (
	"context"
	"fmt"
	"syscall/js"
)

// await waits for what a promise promises. If the context ends first, that is forgotten.
func await(ctx context.Context, promise js.Value) (js.Value, error) {
	type result struct {
		v   js.Value
		err error
	}
	done := make(chan result, 1)
	var kept, broken js.Func
	settle := func(r result) any {
		kept.Release()
		broken.Release()
		done <- r
		return nil
	}
	kept = js.FuncOf(func(_ js.Value, args []js.Value) any { return settle(result{v: args[0]}) })
	broken = js.FuncOf(func(_ js.Value, args []js.Value) any { return settle(result{err: &jsError{args[0]}}) })
	promise.Call("then", kept, broken)
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}

// jsError is what a promise was broken with, as a rule a WebTransportError.
type jsError struct{ v js.Value }

func (e *jsError) Error() string {
	if e.v.Type() != js.TypeObject {
		return e.v.String()
	}
	return e.v.Get("message").String()
}

// ofStream reports whether the peer has given up a stream, and nothing else.
func (e *jsError) ofStream() bool {
	if e.v.Type() != js.TypeObject {
		return false
	}
	source := e.v.Get("source")
	return source.Type() == js.TypeString && source.String() == "stream"
}

// catch turns an exception into an error.
func catch(errp *error) {
	switch e := recover().(type) {
	case nil:
	case js.Error:
		*errp = fmt.Errorf("wt: %w", e)
	default:
		panic(e)
	}
}

// toJS copies bytes to the browser.
func toJS(p []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(a, p)
	return a
}

// toGo copies bytes from the browser.
func toGo(a js.Value) []byte {
	p := make([]byte, a.Get("byteLength").Int())
	js.CopyBytesToGo(p, a)
	return p
}
